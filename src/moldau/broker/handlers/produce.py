"""Produce 3-13: check the batches, append them, answer when they are as safe as the client asked for.

acks=-1 is answered once the high watermark has passed the last record, acks=1 once the leader has appended.
acks=0 is not answered; as in Kafka an error closes the connection, which is the only way to tell. From version 13
topics are named by their ids. Each partition fails by itself. Batches of transactions are refused.

Plain functions on the hottest path of a broker: nothing is made that one request does not need. The record bytes are
a view of the receive buffer and are written before `handle` returns.
"""

from __future__ import annotations

from collections.abc import Sequence

from moldau.broker.call import HANG_UP, NO_ANSWER, PARKED, Call, Outcome
from moldau.broker.hosting import HostedTopic
from moldau.broker.node import Node
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from moldau.records import MAX_DECOMPRESSED_BYTES, BatchHeader, InvalidBatch, RecordError, validate
from moldau.replication import Partition

API = ApiKey.PRODUCE

ALL = -1
NONE = 0
WITH_LEADER = 10

_LONGEST_WAIT_MS = 10 * 60_000


class _Waiting:
    """A request some of whose partitions are not committed yet."""

    __slots__ = ("call", "missing", "response")

    def __init__(self, call: Call, response: ProduceResponse) -> None:
        self.call = call
        self.response = response
        self.missing = 0

    def committed(self) -> None:
        self.missing -= 1
        if not self.missing:
            self.call.answer(self.response)


class _Commit:
    """One partition of such a request."""

    __slots__ = ("_answer", "_waiting")

    def __init__(self, waiting: _Waiting, answer: PartitionProduceResponse) -> None:
        self._waiting = waiting
        self._answer = answer

    def __call__(self, code: ErrorCode) -> None:
        if code:
            _refuse(self._answer, code, None)
        self._waiting.committed()


def handle(request: ProduceRequest, call: Call) -> ProduceResponse | Outcome:
    node = call.node
    acks = request.acks
    response = ProduceResponse(responses=[])
    waiting: _Waiting | None = None
    failure = False
    for topic_data in request.topic_data:
        topic = _topic(node, topic_data, call.version)
        answers: list[PartitionProduceResponse] = []
        response.responses.append(
            TopicProduceResponse(name=topic_data.name, topic_id=topic_data.topic_id, partition_responses=answers)
        )
        for data in topic_data.partition_data:
            answer = PartitionProduceResponse(index=data.index)
            answers.append(answer)
            try:
                partition = _partition(topic, data.index, request)
                last_offset = _append(node, topic, partition, data, answer, acks)  # type: ignore[arg-type]
                if acks == ALL and last_offset >= partition.high_watermark:
                    if waiting is None:
                        waiting = _Waiting(call, response)
                    deadline_ms = node.clock.monotonic_ms() + min(max(request.timeout_ms, 0), _LONGEST_WAIT_MS)
                    if partition.await_committed(last_offset, deadline_ms, _Commit(waiting, answer)) is not None:
                        waiting.missing += 1
            except ApiError as refused:
                failure = True
                _refuse(answer, refused.code, refused.message, getattr(refused, "record_errors", ()))
                if refused.code is ErrorCode.NOT_LEADER_OR_FOLLOWER and call.version >= WITH_LEADER:
                    answer.current_leader = _leader(node, topic, data.index)
    if acks == NONE:
        return HANG_UP if failure else NO_ANSWER
    if waiting is not None and waiting.missing:
        call.park()
        return PARKED
    return response


def failed(request: ProduceRequest, code: ErrorCode) -> ProduceResponse | Outcome:
    if request.acks == NONE:
        return HANG_UP
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    PartitionProduceResponse(index=data.index, error_code=code, base_offset=-1)
                    for data in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )


def _topic(node: Node, data: TopicProduceData, version: int) -> HostedTopic | ErrorCode:
    if version >= 13:
        return node.hosting.by_id.get(data.topic_id) or ErrorCode.UNKNOWN_TOPIC_ID
    return node.hosting.by_name.get(data.name) or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _partition(topic: HostedTopic | ErrorCode, index: int, request: ProduceRequest) -> Partition:
    if isinstance(topic, ErrorCode):
        raise ApiError(topic)
    partition = topic.partitions.get(index)
    if partition is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if request.transactional_id is not None:
        raise ApiError(ErrorCode.INVALID_TXN_STATE, "this broker has no transactions")
    return partition


def _append(
    node: Node,
    topic: HostedTopic,
    partition: Partition,
    data: PartitionProduceData,
    answer: PartitionProduceResponse,
    acks: int,
) -> int:
    """Append and say so in the answer; the last offset."""
    records = data.records
    if not isinstance(records, memoryview) or not records:
        raise InvalidBatch(ErrorCode.INVALID_RECORD, "there is no record batch")
    settings = topic.settings
    headers = validate(
        records,
        max_batch_bytes=settings.max_message_bytes,
        max_decompressed_bytes=MAX_DECOMPRESSED_BYTES,
        require_keys=settings.compacted,
    )
    for header in headers:
        if header.attributes & _UNWANTED:
            _refuse_kind(header)
    if not settings.append_time:
        _check_times(node, topic, headers)
    appended = partition.append(records, headers, acks)
    answer.base_offset = appended.base_offset
    answer.log_append_time_ms = appended.append_time_ms
    answer.log_start_offset = appended.log_start_offset
    node.produced_bytes.value += len(records)
    node.produced_batches.value += len(headers)
    return appended.last_offset


_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_UNWANTED = _TRANSACTIONAL | _CONTROL


def _refuse_kind(header: BatchHeader) -> None:
    if header.attributes & _CONTROL:
        raise InvalidBatch(ErrorCode.INVALID_RECORD, "clients may not write control batches")
    raise ApiError(ErrorCode.INVALID_TXN_STATE, "this broker has no transactions")


def _check_times(node: Node, topic: HostedTopic, headers: Sequence[BatchHeader]) -> None:
    now_ms = node.clock.wall_ms()
    latest = now_ms + topic.settings.timestamp_after_max_ms
    earliest = now_ms - topic.settings.timestamp_before_max_ms
    for header in headers:
        if header.max_timestamp > latest or (header.base_timestamp < earliest and header.base_timestamp >= 0):
            raise InvalidBatch(
                ErrorCode.INVALID_TIMESTAMP,
                f"timestamps {header.base_timestamp} to {header.max_timestamp} are not within {earliest} to {latest}, "
                f"what message.timestamp.before.max.ms and message.timestamp.after.max.ms of {topic.name} allow",
            )


def _refuse(
    answer: PartitionProduceResponse, code: ErrorCode, message: str | None, errors: Sequence[RecordError] = ()
) -> None:
    answer.error_code = code
    answer.error_message = message
    answer.base_offset = -1
    answer.log_append_time_ms = -1
    answer.log_start_offset = -1
    answer.record_errors = [
        BatchIndexAndErrorMessage(batch_index=error.batch_index, batch_index_error_message=error.message)
        for error in errors
    ]


def _leader(node: Node, topic: HostedTopic | ErrorCode, index: int) -> LeaderIdAndEpoch:
    if isinstance(topic, ErrorCode):
        return LeaderIdAndEpoch()
    leader_id, leader_epoch = node.leader_of(topic.id, index)
    return LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
