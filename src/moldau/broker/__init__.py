"""The server: listeners, router, handlers, lifecycle, and the assembly of it all."""
