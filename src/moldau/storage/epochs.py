"""Where each leader's records begin in one partition: the content of leader-epoch-checkpoint.

Who calls: the log tells of every batch whose epoch is new; replication asks how far an epoch went, to find where two
logs part. What it never does: touch a disk.

I1 Epochs grow from entry to entry and so do their first offsets.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from moldau.model import NO_EPOCH


class Epochs:
    """Epochs and the offsets they start at."""

    __slots__ = ("_epochs", "_starts", "latest")

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        self._epochs: list[int] = []
        self._starts: list[int] = []
        self.latest: int = NO_EPOCH
        for epoch, start in entries:
            self.assign(epoch, start)

    def entries(self) -> list[tuple[int, int]]:
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start: int) -> bool:
        """A batch of that epoch begins there; whether that was news."""
        if epoch <= self.latest:
            return False
        assert not self._starts or start >= self._starts[-1]  # I1
        if self._starts and self._starts[-1] == start:  # the last leader wrote nothing
            self._epochs.pop()
            self._starts.pop()
        self._epochs.append(epoch)
        self._starts.append(start)
        self.latest = epoch
        return True

    def end_of(self, epoch: int, log_end: int) -> tuple[int, int] | None:
        """The largest known epoch not above the one asked for, and where it ended; None when there is none."""
        after = bisect_right(self._epochs, epoch)
        if after == 0:
            return None
        return self._epochs[after - 1], self._starts[after] if after < len(self._starts) else log_end

    def first_offset(self, log_end: int) -> int:
        """Where the oldest known epoch begins: at the end of a log that knows none."""
        return self._starts[0] if self._starts else log_end

    def epoch_at(self, offset: int) -> int:
        """The epoch of the record at an offset."""
        after = bisect_right(self._starts, offset)
        return self._epochs[after - 1] if after else NO_EPOCH

    def truncate(self, end: int) -> bool:
        """Forget epochs that begin at or after an offset; whether there were any."""
        keep = bisect_left(self._starts, end)
        cut = keep < len(self._starts)
        del self._epochs[keep:], self._starts[keep:]
        self.latest = self._epochs[-1] if self._epochs else NO_EPOCH
        return cut

    def clear(self) -> None:
        self.truncate(-1)
