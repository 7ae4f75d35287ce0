"""AlterConfigs 0-2: the controller decides; the answer comes once the new values are in effect here."""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.controller import alter_configs
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)

API = ApiKey.ALTER_CONFIGS


def handle(request: AlterConfigsRequest, call: Call) -> Outcome:
    call.park()
    configs = call.node.topic_configs

    def decided(response: AlterConfigsResponse | None, refusal: ApiError | None) -> None:
        if response is not None:
            call.answer(response)
        else:
            assert refusal is not None
            call.answer(_refused(request, refusal.code, refusal.message))

    call.node.controller.submit(lambda image, _: alter_configs(request, image, configs=configs), decided)
    return PARKED


def failed(request: AlterConfigsRequest, code: ErrorCode) -> AlterConfigsResponse:
    return _refused(request, code, None)


def _refused(request: AlterConfigsRequest, code: ErrorCode, message: str | None) -> AlterConfigsResponse:
    return AlterConfigsResponse(
        responses=[
            AlterConfigsResourceResponse(
                error_code=code,
                error_message=message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource in request.resources
        ]
    )
