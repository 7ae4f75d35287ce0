"""CreateTopics (versions 2 to 7): topics with their partitions, placed or as told.

Every topic of the request stands or falls by itself. With `validate_only` all is checked and nothing made. Not done
yet: policies and quotas on partitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from moldau.controller import topic_names
from moldau.controller.assignments import check_assignment, new_partition
from moldau.controller.configs import TopicConfigs
from moldau.controller.limits import MAX_PARTITIONS_PER_REQUEST, MAX_TOPICS_PER_REQUEST, TopicDefaults
from moldau.controller.outcome import Outcome
from moldau.controller.placement import place
from moldau.metadata import Image, ResourceType
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from moldau.protocol.messages.metadata_records import ConfigRecord, TopicRecord
from moldau.protocol.tables import ZERO_UUID, Top


@dataclass(frozen=True, slots=True)
class _Topic:
    """One topic that may be made."""

    records: list[Top]
    result: CreatableTopicResult


def create_topics(
    request: CreateTopicsRequest,
    image: Image,
    *,
    new_id: Callable[[], bytes],
    configs: TopicConfigs,
    defaults: TopicDefaults,
) -> Outcome[CreateTopicsResponse]:
    """Records for every topic that can be made, and for each topic of the request what became of it."""
    if len(request.topics) > MAX_TOPICS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION, f"{len(request.topics)} topics in one request: ask for {MAX_TOPICS_PER_REQUEST}"
        )
    known = topic_names.collisions(image.topics_by_name)
    excess = sum(_partition_count(topic, defaults) for topic in request.topics) > MAX_PARTITIONS_PER_REQUEST
    counts = Counter(topic.name for topic in request.topics)
    records: list[Top] = []
    results = [
        _refusal(name, ErrorCode.INVALID_REQUEST, "the request names this topic twice: name each once")
        for name, count in counts.items()
        if count > 1
    ]
    for topic in request.topics:
        if counts[topic.name] > 1:
            continue
        try:
            if excess:
                raise ApiError(
                    ErrorCode.POLICY_VIOLATION,
                    f"the request asks for too many partitions: {MAX_PARTITIONS_PER_REQUEST} can be made at once",
                )
            _check_name(topic.name, image, known)
            made = _create(topic, image, ZERO_UUID if request.validate_only else new_id(), configs, defaults)
        except ApiError as refused:
            results.append(_refusal(topic.name, refused.code, refused.message))
        else:
            known.update(topic_names.collisions([topic.name]))
            results.append(made.result)
            records += made.records
    return Outcome(() if request.validate_only else tuple(records), CreateTopicsResponse(topics=results))


def _partition_count(topic: CreatableTopic, defaults: TopicDefaults) -> int:
    if topic.assignments:
        return len(topic.assignments)
    return defaults.num_partitions if topic.num_partitions == -1 else max(0, topic.num_partitions)


def _refusal(name: str, code: ErrorCode, message: str | None) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=code, error_message=message)


def _check_name(name: str, image: Image, known: dict[str, str]) -> None:
    if name == topic_names.CLUSTER_METADATA:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{name} is the cluster's own and cannot be made")
    fault = topic_names.fault(name)
    if fault is not None:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, fault)
    if name in image.topics_by_name:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"there is a topic '{name}' already")
    other = known.get(topic_names.metric_name(name)) if "." in name or "_" in name else None
    if other is not None:
        raise ApiError(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            f"'{name}' and the topic '{other}' would have one name in metrics, where '.' and '_' are the same: "
            "choose another",
        )


def _create(
    topic: CreatableTopic, image: Image, topic_id: bytes, configs: TopicConfigs, defaults: TopicDefaults
) -> _Topic:
    values: dict[str, str] = {}
    for config in topic.configs:
        if config.value is None:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"{config.name} has no value: give it one or leave it out")
        values[config.name] = config.value
    configs.check(values)
    placed = _assigned(topic, image) if topic.assignments else _placed(topic, image, defaults)
    records: list[Top] = [TopicRecord(name=topic.name, topic_id=topic_id)]
    records += [
        ConfigRecord(resource_type=ResourceType.TOPIC, resource_name=topic.name, name=name, value=value)
        for name, value in values.items()
    ]
    records += [new_partition(image, topic_id, index, replicas) for index, replicas in enumerate(placed)]
    result = CreatableTopicResult(
        name=topic.name,
        topic_id=topic_id,
        error_code=ErrorCode.NONE,
        error_message=None,
        num_partitions=len(placed),
        replication_factor=len(placed[0]),
        configs=configs.describe(values, image),
    )
    return _Topic(records, result)


def _placed(topic: CreatableTopic, image: Image, defaults: TopicDefaults) -> list[list[int]]:
    if topic.num_partitions == 0 or topic.num_partitions < -1:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"{topic.num_partitions} partitions cannot be: ask for 1 or more, or -1 for the default",
        )
    if topic.replication_factor == 0 or topic.replication_factor < -1:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"{topic.replication_factor} replicas cannot be: ask for 1 or more, or -1 for the default",
        )
    partitions = _partition_count(topic, defaults)
    factor = defaults.replication_factor if topic.replication_factor == -1 else topic.replication_factor
    return place(image.active_brokers(), partitions, factor, start=len(image.topics_by_name))


def _assigned(topic: CreatableTopic, image: Image) -> list[list[int]]:
    if topic.replication_factor != -1:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "the request assigns brokers and gives a replication factor too: leave the factor at -1",
        )
    if topic.num_partitions != -1:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "the request assigns brokers and gives a number of partitions too: leave the number at -1",
        )
    replicas: dict[int, list[int]] = {}
    for assignment in topic.assignments:
        if assignment.partition_index in replicas:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"partition {assignment.partition_index} is assigned twice: assign each once",
            )
        check_assignment(assignment.partition_index, assignment.broker_ids, len(topic.assignments[0].broker_ids), image)
        replicas[assignment.partition_index] = assignment.broker_ids
    if sorted(replicas) != list(range(len(replicas))):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "the assigned partitions leave gaps: number them from 0 on",
        )
    return [replicas[index] for index in range(len(replicas))]
