"""Cluster metadata as records, an immutable image, and the delta between two images."""
