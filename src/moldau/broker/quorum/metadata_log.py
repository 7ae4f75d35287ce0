"""The metadata log on disk, as the quorum's machine sees it.

Made by the quorum driver. It turns batches of the machine into record batches and back, and knows no record's meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from moldau.environment.doors import Clock
from moldau.raft import Batch, EpochEnd
from moldau.raft.batches import decode_batches, encode_batch
from moldau.records import read_headers
from moldau.storage.log import Log

READ_BYTES = 1 << 20


class MetadataLog:
    """A `LogView` over a partition log."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self.log = log
        self._clock = clock

    @property
    def end_offset(self) -> int:
        return self.log.end_offset

    @property
    def last_epoch(self) -> int:
        return max(self.log.epochs.latest, 0)

    def end_of_epoch(self, epoch: int) -> EpochEnd:
        found = self.log.epoch_end(epoch)
        return EpochEnd(*found) if found is not None else EpochEnd(0, 0)

    def read(self, offset: int, max_bytes: int) -> Sequence[Batch]:
        batches: list[Batch] = []
        for part in self.log.read(offset, self.log.end_offset, max_bytes):
            try:
                batches += decode_batches(part.read())
            finally:
                part.release()
        return [batch for batch in batches if batch.end_offset > offset]

    def read_all(self, offset: int, end_offset: int) -> list[Batch]:
        """Every batch from the one at `offset` to the one that ends at `end_offset`."""
        found: list[Batch] = []
        while offset < end_offset:
            batches = [batch for batch in self.read(offset, READ_BYTES) if batch.end_offset <= end_offset]
            assert batches, f"the metadata log has nothing at {offset} below {end_offset}"
            found += batches
            offset = batches[-1].end_offset
        return found

    def append(self, batches: Sequence[Batch]) -> None:
        """Write them at the end; they are not yet synced."""
        wall_ms = self._clock.wall_ms()
        data = b"".join(encode_batch(batch, wall_ms) for batch in batches)
        self.log.append(data, read_headers(data))
