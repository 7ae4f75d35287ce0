"""DescribeProducers 0: the producers that a partition remembers, and where the open transaction of each began."""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.controller.topic_names import fault
from moldau.model import NO_SEQUENCE, ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from moldau.replication import Partition
from moldau.storage import Producer

API = ApiKey.DESCRIBE_PRODUCERS


def handle(request: DescribeProducersRequest, call: Call) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name, partitions=[_describe(topic.name, index, call) for index in topic.partition_indexes]
            )
            for topic in request.topics
        ]
    )


def failed(request: DescribeProducersRequest, code: ErrorCode) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(name=topic.name, partitions=[_refused(index, code) for index in topic.partition_indexes])
            for topic in request.topics
        ]
    )


def _describe(name: str, index: int, call: Call) -> PartitionResponse:
    wrong = fault(name)
    if wrong is not None:
        return _refused(index, ErrorCode.INVALID_TOPIC_EXCEPTION, wrong)
    try:
        partition = call.node.hosting.partition(name, index)
    except ApiError as refused:
        return _refused(index, refused.code, refused.message)
    return PartitionResponse(partition_index=index, active_producers=_producers(partition))


def _producers(partition: Partition) -> list[ProducerState]:
    """By id."""
    return [_state(number, producer) for number, producer in sorted(partition.log.producers, key=lambda one: one[0])]


def _state(producer_id: int, producer: Producer) -> ProducerState:
    return ProducerState(
        producer_id=producer_id,
        producer_epoch=producer.epoch,
        last_sequence=producer.batches[-1].last_sequence if producer.batches else NO_SEQUENCE,
        last_timestamp=producer.timestamp,
        coordinator_epoch=producer.coordinator_epoch,
        current_txn_start_offset=producer.transaction_start,
    )


def _refused(index: int, code: ErrorCode, message: str | None = None) -> PartitionResponse:
    return PartitionResponse(partition_index=index, error_code=code, error_message=message)
