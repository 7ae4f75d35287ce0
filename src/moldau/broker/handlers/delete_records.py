"""DeleteRecords 0-2: a partition begins at a later offset from now on; the answer says at which.

Offset -1 stands for the high watermark. It is answered once the new start outlasts a crash, however long the disk
takes: the timeout of the request is for replicas to follow, and there are none yet. Each partition fails by itself.
"""

from __future__ import annotations

from functools import partial

from moldau.broker.call import PARKED, Call, Outcome
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from moldau.replication import Partition

API = ApiKey.DELETE_RECORDS

NO_WATERMARK = -1


class _Waiting:
    """A request some of whose partitions have not written their new start down yet."""

    __slots__ = ("call", "missing", "response")

    def __init__(self, call: Call, response: DeleteRecordsResponse) -> None:
        self.call = call
        self.response = response
        self.missing = 0

    def settled(self, partition: Partition, result: DeleteRecordsPartitionResult, code: ErrorCode) -> None:
        if code:
            result.error_code = code
        else:
            result.low_watermark = partition.log.start_offset
        self.missing -= 1
        if not self.missing:
            self.call.answer(self.response)


def handle(request: DeleteRecordsRequest, call: Call) -> DeleteRecordsResponse | Outcome:
    response = DeleteRecordsResponse()
    waiting = _Waiting(call, response)
    for topic in request.topics:
        results = [_refused(wanted, ErrorCode.NONE) for wanted in topic.partitions]
        for wanted, result in zip(topic.partitions, results, strict=True):
            try:
                _begin(topic.name, wanted, result, waiting)
            except ApiError as refused:
                result.error_code = refused.code
        response.topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=results))
    if waiting.missing:
        call.park()
        return PARKED
    return response


def failed(request: DeleteRecordsRequest, code: ErrorCode) -> DeleteRecordsResponse:
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=topic.name, partitions=[_refused(wanted, code) for wanted in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _begin(name: str, wanted: DeleteRecordsPartition, result: DeleteRecordsPartitionResult, waiting: _Waiting) -> None:
    node = waiting.call.node
    partition = node.hosting.partition(name, wanted.partition_index)
    topic = node.hosting.by_name[name]
    node.retention.delete_before(topic, partition, wanted.offset, partial(waiting.settled, partition, result))
    waiting.missing += 1


def _refused(wanted: DeleteRecordsPartition, code: ErrorCode) -> DeleteRecordsPartitionResult:
    return DeleteRecordsPartitionResult(
        partition_index=wanted.partition_index, low_watermark=NO_WATERMARK, error_code=code
    )
