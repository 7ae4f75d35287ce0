"""Changes of configurations, resource by resource: which may change, to what, and the records of it.

Called by `alter_configs` and `incremental_alter_configs`, which say what a resource is to have afterwards. Invariants:

C1  A resource changes as a whole or not at all; what becomes of one says nothing about another.
C2  A record is written only for a value that differs from what is set now.
C3  What is set on a topic afterwards has been checked as a whole, in the table of topic configurations.

The settings of a broker are read when it starts: none of them changes while it runs, and nothing is set on a broker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from moldau.controller.configs import TopicConfigs
from moldau.controller.limits import MAX_CHANGES_PER_REQUEST, MAX_CONFIG_VALUE
from moldau.metadata import Image, Resource, ResourceType
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages import alter_configs, incremental_alter_configs
from moldau.protocol.messages.metadata_records import ConfigRecord
from moldau.protocol.tables import Top

R = TypeVar("R", alter_configs.AlterConfigsResource, incremental_alter_configs.AlterConfigsResource)

Wanted = Callable[[R, Mapping[str, str]], dict[str, str]]
"""What a resource is to have afterwards, given what is set on it now."""


class Verdict(NamedTuple):
    """What became of one resource."""

    resource: Resource
    code: ErrorCode
    message: str | None


class Changes(NamedTuple):
    """The records of all that changes, and a verdict for each resource of the request, in its order."""

    records: tuple[Top, ...]
    verdicts: list[Verdict]


def changes(resources: Sequence[R], image: Image, wanted: Wanted[R], topics: TopicConfigs) -> Changes:
    """Decide about every resource by itself (C1)."""
    asked = len(resources) + sum(len(resource.configs) for resource in resources)
    if asked > MAX_CHANGES_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"{asked} resources and configs in one request: ask for {MAX_CHANGES_PER_REQUEST}",
        )
    counts = Counter((resource.resource_type, resource.resource_name) for resource in resources)
    records: list[Top] = []
    verdicts: list[Verdict] = []
    for resource in resources:
        key = Resource(resource.resource_type, resource.resource_name)
        try:
            if counts[key] > 1:
                raise ApiError(
                    ErrorCode.INVALID_REQUEST, "the request names this resource twice: put all of its changes in one"
                )
            _check_exists(key, image)
            _check_names(resource)
            now = image.configs.get(key, {})
            after = wanted(resource, now)
            _check_values(after, topics)
        except ApiError as refused:
            verdicts.append(Verdict(key, refused.code, refused.message))
        else:
            records += _records(key, now, after)
            verdicts.append(Verdict(key, ErrorCode.NONE, None))
    return Changes(tuple(records), verdicts)


def _check_exists(resource: Resource, image: Image) -> None:
    if resource.type == ResourceType.TOPIC:
        if resource.name not in image.topics_by_name:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic '{resource.name}'")
    elif resource.type == ResourceType.BROKER:
        _check_broker(resource.name, image)
    else:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"resource type {resource.type} cannot be changed: ask for {ResourceType.TOPIC} (topic) "
            f"or {ResourceType.BROKER} (broker)",
        )


def _check_broker(name: str, image: Image) -> None:
    if name and not (name.isascii() and name.isdigit()):
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"a broker is named by its number, not '{name}'; the empty name means all"
        )
    if name and name not in map(str, image.brokers):
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"there is no broker {name}")


def _check_names(resource: R) -> None:
    counts = Counter(config.name for config in resource.configs)
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"the request names {', '.join(repeated)} twice: name each once")
    if counts and resource.resource_type == ResourceType.BROKER:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"{', '.join(counts)} cannot change while a broker runs: "
            "set it where the broker reads its settings and restart the broker",
        )


def _check_values(after: Mapping[str, str], topics: TopicConfigs) -> None:
    for name, value in after.items():
        if len(value.encode()) > MAX_CONFIG_VALUE:
            raise ApiError(
                ErrorCode.INVALID_CONFIG, f"the value of {name} is too long: it has at most {MAX_CONFIG_VALUE} bytes"
            )
    topics.check(after)  # C3


def _records(resource: Resource, now: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Top]:
    for name in dict.fromkeys([*now, *after]):
        value = after.get(name)
        if value != now.get(name):  # C2
            yield ConfigRecord(resource_type=resource.type, resource_name=resource.name, name=name, value=value)
