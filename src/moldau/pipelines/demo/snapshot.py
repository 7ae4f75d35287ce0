"""What the demonstration knows about itself at one moment, as plain data: the views draw it, nothing else.

Made by `run`; `Rates` turns two of them into records per second.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from moldau.pipelines.demo.recount import Sums

RATE_WINDOW_S = 3.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the running demonstration."""

    elapsed_s: float
    stage: str
    bootstrap: str
    ready_s: float | None
    first_result_s: float | None
    records_in: int
    records_read: int
    rejected: int
    updates: int
    rate_in: float
    rate_out: float
    sums: Sums

    @property
    def lag(self) -> int:
        """Records in the topic that the pipeline has not read yet."""
        return max(0, self.records_in - self.records_read)


@dataclass(slots=True)
class Rate:
    """Records per second over the last few seconds."""

    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def at(self, elapsed_s: float, total: int) -> float:
        self._seen.append((elapsed_s, total))
        while len(self._seen) > 2 and self._seen[1][0] <= elapsed_s - RATE_WINDOW_S:
            self._seen.popleft()
        then_s, then = self._seen[0]
        return (total - then) / (elapsed_s - then_s) if elapsed_s > then_s else 0.0
