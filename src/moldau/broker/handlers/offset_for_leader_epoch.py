"""OffsetForLeaderEpoch 2-4: where a leader epoch ended, so that a consumer or a follower finds where its log parts.

The replica id of version 3 on says who asks; whoever it is, only the leader answers.
"""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from moldau.replication import Partition

API = ApiKey.OFFSET_FOR_LEADER_EPOCH


def handle(request: OffsetForLeaderEpochRequest, call: Call) -> OffsetForLeaderEpochResponse:
    hosting = call.node.hosting
    response = OffsetForLeaderEpochResponse()
    for topic in request.topics:
        answers = []
        for wanted in topic.partitions:
            try:
                answers.append(_look_up(hosting.partition(topic.topic, wanted.partition), wanted))
            except ApiError as refused:
                answers.append(_refused(wanted, refused.code))
        response.topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=answers))
    return response


def failed(request: OffsetForLeaderEpochRequest, code: ErrorCode) -> OffsetForLeaderEpochResponse:
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic, partitions=[_refused(wanted, code) for wanted in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _look_up(partition: Partition, wanted: OffsetForLeaderPartition) -> EpochEndOffset:
    error = partition.check_epoch(wanted.current_leader_epoch)
    if error:
        raise ApiError(error)
    epoch, end_offset = partition.epoch_end(wanted.leader_epoch)
    return EpochEndOffset(partition=wanted.partition, leader_epoch=epoch, end_offset=end_offset)


def _refused(wanted: OffsetForLeaderPartition, code: ErrorCode) -> EpochEndOffset:
    return EpochEndOffset(error_code=code, partition=wanted.partition)
