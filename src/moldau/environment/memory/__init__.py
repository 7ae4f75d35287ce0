"""Faultless doors in memory, for tests that need no machine."""
