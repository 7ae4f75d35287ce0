"""The whole platform on one thread and virtual time, with faults."""
