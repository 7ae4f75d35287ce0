"""DescribeTopicPartitions 0: topics and their partitions page by page, with the replicas that may become leaders.

Topics are answered in the order of their names, all of them when none is asked for. A page holds as many partitions as
the request allows, or `max.request.partition.size.limit` when that is less, and at least one; its cursor says where the
next page begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from moldau.broker.call import Call
from moldau.broker.handlers.metadata import ALL_TOPIC_OPERATIONS, INTERNAL_TOPICS, offline_replicas
from moldau.controller.topic_names import fault
from moldau.metadata import NO_LEADER, Image, PartitionState, Topic
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

API = ApiKey.DESCRIBE_TOPIC_PARTITIONS
MEMOISED = True


def handle(request: DescribeTopicPartitionsRequest, call: Call) -> DescribeTopicPartitionsResponse:
    image, start = call.node.image, request.cursor
    asked = sorted({topic.name for topic in request.topics})
    if start is not None and (start.partition_index < 0 or (asked and start.topic_name not in asked)):
        return failed(request, ErrorCode.INVALID_REQUEST)
    names = asked or sorted(image.topics_by_name)
    if start is not None:
        names = [name for name in names if name >= start.topic_name]
    most = max(1, min(request.response_partition_limit, call.node.settings.max_request_partitions))
    return _page(image, names, start, most)


def failed(request: DescribeTopicPartitionsRequest, code: ErrorCode) -> DescribeTopicPartitionsResponse:
    """The code beside each topic asked for, or beside the cursor's, since the answer has no other place for it."""
    names = [topic.name for topic in request.topics]
    if not names and request.cursor is not None:
        names = [request.cursor.topic_name]
    return DescribeTopicPartitionsResponse(topics=[_refused(name, code) for name in names])


def _page(image: Image, names: Sequence[str], start: Cursor | None, most: int) -> DescribeTopicPartitionsResponse:
    response = DescribeTopicPartitionsResponse()
    for name in names:
        if most == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=0)
            break
        topic = image.topics_by_name.get(name)
        if topic is None:
            response.topics.append(_refused(name, _code_of_missing(name)))
            continue
        first = start.partition_index if start is not None and start.topic_name == name else 0
        end = min(first + most, len(topic.partitions))
        response.topics.append(_topic(image, topic, range(first, end)))
        if end < len(topic.partitions):
            response.next_cursor = Cursor(topic_name=name, partition_index=end)
            break
        most -= max(0, end - first)
    return response


def _code_of_missing(name: str) -> ErrorCode:
    return ErrorCode.INVALID_TOPIC_EXCEPTION if fault(name) else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _topic(image: Image, topic: Topic, indexes: range) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=[_partition(image, index, topic.partitions[index]) for index in indexes],
        topic_authorized_operations=ALL_TOPIC_OPERATIONS,
    )


def _partition(image: Image, index: int, state: PartitionState) -> DescribeTopicPartitionsResponsePartition:
    return DescribeTopicPartitionsResponsePartition(
        error_code=ErrorCode.LEADER_NOT_AVAILABLE if state.leader == NO_LEADER else ErrorCode.NONE,
        partition_index=index,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        replica_nodes=list(state.replicas),
        isr_nodes=list(state.isr),
        eligible_leader_replicas=list(state.elr),
        last_known_elr=list(state.last_known_elr),
        offline_replicas=offline_replicas(image, state),
    )


def _refused(name: str, code: ErrorCode) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(error_code=code, name=name)
