"""CreateTopics 2-7: the controller decides; the answer comes once the topics can be produced to here."""

from __future__ import annotations

from collections.abc import Callable

from moldau.broker.call import PARKED, Call, Outcome
from moldau.broker.node import Node
from moldau.controller import create_topics
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsRequest, CreateTopicsResponse

API = ApiKey.CREATE_TOPICS


def handle(request: CreateTopicsRequest, call: Call) -> Outcome:
    call.park()

    def decided(response: CreateTopicsResponse | None, refusal: ApiError | None) -> None:
        if response is not None:
            call.answer(response)
        else:
            assert refusal is not None
            call.answer(_refused(request, refusal.code, refusal.message))

    submit(call.node, request, decided)
    return PARKED


def failed(request: CreateTopicsRequest, code: ErrorCode) -> CreateTopicsResponse:
    return _refused(request, code, None)


def submit(
    node: Node, request: CreateTopicsRequest, decided: Callable[[CreateTopicsResponse | None, ApiError | None], None]
) -> None:
    """Have topics created (by this request, or because Metadata asked for them)."""
    node.controller.submit(
        lambda image, _: create_topics(
            request, image, new_id=node.chance.uuid, configs=node.topic_configs, defaults=node.topic_defaults
        ),
        decided,
    )


def _refused(request: CreateTopicsRequest, code: ErrorCode, message: str | None) -> CreateTopicsResponse:
    return CreateTopicsResponse(
        topics=[CreatableTopicResult(name=topic.name, error_code=code, error_message=message) for topic in request.topics]
    )
