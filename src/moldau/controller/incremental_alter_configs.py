"""IncrementalAlterConfigs (versions 0 and 1): some configurations of resources are set, unset, or change their items.

Every resource stands or falls by itself. Items are added to and taken from the list in effect, which may be the
broker's default; the result is then the topic's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from moldau.controller.config_changes import changes
from moldau.controller.configs import TopicConfigs
from moldau.controller.outcome import Outcome
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


class Operation(IntEnum):
    """What is done to a configuration, as numbered on the wire."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


def incremental_alter_configs(
    request: IncrementalAlterConfigsRequest, image: Image, *, configs: TopicConfigs
) -> Outcome[IncrementalAlterConfigsResponse]:
    """Records for every resource that may change, and for each what became of it."""

    def wanted(resource: AlterConfigsResource, now: Mapping[str, str]) -> dict[str, str]:
        after = dict(now)
        for change in resource.configs:
            _change(change, after, configs)
        return after

    records, verdicts = changes(request.resources, image, wanted, configs)
    responses = [
        AlterConfigsResourceResponse(
            error_code=code, error_message=message, resource_type=resource.type, resource_name=resource.name
        )
        for resource, code, message in verdicts
    ]
    return Outcome(() if request.validate_only else records, IncrementalAlterConfigsResponse(responses=responses))


def _change(change: AlterableConfig, values: dict[str, str], configs: TopicConfigs) -> None:
    name, value = change.name, change.value
    if change.config_operation == Operation.DELETE:
        values.pop(name, None)
        return
    if value is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{name} has no value: give it one or delete it")
    if change.config_operation == Operation.SET:
        values[name] = value
    elif change.config_operation in (Operation.APPEND, Operation.SUBTRACT):
        items = configs.items(name, values)
        given = dict.fromkeys(stripped for item in value.split(",") if (stripped := item.strip()))
        if change.config_operation == Operation.APPEND:
            items += [item for item in given if item not in items]
        else:
            items = [item for item in items if item not in given]
        values[name] = ",".join(items)
    else:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"there is no operation {change.config_operation}, asked for {name}: ask for "
            + ", ".join(f"{operation.value} ({operation.name})" for operation in Operation),
        )
