"""What a broker answers, one file for each API; each offers `API`, `handle` and `failed` (see `router.Handler`)."""
