"""One batch of records from its first record to its fate.

The accumulator opens it and fills it, the partition queue sends it and settles it, deliveries look at how it ended.

I1  A batch settles exactly once; what it ended as never changes afterwards.
I2  Its bytes exist from its first sending to its end and change only when it gets another stamp; deliveries that
    users keep do not keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from moldau.client.errors import MoldauError
from moldau.client.sequences import UNSTAMPED, Stamp, restamp

Headers = Sequence[tuple[str, bytes | None]]

UNKNOWN_OFFSET = -1


class Builder(Protocol):
    """What a batch grows in: the records room's builder."""

    @property
    def size(self) -> int: ...

    def append(self, timestamp: int, key: bytes | None, value: bytes | None, headers: Headers = ..., /) -> bool: ...

    def finish(self, *, producer_id: int, producer_epoch: int, base_sequence: int) -> bytes: ...


class Owner(Protocol):
    """Whoever can wait for a batch: the producer that it belongs to."""

    def settlement(self, batch: OutgoingBatch, /) -> Any: ...


class OutgoingBatch:
    """Records for one partition that are sent, acknowledged or lost together."""

    __slots__ = (
        "_builder",
        "append",
        "append_time_ms",
        "attempts",
        "base_offset",
        "count",
        "data",
        "deadline_ms",
        "failure",
        "in_flight",
        "linger_until_ms",
        "owner",
        "partition",
        "seen",
        "settled",
        "size",
        "stamp",
        "topic",
        "watchers",
    )

    def __init__(
        self,
        owner: Owner,
        topic: str,
        partition: int,
        content: Builder | bytes,
        linger_until_ms: int,
        deadline_ms: int,
    ) -> None:
        self.owner = owner
        self.topic = topic
        self.partition = partition
        self._builder: Builder | None = None
        self.data: bytes | None = None
        self.append = _refuse
        """The builder's own method, one call for each record; a closed batch refuses."""
        if isinstance(content, bytes):
            self.data = content
        else:
            self._builder = content
            self.append = content.append
        self.linger_until_ms = linger_until_ms
        self.deadline_ms = deadline_ms
        self.count = 0
        self.size = 0
        self.stamp = UNSTAMPED
        self.attempts = 0
        self.in_flight = False
        self.settled = False
        self.base_offset = UNKNOWN_OFFSET
        self.append_time_ms = -1
        self.failure: MoldauError | None = None
        self.seen = 0
        """How many times a delivery has told this batch's failure."""
        self.watchers: list[Callable[[], None]] = []

    def close(self) -> int:
        """Take no more records. How many bytes of its size it gives back."""
        assert self._builder is not None
        self.append = _refuse
        spare = self.size - self._builder.size
        self.size -= spare
        return spare

    def encoded(self, stamp: Stamp) -> bytes:
        """The batch's bytes under this stamp."""
        if self.data is None:
            assert self._builder is not None
            self.data = self._builder.finish(
                producer_id=stamp.producer_id, producer_epoch=stamp.epoch, base_sequence=stamp.sequence
            )
            self._builder = None
        elif self.stamp != stamp:
            self.data = restamp(self.data, stamp)  # I2
        self.stamp = stamp
        return self.data

    def written(self, base_offset: int, append_time_ms: int) -> None:
        """The records are in the log (or nobody wanted to know)."""
        self.base_offset = base_offset
        self.append_time_ms = append_time_ms
        self._settle()

    def lost(self, failure: MoldauError) -> None:
        """The records will not be sent again."""
        self.failure = failure
        self._settle()

    def _settle(self) -> None:
        assert not self.settled  # I1
        self.settled = True
        self.data = self._builder = None
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher()


def _refuse(timestamp: int, key: bytes | None, value: bytes | None, headers: Headers = (), /) -> bool:
    return False
