"""CreatePartitions 0-3: the controller decides; the answer comes once the new partitions can be produced to here."""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.controller import create_partitions
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)

API = ApiKey.CREATE_PARTITIONS


def handle(request: CreatePartitionsRequest, call: Call) -> Outcome:
    call.park()

    def decided(response: CreatePartitionsResponse | None, refusal: ApiError | None) -> None:
        if response is not None:
            call.answer(response)
        else:
            assert refusal is not None
            call.answer(_refused(request, refusal.code, refusal.message))

    call.node.controller.submit(lambda image, _: create_partitions(request, image), decided)
    return PARKED


def failed(request: CreatePartitionsRequest, code: ErrorCode) -> CreatePartitionsResponse:
    return _refused(request, code, None)


def _refused(request: CreatePartitionsRequest, code: ErrorCode, message: str | None) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(
        results=[
            CreatePartitionsTopicResult(name=topic.name, error_code=code, error_message=message)
            for topic in request.topics
        ]
    )
