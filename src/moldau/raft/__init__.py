"""Consensus with no input or output: step, deadline, ready, advance."""
