"""AlterConfigs (versions 0 to 2): all configurations of resources are replaced; what is not named is unset.

Every resource stands or falls by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from moldau.controller.config_changes import changes
from moldau.controller.configs import TopicConfigs
from moldau.controller.outcome import Outcome
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


def alter_configs(
    request: AlterConfigsRequest, image: Image, *, configs: TopicConfigs
) -> Outcome[AlterConfigsResponse]:
    """Records for every resource that may change, and for each what became of it."""
    records, verdicts = changes(request.resources, image, _wanted, configs)
    responses = [
        AlterConfigsResourceResponse(
            error_code=code, error_message=message, resource_type=resource.type, resource_name=resource.name
        )
        for resource, code, message in verdicts
    ]
    return Outcome(() if request.validate_only else records, AlterConfigsResponse(responses=responses))


def _wanted(resource: AlterConfigsResource, now: Mapping[str, str]) -> dict[str, str]:
    after: dict[str, str] = {}
    for config in resource.configs:
        if config.value is None:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{config.name} has no value: give it one or leave it out")
        after[config.name] = config.value
    return after
