"""Which brokers hold new partitions. Used by `create_topics` and `create_partitions`.

Brokers are taken in turn, racks alternating, each partition starting one further than the last, so leaders and
replicas spread evenly over brokers and racks. Where a topic starts depends on how many topics there are, not on chance;
where it goes on, on the leader of its last partition.
"""

from __future__ import annotations

from collections.abc import Sequence

from moldau.metadata import Broker
from moldau.model import ApiError, ErrorCode


def place(brokers: Sequence[Broker], partitions: int, replication_factor: int, start: int) -> list[list[int]]:
    """The replicas of each partition, the preferred leader first."""
    if replication_factor > len(brokers):
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"{replication_factor} replicas need as many brokers, and there are {len(brokers)}: "
            "ask for fewer replicas or start more brokers",
        )
    ring = _alternating(brokers)
    count = len(ring)
    placed = []
    for index in range(partitions):
        first = start + index
        shift = first // count  # followers move on with every round, so that no two brokers share all they hold
        followers = [ring[(first + 1 + (shift + step) % (count - 1)) % count] for step in range(replication_factor - 1)]
        placed.append([ring[first % count], *followers])
    return placed


def start_after(brokers: Sequence[Broker], leader: int, partitions: int) -> int:
    """Where to start so that a topic of this many partitions, the last one led by `leader`, goes on in turn."""
    ring = _alternating(brokers)
    if leader not in ring:
        return partitions
    rounds = partitions // len(ring)
    return rounds * len(ring) + ring.index(leader) + 1


def _alternating(brokers: Sequence[Broker]) -> list[int]:
    """Broker ids with the racks taking turns."""
    racks: dict[str, list[int]] = {}
    for broker in brokers:
        racks.setdefault(broker.rack or "", []).append(broker.id)
    queues = [racks[rack] for rack in sorted(racks)]
    ring: list[int] = []
    for turn in range(max(map(len, queues), default=0)):
        ring += [queue[turn] for queue in queues if turn < len(queue)]
    return ring
