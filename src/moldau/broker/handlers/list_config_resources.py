"""ListConfigResources 0-1: the names of what has configs.

Topics and brokers have some from the start; groups and client metrics are there once something was set on them. Broker
loggers may be asked for, but there are none. Version 0 asks for client metrics alone.
"""

from __future__ import annotations

from collections.abc import Callable

from moldau.broker.call import Call
from moldau.metadata import Image, ResourceType
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

API = ApiKey.LIST_CONFIG_RESOURCES
MEMOISED = True

WITH_TYPES = 1


def handle(request: ListConfigResourcesRequest, call: Call) -> ListConfigResourcesResponse:
    wanted = _wanted(request, call.version)
    if any(kind not in _NAMES for kind in wanted):
        return failed(request, ErrorCode.UNSUPPORTED_VERSION)
    image = call.node.image
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(resource_name=name, resource_type=kind)
            for kind in sorted(set(wanted))
            for name in _NAMES[kind](image)
        ]
    )


def failed(request: ListConfigResourcesRequest, code: ErrorCode) -> ListConfigResourcesResponse:
    return ListConfigResourcesResponse(error_code=code)


def _wanted(request: ListConfigResourcesRequest, version: int) -> list[int]:
    """No types stand for all."""
    if version < WITH_TYPES:
        return [ResourceType.CLIENT_METRICS]
    return request.resource_types or list(_NAMES)


def _topics(image: Image) -> list[str]:
    return sorted(image.topics_by_name)


def _brokers(image: Image) -> list[str]:
    return [str(number) for number in sorted(image.brokers) if not image.brokers[number].fenced]


def _loggers(image: Image) -> list[str]:
    return []


def _configured(kind: ResourceType) -> Callable[[Image], list[str]]:
    """Those with a config of their own."""

    def names(image: Image) -> list[str]:
        return sorted(resource.name for resource in image.configs if resource.type == kind)

    return names


_NAMES: dict[int, Callable[[Image], list[str]]] = {
    ResourceType.TOPIC: _topics,
    ResourceType.BROKER: _brokers,
    ResourceType.BROKER_LOGGER: _loggers,
    ResourceType.CLIENT_METRICS: _configured(ResourceType.CLIENT_METRICS),
    ResourceType.GROUP: _configured(ResourceType.GROUP),
}
"""The names of each kind."""
