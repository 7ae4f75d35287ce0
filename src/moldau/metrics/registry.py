"""The counters of one node.

Made by the node's assembly and handed to whoever counts. Counting is `counter.value += n`, nothing more.
"""

from __future__ import annotations

from moldau.metrics.table import METRICS


class Counter:
    """One number that only grows."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Registry:
    """All counters of one node, by name and label values."""

    def __init__(self) -> None:
        self._counters: dict[tuple[str, tuple[str, ...]], Counter] = {}

    def counter(self, name: str, *labels: str) -> Counter:
        """The one counter of this name and these label values (in the order of the table)."""
        metric = METRICS[name]
        assert len(labels) == len(metric.labels), f"{name} takes the labels {metric.labels}"
        return self._counters.setdefault((name, labels), Counter())

    def values(self) -> dict[tuple[str, tuple[str, ...]], int]:
        """Every counter as it stands, sorted by name and labels."""
        return {key: self._counters[key].value for key in sorted(self._counters)}
