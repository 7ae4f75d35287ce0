"""The driver of the metadata quorum: it owns the machine's disk and clock, and carries requests to the controller."""
