"""IncrementalAlterConfigs 0-1: the controller decides; the answer comes once the changes are in effect here."""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.controller import incremental_alter_configs
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

API = ApiKey.INCREMENTAL_ALTER_CONFIGS


def handle(request: IncrementalAlterConfigsRequest, call: Call) -> Outcome:
    call.park()
    configs = call.node.topic_configs

    def decided(response: IncrementalAlterConfigsResponse | None, refusal: ApiError | None) -> None:
        if response is not None:
            call.answer(response)
        else:
            assert refusal is not None
            call.answer(_refused(request, refusal.code, refusal.message))

    call.node.controller.submit(lambda image, _: incremental_alter_configs(request, image, configs=configs), decided)
    return PARKED


def failed(request: IncrementalAlterConfigsRequest, code: ErrorCode) -> IncrementalAlterConfigsResponse:
    return _refused(request, code, None)


def _refused(
    request: IncrementalAlterConfigsRequest, code: ErrorCode, message: str | None
) -> IncrementalAlterConfigsResponse:
    return IncrementalAlterConfigsResponse(
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
