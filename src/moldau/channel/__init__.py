"""One request/response conversation with one broker."""
