"""DeleteTopics 1-6: the controller decides; from version 6 topics may be named by their ids."""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.controller import delete_topics
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsRequest, DeleteTopicsResponse

API = ApiKey.DELETE_TOPICS


def handle(request: DeleteTopicsRequest, call: Call) -> Outcome:
    call.park()
    enabled = call.node.settings.delete_topics

    def decided(response: DeleteTopicsResponse | None, refusal: ApiError | None) -> None:
        if response is not None:
            call.answer(response)
        else:
            assert refusal is not None
            call.answer(_refused(request, refusal.code, refusal.message))

    call.node.controller.submit(lambda image, _: delete_topics(request, image, enabled=enabled), decided)
    return PARKED


def failed(request: DeleteTopicsRequest, code: ErrorCode) -> DeleteTopicsResponse:
    return _refused(request, code, None)


def _refused(request: DeleteTopicsRequest, code: ErrorCode, message: str | None) -> DeleteTopicsResponse:
    named = [DeletableTopicResult(name=name, error_code=code, error_message=message) for name in request.topic_names]
    return DeleteTopicsResponse(
        responses=named
        + [
            DeletableTopicResult(name=topic.name, topic_id=topic.topic_id, error_code=code, error_message=message)
            for topic in request.topics
        ]
    )
