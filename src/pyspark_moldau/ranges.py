"""Which offsets one read covers and how they are shared out among Spark's tasks. Pure arithmetic.

Offsets travel as Spark's Kafka source writes them: {"topic": {"0": 12}}. Everything here is a function of its
arguments alone, because a micro-batch that is repeated has to be cut the same way (I1).

I1  The same start, end and settings give the same tasks in the same order.
I2  The ranges of all tasks together are exactly [start, end), each offset once.
I3  Without `minPartitions` one topic-partition is read by one task, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

JsonOffsets = dict[str, dict[str, int]]
Offsets = dict[tuple[str, int], int]

ROWS_PER_TASK = 20_000
"""Below this a task costs more to start than to run, so small ranges share one."""


class Range(NamedTuple):
    """Records [start, end) of one topic-partition."""

    topic: str
    partition: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class DataLoss:
    """A partition whose records are gone before they were read."""

    topic: str
    partition: int
    wanted: int
    reason: str

    def __str__(self) -> str:
        return (
            f"records of {self.topic}-{self.partition} from offset {self.wanted} on are lost: {self.reason}. "
            "Set failOnDataLoss to false to go on with what is left, or delete the checkpoint to start anew"
        )


def to_json(offsets: Mapping[tuple[str, int], int]) -> JsonOffsets:
    """As Spark keeps it in a checkpoint; in order, so that equal offsets are equal text."""
    written: JsonOffsets = {}
    for topic, partition in sorted(offsets):
        written.setdefault(topic, {})[str(partition)] = offsets[topic, partition]
    return written


def from_json(written: Mapping[str, Mapping[str, int]]) -> Offsets:
    """The reverse of `to_json`."""
    return {
        (topic, int(partition)): offset
        for topic, partitions in written.items()
        for partition, offset in partitions.items()
    }


def between(start: Offsets, end: Offsets) -> list[Range]:
    """What is to be read, without empty ranges; a partition that is new in `end` is read from its first record."""
    found = [
        Range(topic, partition, start.get((topic, partition), 0), end[topic, partition])
        for topic, partition in sorted(end)
    ]
    return [piece for piece in found if piece.size > 0]


def limited(start: Offsets, latest: Offsets, most: int) -> Offsets:
    """Ends that take at most `most` records, shared out in proportion to what waits in each partition."""
    waiting = {key: max(0, latest[key] - start.get(key, 0)) for key in sorted(latest)}
    total = sum(waiting.values())
    if total <= most:
        return latest
    shares = {key: size * most // total for key, size in waiting.items()}
    # What the rounding left over goes to the largest remainders, ties in order of name: all of `most` is used.
    by_remainder = sorted(waiting, key=lambda key: (-(waiting[key] * most % total), key))
    for key in by_remainder[: most - sum(shares.values())]:
        shares[key] += 1
    return {key: start.get(key, 0) + shares[key] for key in waiting}


def tasks(ranges: list[Range], min_partitions: int) -> list[list[Range]]:
    """The ranges of each Spark task."""
    total = sum(piece.size for piece in ranges)
    if min_partitions > len(ranges):
        return _cut(ranges, total, min(min_partitions, total))
    return _packed(ranges, total, max(min_partitions, min(len(ranges), -(-total // ROWS_PER_TASK))))


def _packed(ranges: list[Range], total: int, count: int) -> list[list[Range]]:
    """Whole ranges, largest first, each into the task that has least to do (I3)."""
    packs: list[list[Range]] = [[] for _ in range(count)]
    loads = [0] * count
    for piece in sorted(ranges, key=lambda piece: (-piece.size, piece)):
        lightest = loads.index(min(loads))
        packs[lightest].append(piece)
        loads[lightest] += piece.size
    assert sum(loads) == total, "I2"
    return [sorted(pack) for pack in packs if pack]


def _cut(ranges: list[Range], total: int, count: int) -> list[list[Range]]:
    """All ranges laid end to end and cut into `count` pieces of equal length (give or take one record)."""
    packs: list[list[Range]] = []
    waiting = list(reversed(ranges))
    done = 0
    for index in range(count):
        room = total * (index + 1) // count - done
        done += room
        pack: list[Range] = []
        while room > 0:
            piece = waiting.pop()
            taken = min(room, piece.size)
            pack.append(piece._replace(end=piece.start + taken))
            if taken < piece.size:
                waiting.append(piece._replace(start=piece.start + taken))
            room -= taken
        packs.append(pack)
    assert (len(waiting), done) == (0, total), "I2"
    return packs
