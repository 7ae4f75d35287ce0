"""ListOffsets 1-11: the earliest and latest offset, the one of the greatest timestamp, and the first from a time on."""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.broker.hosting import check_epoch
from moldau.model import ApiError, ErrorCode
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

_READ_COMMITTED = 1


def handle(request: ListOffsetsRequest, call: Call) -> ListOffsetsResponse:
    hosting = call.node.hosting
    response = ListOffsetsResponse()
    for topic in request.topics:
        answers = []
        for wanted in topic.partitions:
            try:
                partition = hosting.partition(topic.name, wanted.partition_index)
                check_epoch(partition, wanted.current_leader_epoch)
                answers.append(_look_up(partition, wanted, request.isolation_level))
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
