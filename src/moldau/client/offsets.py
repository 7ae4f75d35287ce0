"""The offsets of times (and of the two ends) of partitions: ListOffsets, asked of every leader concerned.

The fetcher, `list_offsets` and consumers with a stop use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moldau.client.cluster import Cluster
from moldau.client.errors import UnknownTopic, broker_error
from moldau.client.positions import EARLIEST, LATEST
from moldau.model import ErrorCode
from moldau.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

NAMED = {"earliest": EARLIEST, "latest": LATEST}


def time_of(when: str | int) -> int:
    """What ListOffsets calls it: a timestamp in milliseconds, 'earliest' or 'latest'."""
    if isinstance(when, bool) or not isinstance(when, int | str):
        raise TypeError(f"a time is 'earliest', 'latest' or milliseconds since 1970, not {when!r}")
    if isinstance(when, int):
        if when < 0:
            raise ValueError(f"a timestamp is at least 0, not {when}")
        return when
    if when not in NAMED:
        raise ValueError(f"a time is 'earliest', 'latest' or milliseconds since 1970, not {when!r}")
    return NAMED[when]


async def offsets_at(cluster: Cluster, topic: str, when: str | int, partitions: Sequence[int] | None) -> dict[int, int]:
    """The offsets of one time in some or all partitions of a topic."""
    known = await cluster.topic(topic)
    indexes = range(len(known.partitions)) if partitions is None else sorted(dict.fromkeys(partitions))
    return await find_offsets(cluster, topic, dict.fromkeys(indexes, time_of(when)))


async def find_offsets(
    cluster: Cluster, topic: str, times: Mapping[int, int], isolation: str = "read_uncommitted"
) -> dict[int, int]:
    """The offset of each partition's time; -1 where no record is as late."""
    await cluster.topic(topic)
    found: dict[int, int] = {}

    async def attempt() -> None:
        for leader, indexes in _by_leader(cluster, topic, [index for index in times if index not in found]).items():
            partitions = [
                ListOffsetsPartition(partition_index=index, current_leader_epoch=epoch, timestamp=times[index])
                for index, epoch in indexes
            ]
            request = ListOffsetsRequest(
                replica_id=-1,
                isolation_level=int(isolation == "read_committed"),
                topics=[ListOffsetsTopic(name=topic, partitions=partitions)],
                timeout_ms=round(cluster.settings.request_timeout * 1000),
            )
            answer: ListOffsetsResponse = await cluster.call_node(leader, request)
            _take_in(topic, answer, found)

    async def attempt_afresh() -> None:
        try:
            await attempt()
        except Exception:
            cluster.stale()
            raise

    await cluster.retrying(f"find offsets of {topic!r}", attempt_afresh)
    return {index: found[index] for index in times}


def _by_leader(cluster: Cluster, topic: str, indexes: list[int]) -> dict[int, list[tuple[int, int]]]:
    known = cluster.topology.topics.get(topic)
    if known is None:
        raise broker_error(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"topic {topic!r} is gone")
    by_leader: dict[int, list[tuple[int, int]]] = {}
    for index in indexes:
        if not 0 <= index < len(known.partitions):
            raise UnknownTopic(
                f"topic {topic!r} has partitions 0 to {len(known.partitions) - 1}, not {index}",
                ErrorCode.INVALID_PARTITIONS,
            )
        partition = known.partitions[index]
        if partition.leader < 0:
            raise broker_error(ErrorCode.LEADER_NOT_AVAILABLE, f"{topic}-{index} has no leader")
        by_leader.setdefault(partition.leader, []).append((index, partition.leader_epoch))
    return by_leader


def _take_in(topic: str, answer: ListOffsetsResponse, found: dict[int, int]) -> None:
    for described in answer.topics:
        for partition in described.partitions:
            if partition.error_code:
                where = f"finding an offset of {topic}-{partition.partition_index}"
                raise broker_error(partition.error_code, where)
            found[partition.partition_index] = partition.offset
