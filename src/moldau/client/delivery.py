"""What a send gives back: a small thing that knows where its record is, and waits for it only when asked.

Made by the accumulator for every record, so it holds three fields and no future.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec

from moldau.client.outgoing import OutgoingBatch
from moldau.client.record_metadata import RecordMetadata, metadata_of


class AsyncDelivery(msgspec.Struct, gc=False):
    """`await` it for the record's place in the log, or for the error that kept it out."""

    batch: OutgoingBatch
    index: int
    timestamp_ms: int

    @property
    def done(self) -> bool:
        """Whether the record's fate is known."""
        return self.batch.settled

    async def result(self) -> RecordMetadata:
        """The record's place in the log; raises what kept it out. Its batch need not linger any longer."""
        batch = self.batch
        if not batch.settled:
            await batch.owner.settlement(batch)
        return metadata_of(batch, self.index, self.timestamp_ms)

    def __await__(self) -> Generator[Any, None, RecordMetadata]:
        return self.result().__await__()


class AsyncDeliveries:
    """The deliveries of one `send_many`, kept as runs of records."""

    __slots__ = ("_runs", "_timestamp_ms")

    def __init__(self, runs: list[tuple[OutgoingBatch, int, int]], timestamp_ms: int) -> None:
        self._runs = runs
        self._timestamp_ms = timestamp_ms

    def __len__(self) -> int:
        return sum(count for _, _, count in self._runs)

    @property
    def done(self) -> bool:
        """Whether the fate of every record is known."""
        return all(batch.settled for batch, _, _ in self._runs)

    async def result(self) -> list[RecordMetadata]:
        """Every record's place in the log, in the order in which they were sent; raises the first error."""
        places: list[RecordMetadata] = []
        for batch, first, count in self._runs:
            if not batch.settled:
                await batch.owner.settlement(batch)
            for index in range(first, first + count):
                places.append(metadata_of(batch, index, self._timestamp_ms))
        return places

    def __await__(self) -> Generator[Any, None, list[RecordMetadata]]:
        return self.result().__await__()
