"""Counters as plain data, and one table of their names, units and help; exporting them is someone else's job."""

from moldau.metrics.registry import Counter, Registry
from moldau.metrics.table import METRICS, Metric

__all__ = ["METRICS", "Counter", "Metric", "Registry"]
