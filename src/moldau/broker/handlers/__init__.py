"""One file per API that the broker serves."""
