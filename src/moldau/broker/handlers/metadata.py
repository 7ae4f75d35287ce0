"""Metadata 0-13: the brokers and the topics, all or those asked for by name or (from version 10) by id.

A missing topic is created when both the broker and the request allow it (from version 4; earlier versions always
do); the request then waits until it is there. The answer depends only on the request and the picture of the
cluster, so its bytes are kept until the picture changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from moldau.broker.call import PARKED, Call, Outcome
from moldau.broker.handlers.create_topics import submit
from moldau.broker.node import Node
from moldau.metadata import Image, PartitionState, Topic
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from moldau.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from moldau.protocol.tables import ZERO_UUID

API = ApiKey.METADATA
MEMOISED = True

UNKNOWN_OPERATIONS = -(2**31)
ALL_TOPIC_OPERATIONS = 0b0000_1101_1111_1000
ALL_CLUSTER_OPERATIONS = 0b0001_1111_0010_0000 | 0b1_0000_0000
INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})


def handle(request: MetadataRequest, call: Call) -> MetadataResponse | Outcome:
    node = call.node
    missing = _to_create(request, call)
    if not missing:
        return _answer(request, call, {})
    call.park()

    def created(response: CreateTopicsResponse | None, refusal: ApiError | None) -> None:
        codes = {topic.name: ErrorCode(topic.error_code) for topic in response.topics} if response is not None else {}
        if refusal is not None:
            codes = dict.fromkeys(missing, refusal.code)
        call.answer(_answer(request, call, codes))

    wanted = [CreatableTopic(name=name, num_partitions=-1, replication_factor=-1) for name in missing]
    submit(node, CreateTopicsRequest(topics=wanted), created)
    return PARKED


def failed(request: MetadataRequest, code: ErrorCode) -> MetadataResponse:
    return MetadataResponse(
        error_code=code,
        topics=[_refused(wanted, code) for wanted in request.topics or ()],
    )


def offline_replicas(image: Image, state: PartitionState) -> list[int]:
    """The replicas whose brokers do not take part."""
    brokers = image.brokers
    return [replica for replica in state.replicas if replica not in brokers or brokers[replica].fenced]


def _to_create(request: MetadataRequest, call: Call) -> list[str]:
    if not request.topics or not call.node.settings.auto_create_topics or not request.allow_auto_topic_creation:
        return []
    known = call.node.image.topics_by_name
    names = (wanted.name for wanted in request.topics if wanted.topic_id == ZERO_UUID)
    return list(dict.fromkeys(name for name in names if name is not None and name not in known))


def _answer(request: MetadataRequest, call: Call, codes: dict[str, ErrorCode]) -> MetadataResponse:
    node = call.node
    return MetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=broker.id, host=broker.host, port=broker.port, rack=broker.rack)
            for broker in node.live_brokers(call.connection.listener)
        ],
        cluster_id=node.cluster_id,
        controller_id=node.controller_id,
        topics=list(_topics(request, call, codes)),
        cluster_authorized_operations=(
            ALL_CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else UNKNOWN_OPERATIONS
        ),
    )


def _topics(request: MetadataRequest, call: Call, codes: dict[str, ErrorCode]) -> Iterable[MetadataResponseTopic]:
    image = call.node.image
    operations = ALL_TOPIC_OPERATIONS if request.include_topic_authorized_operations else UNKNOWN_OPERATIONS
    if request.topics is None or (not request.topics and call.version == 0):
        for _, topic in sorted(image.topics_by_name.items()):
            yield _topic(call.node, topic, operations)
        return
    for wanted in request.topics:
        if wanted.topic_id != ZERO_UUID:
            found = image.topics_by_id.get(wanted.topic_id)
            code = ErrorCode.UNKNOWN_TOPIC_ID
        else:
            found = image.topics_by_name.get(wanted.name or "")
            code = codes.get(wanted.name or "") or _code_of_missing(wanted.name)
        yield _topic(call.node, found, operations) if found is not None else _refused(wanted, code)


def _code_of_missing(name: str | None) -> ErrorCode:
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if name else ErrorCode.INVALID_TOPIC_EXCEPTION


def _topic(node: Node, topic: Topic, operations: int) -> MetadataResponseTopic:
    partitions = []
    for index, state in enumerate(topic.partitions):
        partitions.append(
            MetadataResponsePartition(
                error_code=ErrorCode.NONE if state.leader >= 0 else ErrorCode.LEADER_NOT_AVAILABLE,
                partition_index=index,
                leader_id=state.leader,
                leader_epoch=state.leader_epoch,
                replica_nodes=list(state.replicas),
                isr_nodes=list(state.isr),
                offline_replicas=offline_replicas(node.image, state),
            )
        )
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=partitions,
        topic_authorized_operations=operations,
    )


def _refused(wanted: MetadataRequestTopic, code: ErrorCode) -> MetadataResponseTopic:
    return MetadataResponseTopic(error_code=code, name=wanted.name, topic_id=wanted.topic_id)
