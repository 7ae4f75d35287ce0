"""ListOffsets 1-11: the earliest and latest offset, the one of the greatest timestamp, and the first from a time on."""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.model import NO_EPOCH, ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from moldau.replication import Partition

API = ApiKey.LIST_OFFSETS

LATEST = -1
EARLIEST = -2
GREATEST_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

NOTHING = -1
WITH_EPOCH = 4


def handle(request: ListOffsetsRequest, call: Call) -> ListOffsetsResponse:
    hosting = call.node.hosting
    response = ListOffsetsResponse()
    for topic in request.topics:
        answers = []
        for wanted in topic.partitions:
            try:
                partition = hosting.partition(topic.name, wanted.partition_index)
                answers.append(_look_up(partition, wanted, call.version))
            except ApiError as refused:
                answers.append(_refused(wanted, refused.code))
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response


def failed(request: ListOffsetsRequest, code: ErrorCode) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name, partitions=[_refused(wanted, code) for wanted in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _look_up(partition: Partition, wanted: ListOffsetsPartition, version: int) -> ListOffsetsPartitionResponse:
    error = partition.check_epoch(wanted.current_leader_epoch)
    if error:
        raise ApiError(error)
    offset, timestamp = _position(partition, wanted.timestamp)
    return ListOffsetsPartitionResponse(
        partition_index=wanted.partition_index,
        offset=offset,
        timestamp=timestamp,
        leader_epoch=partition.leader_epoch if offset >= 0 and version >= WITH_EPOCH else NO_EPOCH,
    )


def _position(partition: Partition, timestamp: int) -> tuple[int, int]:
    """Offset and timestamp; both -1 when there is no such record."""
    log = partition.log
    if timestamp == LATEST:
        return partition.high_watermark, NOTHING
    if timestamp in (EARLIEST, EARLIEST_LOCAL, EARLIEST_PENDING_UPLOAD):
        return log.start_offset, NOTHING
    if timestamp == LATEST_TIERED:
        return NOTHING, NOTHING
    if timestamp == GREATEST_TIMESTAMP:
        found = log.offset_for_timestamp(log.greatest_timestamp)
    elif timestamp >= 0:
        found = log.offset_for_timestamp(timestamp)
    else:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"timestamp {timestamp} asks for nothing that is known")
    return found if found is not None and found[0] < partition.high_watermark else (NOTHING, NOTHING)


def _refused(wanted: ListOffsetsPartition, code: ErrorCode) -> ListOffsetsPartitionResponse:
    return ListOffsetsPartitionResponse(partition_index=wanted.partition_index, error_code=code)
