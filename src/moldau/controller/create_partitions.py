"""CreatePartitions (versions 0 to 3): topics get more partitions, placed or as told. There are never fewer again.

Every topic of the request stands or falls by itself. With `validate_only` all is checked and nothing made. A new
partition has as many replicas as the topic's first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moldau.controller.assignments import check_assignment, new_partition
from moldau.controller.limits import MAX_PARTITIONS_PER_REQUEST, MAX_TOPICS_PER_REQUEST
from moldau.controller.outcome import Outcome
from moldau.controller.placement import place, start_after
from moldau.metadata import Image, Topic
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from moldau.protocol.tables import Top


def create_partitions(request: CreatePartitionsRequest, image: Image) -> Outcome[CreatePartitionsResponse]:
    """Records for every topic that can grow, and for each topic of the request what became of it."""
    if len(request.topics) > MAX_TOPICS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION, f"{len(request.topics)} topics in one request: ask for {MAX_TOPICS_PER_REQUEST}"
        )
    excess = sum(_additional(topic, image) for topic in request.topics) > MAX_PARTITIONS_PER_REQUEST
    counts = Counter(topic.name for topic in request.topics)
    records: list[Top] = []
    results = [
        _result(name, ErrorCode.INVALID_REQUEST, "the request names this topic twice: name each once")
        for name, count in counts.items()
        if count > 1
    ]
    for wanted in request.topics:
        if counts[wanted.name] > 1:
            continue
        try:
            if excess:
                raise ApiError(
                    ErrorCode.POLICY_VIOLATION,
                    f"the request asks for too many partitions: {MAX_PARTITIONS_PER_REQUEST} can be made at once",
                )
            records += _grow(wanted, image)
        except ApiError as refused:
            results.append(_result(wanted.name, refused.code, refused.message))
        else:
            results.append(_result(wanted.name, ErrorCode.NONE, None))
    return Outcome(() if request.validate_only else tuple(records), CreatePartitionsResponse(results=results))


def _additional(wanted: CreatePartitionsTopic, image: Image) -> int:
    topic = image.topics_by_name.get(wanted.name)
    return 0 if topic is None else max(0, wanted.count - len(topic.partitions))


def _result(name: str, code: ErrorCode, message: str | None) -> CreatePartitionsTopicResult:
    return CreatePartitionsTopicResult(name=name, error_code=code, error_message=message)


def _grow(wanted: CreatePartitionsTopic, image: Image) -> list[Top]:
    topic = image.topics_by_name.get(wanted.name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic '{wanted.name}'")
    existing = len(topic.partitions)
    if wanted.count <= existing:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"the topic has {existing} partitions, and {wanted.count} are no more: "
            f"ask for {existing + 1} or more in all",
        )
    additional = wanted.count - existing
    if wanted.assignments is None:
        placed = _placed(topic, additional, image)
    else:
        placed = _assigned(topic, additional, wanted.assignments, image)
    return [new_partition(image, topic.id, existing + index, replicas) for index, replicas in enumerate(placed)]


def _placed(topic: Topic, additional: int, image: Image) -> list[list[int]]:
    brokers = image.active_brokers()
    start = start_after(brokers, topic.partitions[-1].replicas[0], len(topic.partitions))
    return place(brokers, additional, len(topic.partitions[0].replicas), start)


def _assigned(
    topic: Topic, additional: int, assignments: Sequence[CreatePartitionsAssignment], image: Image
) -> list[list[int]]:
    if len(assignments) != additional:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{additional} partitions are new, and {len(assignments)} are assigned: "
            "assign each new one, or leave the assignments out",
        )
    for index, assignment in enumerate(assignments, len(topic.partitions)):
        check_assignment(index, assignment.broker_ids, len(topic.partitions[0].replicas), image)
    return [assignment.broker_ids for assignment in assignments]
