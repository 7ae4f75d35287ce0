"""The real doors: sockets, files, clock, chance and threads; the only place that touches them."""
