"""DescribeLogDirs 1-5: this broker's log directory, the size of every partition asked for, and the room that is left.

Partitions that are not here are left out. How much room there is waits for the disk, so it is asked for off the loop.
"""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from moldau.replication import Partition
from moldau.storage import Room

API = ApiKey.DESCRIBE_LOG_DIRS


def handle(request: DescribeLogDirsRequest, call: Call) -> Outcome:
    node = call.node
    call.park()

    def measured(room: Room | None, error: BaseException | None) -> None:
        if room is None:
            node.journal.tell("unmeasured", f"the room in {node.directory.path} could not be found out: {error}")
        call.answer(_answer(request, call, room))

    node.offload.submit(node.directory.room, measured)
    return PARKED


def failed(request: DescribeLogDirsRequest, code: ErrorCode) -> DescribeLogDirsResponse:
    return DescribeLogDirsResponse(error_code=code)


def _answer(request: DescribeLogDirsRequest, call: Call, room: Room | None) -> DescribeLogDirsResponse:
    directory = call.node.directory
    if room is None or directory.health.error is not None:
        result = DescribeLogDirsResult(error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=directory.path)
    else:
        result = DescribeLogDirsResult(
            log_dir=directory.path,
            topics=_topics(request, call),
            total_bytes=room.total_bytes,
            usable_bytes=room.usable_bytes,
        )
    return DescribeLogDirsResponse(results=[result])


def _topics(request: DescribeLogDirsRequest, call: Call) -> list[DescribeLogDirsTopic]:
    """By name, then by index; null asks for everything."""
    hosted = call.node.hosting.by_name
    if request.topics is None:
        wanted = {name: sorted(topic.partitions) for name, topic in hosted.items()}
    else:
        wanted = {}
        for topic in request.topics:
            here = hosted[topic.topic].partitions if topic.topic in hosted else {}
            both = {*wanted.get(topic.topic, ()), *topic.partitions}
            wanted[topic.topic] = sorted(index for index in both if index in here)
    return [
        DescribeLogDirsTopic(
            name=name, partitions=[_partition(hosted[name].partitions[index]) for index in wanted[name]]
        )
        for name in sorted(wanted)
        if wanted[name]
    ]


def _partition(partition: Partition) -> DescribeLogDirsPartition:
    """The leader's own log lags behind nobody's."""
    return DescribeLogDirsPartition(partition_index=partition.index, partition_size=partition.log.size)
