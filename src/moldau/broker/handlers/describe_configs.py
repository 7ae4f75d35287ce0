"""DescribeConfigs 1-4: the configs of topics and of this broker, with their sources, synonyms and documentation."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from moldau.broker.call import Call
from moldau.broker.configs import format_value
from moldau.broker.load import BROKER_CONFIGS
from moldau.broker.settings import BrokerSettings
from moldau.broker.topic_configs import Described, Given, Source
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

API = ApiKey.DESCRIBE_CONFIGS


class _Resource(IntEnum):
    TOPIC = 2
    BROKER = 4


def handle(request: DescribeConfigsRequest, call: Call) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(results=[_describe(resource, request, call) for resource in request.resources])


def failed(request: DescribeConfigsRequest, code: ErrorCode) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(results=[_refused(resource, code, None) for resource in request.resources])


def describe_broker(settings: BrokerSettings) -> Iterator[Described]:
    """Every config of a broker, those without effect included."""
    from moldau.broker.without_effect import without_effect  # seldom asked for

    rows = {name: row for name, (_, row) in BROKER_CONFIGS.items()}
    fields = {name: field for name, (field, _) in BROKER_CONFIGS.items()}
    rows.update(without_effect())
    for name in sorted(rows):
        row = rows[name]
        given = settings.given.get(name)
        if given is None and name in fields:
            value = format_value(getattr(settings, fields[name]))
        else:
            value = given if given is not None else format_value(row.default)
        source = Source.STATIC_BROKER if given is not None else Source.DEFAULT
        yield Described(row, [Given(name, value, source)], read_only=True)


def _describe(resource: DescribeConfigsResource, request: DescribeConfigsRequest, call: Call) -> DescribeConfigsResult:
    try:
        found = _find(resource, call)
    except ApiError as refused:
        return _refused(resource, refused.code, refused.message)
    wanted = resource.configuration_keys
    return DescribeConfigsResult(
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        error_message=None,
        configs=[_result(described, request) for described in found if wanted is None or described.row.name in wanted],
    )


def _find(resource: DescribeConfigsResource, call: Call) -> Iterator[Described]:
    node = call.node
    name = resource.resource_name
    if resource.resource_type == _Resource.TOPIC:
        if name not in node.image.topics_by_name:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}")
        return node.topic_configs.described(node.image.topic_configs(name))
    if resource.resource_type == _Resource.BROKER:
        if name not in ("", str(node.settings.node_id)):
            raise ApiError(ErrorCode.INVALID_REQUEST, f"this is broker {node.settings.node_id}, ask broker {name}")
        return describe_broker(node.settings)
    raise ApiError(ErrorCode.INVALID_REQUEST, f"resource type {resource.resource_type} is not served: ask for 2 or 4")


def _result(described: Described, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    row = described.row
    synonyms = described.givers if request.include_synonyms and not described.sensitive else []
    return DescribeConfigsResourceResult(
        name=row.name,
        value=described.value,
        read_only=described.read_only,
        config_source=described.source,
        is_sensitive=described.sensitive,
        synonyms=[DescribeConfigsSynonym(name=one.name, value=one.value, source=one.source) for one in synonyms],
        config_type=row.kind,
        documentation=row.doc if request.include_documentation else None,
    )


def _refused(resource: DescribeConfigsResource, code: ErrorCode, message: str | None) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=code,
        error_message=message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
