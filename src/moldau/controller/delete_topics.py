"""DeleteTopics (versions 1 to 6): topics by name or, from version 6 on, by id. Each stands or falls by itself."""

from __future__ import annotations

from collections import Counter

from moldau.controller.limits import MAX_TOPICS_PER_REQUEST
from moldau.controller.outcome import Outcome
from moldau.metadata import Image, Topic
from moldau.model import ApiError, ErrorCode, format_uuid
from moldau.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from moldau.protocol.messages.metadata_records import RemoveTopicRecord
from moldau.protocol.tables import ZERO_UUID, Top


def delete_topics(request: DeleteTopicsRequest, image: Image, *, enabled: bool = True) -> Outcome[DeleteTopicsResponse]:
    """A record for every topic that goes, and for each topic of the request what became of it."""
    wanted = request.topics or [DeleteTopicState(name=name) for name in request.topic_names]
    if len(wanted) > MAX_TOPICS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION, f"{len(wanted)} topics in one request: ask for {MAX_TOPICS_PER_REQUEST}"
        )
    found = Counter(topic.id for state in wanted if (topic := _find(state.name, state.topic_id, image)) is not None)
    records: list[Top] = []
    results: list[DeletableTopicResult] = []
    for name, topic_id in dict.fromkeys((state.name, state.topic_id) for state in wanted):
        try:
            topic = _resolve(name, topic_id, image, enabled)
            if found[topic.id] > 1:
                named = "ID" if name is None else "name"
                raise ApiError(ErrorCode.INVALID_REQUEST, f"the request names {named} twice: name each topic once")
        except ApiError as refused:
            results.append(
                DeletableTopicResult(
                    name=name, topic_id=topic_id, error_code=refused.code, error_message=refused.message
                )
            )
        else:
            records.append(RemoveTopicRecord(topic_id=topic.id))
            results.append(DeletableTopicResult(name=topic.name, topic_id=topic.id))
    return Outcome(tuple(records), DeleteTopicsResponse(responses=results))


def _find(name: str | None, topic_id: bytes, image: Image) -> Topic | None:
    return image.topics_by_id.get(topic_id) if name is None else image.topics_by_name.get(name)


def _resolve(name: str | None, topic_id: bytes, image: Image, enabled: bool) -> Topic:
    if not enabled:
        raise ApiError(
            ErrorCode.TOPIC_DELETION_DISABLED, "topics cannot be deleted here: set delete.topic.enable=true to allow it"
        )
    if name is not None and topic_id != ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "the request gives a name and an id for one topic: give one of them")
    if name is None and topic_id == ZERO_UUID:
        raise ApiError(ErrorCode.INVALID_REQUEST, "the request gives neither name nor id of a topic: give one of them")
    topic = _find(name, topic_id, image)
    if topic is not None:
        return topic
    if name is not None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic '{name}'")
    raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, f"there is no topic of the id {format_uuid(topic_id)}")
