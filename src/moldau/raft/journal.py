"""The log as one member sees it: what is on disk, and what it has decided to append but not handed over yet.

Used by `Raft` alone. Never writes: what it gathers goes out in `Ready`.
"""

from __future__ import annotations

from moldau.raft.quorum import Batch, EpochEnd, LogView


class Journal:
    """A log view with a tail still to be written."""

    __slots__ = ("_cut", "_log", "_tail")

    def __init__(self, log: LogView) -> None:
        self._log = log
        self._tail: list[Batch] = []
        self._cut: EpochEnd | None = None

    @property
    def tail(self) -> tuple[Batch, ...]:
        """What is still to be written."""
        return tuple(self._tail)

    @property
    def truncate_to(self) -> int | None:
        """What is still to be cut, before the tail is written."""
        return None if self._cut is None else self._cut.offset

    @property
    def written_end(self) -> int:
        """The end of what can be read."""
        return self._log.end_offset if self._cut is None else self._cut.offset

    @property
    def end_offset(self) -> int:
        """The offset of the next record."""
        return self._tail[-1].end_offset if self._tail else self.written_end

    @property
    def last_epoch(self) -> int:
        """The epoch of the last batch."""
        if self._tail:
            return self._tail[-1].epoch
        return self._log.last_epoch if self._cut is None else self._cut.epoch

    def end_of_epoch(self, epoch: int) -> EpochEnd:
        """As `LogView.end_of_epoch`, with what is still to be cut and written."""
        for batch in reversed(self._tail):
            if batch.epoch <= epoch:
                return EpochEnd(batch.epoch, batch.end_offset)
        if self._cut is not None and self._cut.epoch <= epoch:
            return self._cut
        return self._log.end_of_epoch(epoch)

    def agreement(self, theirs: EpochEnd) -> EpochEnd:
        """How much of this log a leader may have whose log ends the epoch there."""
        own = self.end_of_epoch(theirs.epoch)
        return EpochEnd(own.epoch, min(own.offset, theirs.offset)) if own.epoch == theirs.epoch else own

    def read(self, offset: int, max_bytes: int) -> tuple[Batch, ...]:
        """What has been written from `offset` on."""
        return tuple(self._log.read(offset, max_bytes)) if offset < self.written_end else ()

    def append(self, batch: Batch) -> None:
        """Add a batch at the end."""
        assert batch.base_offset == self.end_offset, (batch.base_offset, self.end_offset)
        assert batch.epoch >= self.last_epoch, (batch.epoch, self.last_epoch)
        self._tail.append(batch)

    def truncate(self, end: EpochEnd) -> None:
        """Cut the log to where an epoch of it ends, or inside that epoch."""
        assert not self._tail
        assert self._cut is None
        assert end.offset <= self._log.end_offset, (end, self._log.end_offset)
        self._cut = end

    def written(self) -> None:
        """The driver has truncated and appended."""
        assert self._log.end_offset == self.end_offset, "advance() before the log was cut and written"
        self._tail.clear()
        self._cut = None
