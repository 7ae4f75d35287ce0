"""The options of client, producer and consumer: one table each, from which settings and checks are made.

An option has a name in Python with real units (seconds, bytes), and Kafka's name for the same thing, which `config=`
takes. What nobody knows is a TypeError that names the nearest option; what is out of range is a ValueError.
"""

# ruff: noqa: RUF009  (`_option` makes fields, it does not make defaults)
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, TypedDict, TypeVar, cast

from moldau.client.errors import unknown_option

S = TypeVar("S")

Compression = Literal["none", "gzip", "snappy", "lz4", "zstd"]
Acks = Literal["all", 0, 1, -1]
Seconds = float | timedelta
Start = Literal["earliest", "latest"] | int | Mapping[int, int]

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
MEBIBYTE = 1024 * 1024


def _option(
    default: Any,
    kafka: str | None,
    doc: str,
    *,
    unit: Literal["s", "bytes", ""] = "",
    low: float | None = None,
    high: float | None = None,
    one_of: tuple[Any, ...] | None = None,
) -> Any:
    table = {"kafka": kafka, "doc": doc, "unit": unit, "low": low, "high": high, "one_of": one_of}
    return field(default=default, metadata=table)


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What a client and all that it makes have in common."""

    client_id: str = _option("moldau", "client.id", "the name that brokers see in their logs and quotas")
    request_timeout: float = _option(
        30.0, "request.timeout.ms", "how long one request may take", unit="s", low=0.001, high=3600
    )
    connect_timeout: float = _option(
        10.0, "socket.connection.setup.timeout.ms", "how long connecting may take", unit="s", low=0.001, high=3600
    )
    operation_timeout: float = _option(
        60.0, "default.api.timeout.ms", "how long a call may go on trying", unit="s", low=0.001, high=86_400
    )
    retry_backoff: float = _option(0.1, "retry.backoff.ms", "the first pause before a retry", unit="s", low=0, high=60)
    retry_backoff_max: float = _option(
        1.0, "retry.backoff.max.ms", "the longest pause before a retry", unit="s", low=0, high=600
    )
    metadata_max_age: float = _option(
        300.0, "metadata.max.age.ms", "how old metadata may become", unit="s", low=0.1, high=86_400
    )
    auto_create_topics: bool = _option(
        False, "allow.auto.create.topics", "whether asking for a topic may create it, where the broker allows that"
    )


@dataclass(frozen=True, slots=True)
class ProducerSettings:
    """How a producer buffers and sends."""

    acks: Acks = _option("all", "acks", "who must have a record before it counts as written", one_of=("all", -1, 0, 1))
    idempotent: bool = _option(True, "enable.idempotence", "whether the broker drops what a retry sent twice")
    compression: Compression = _option("none", "compression.type", "how batches are compressed", one_of=COMPRESSIONS)
    compression_level: int | None = _option(None, None, "the codec's level; None takes the codec's own default")
    linger: float = _option(
        0.005, "linger.ms", "how long a batch that is not full waits for more records", unit="s", low=0, high=60
    )
    batch_bytes: int = _option(64 * 1024, "batch.size", "when a batch is full", unit="bytes", low=1, high=MEBIBYTE * 64)
    request_bytes: int = _option(
        MEBIBYTE, "max.request.size", "the largest request and record", unit="bytes", low=1024, high=MEBIBYTE * 128
    )
    buffer_bytes: int = _option(
        64 * MEBIBYTE, "buffer.memory", "what may be buffered; then sending waits", unit="bytes", low=1024, high=1 << 40
    )
    max_block: float = _option(
        60.0, "max.block.ms", "how long sending waits for metadata or for room", unit="s", low=0, high=86_400
    )
    delivery_timeout: float = _option(
        120.0, "delivery.timeout.ms", "how long a record may take to be acknowledged", unit="s", low=0.01, high=86_400
    )
    in_flight: int = _option(
        5, "max.in.flight.requests.per.connection", "requests in flight to one broker", low=1, high=5
    )


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """How a consumer fetches."""

    start: Start = _option(
        "earliest", None, "where to begin: 'earliest', 'latest', a timestamp in ms, or {partition: offset}"
    )
    stop: Literal["latest"] | Mapping[int, int] | None = _option(
        None, None, "where to end: None never, 'latest' as of now, or {partition: offset} (that offset excluded)"
    )
    out_of_range: Literal["earliest", "latest", "raise"] = _option(
        "raise", "auto.offset.reset", "what to do when the offset is gone", one_of=("earliest", "latest", "raise")
    )
    isolation: Literal["read_uncommitted", "read_committed"] = _option(
        "read_uncommitted",
        "isolation.level",
        "whether records of open and aborted transactions are seen",
        one_of=("read_uncommitted", "read_committed"),
    )
    max_wait: float = _option(
        0.5, "fetch.max.wait.ms", "how long a broker may wait for data", unit="s", low=0, high=300
    )
    min_bytes: int = _option(1, "fetch.min.bytes", "what a broker waits for", unit="bytes", low=0, high=1 << 31)
    fetch_bytes: int = _option(
        8 * MEBIBYTE, "fetch.max.bytes", "the largest answer of a broker", unit="bytes", low=1, high=1 << 30
    )
    partition_bytes: int = _option(
        MEBIBYTE, "max.partition.fetch.bytes", "the most from one partition", unit="bytes", low=1, high=1 << 30
    )
    prefetch_bytes: int = _option(
        16 * MEBIBYTE, None, "what may be fetched ahead of the reader", unit="bytes", low=1, high=1 << 40
    )


class ClientOptions(TypedDict, total=False):
    """The keyword arguments of a client; `ClientSettings` says what they mean."""

    client_id: str
    request_timeout: Seconds
    connect_timeout: Seconds
    operation_timeout: Seconds
    retry_backoff: Seconds
    retry_backoff_max: Seconds
    metadata_max_age: Seconds
    auto_create_topics: bool
    config: Mapping[str, object]


class ProducerOptions(TypedDict, total=False):
    """The keyword arguments of a producer; `ProducerSettings` says what they mean."""

    acks: Acks
    idempotent: bool
    compression: Compression
    compression_level: int | None
    linger: Seconds
    batch_bytes: int
    request_bytes: int
    buffer_bytes: int
    max_block: Seconds
    delivery_timeout: Seconds
    in_flight: int
    config: Mapping[str, object]


class ConsumerOptions(TypedDict, total=False):
    """The keyword arguments of a consumer; `ConsumerSettings` says what they mean."""

    start: Start
    stop: Literal["latest"] | Mapping[int, int] | None
    out_of_range: Literal["earliest", "latest", "raise"]
    isolation: Literal["read_uncommitted", "read_committed"]
    max_wait: Seconds
    min_bytes: int
    fetch_bytes: int
    partition_bytes: int
    prefetch_bytes: int
    config: Mapping[str, object]


def settings_of(cls: type[S], options: Mapping[str, object], owner: str) -> S:
    """The settings that these options make; TypeError for an unknown one, ValueError for an impossible value."""
    fields = {field.name: field for field in dataclasses.fields(cast("Any", cls))}
    values: dict[str, object] = {}
    for name, value in _from_config(fields.values(), options.get("config"), owner).items():
        values[name] = value
    for name, value in options.items():
        if name == "config":
            continue
        if name not in fields:
            raise unknown_option(name, [*fields, "config"], owner)
        values[name] = _checked(fields[name], value)
    return cls(**values)


def producer_settings(options: Mapping[str, object]) -> ProducerSettings:
    """A producer's settings, each possible beside the others. Fewer acknowledgements than all end idempotence."""
    settings = settings_of(ProducerSettings, options, "producer()")
    if settings.idempotent and settings.acks not in ("all", -1):
        if "idempotent" in options or "enable.idempotence" in cast("Any", options.get("config") or {}):
            raise ValueError(f"idempotent=True needs acks='all', not {settings.acks!r}; leave one of them out")
        settings = dataclasses.replace(settings, idempotent=False)
    if settings.linger >= settings.delivery_timeout:
        raise ValueError(
            f"linger ({settings.linger:g} s) is shorter than delivery_timeout ({settings.delivery_timeout:g} s)"
        )
    return settings


def _from_config(fields: Iterable[dataclasses.Field[Any]], config: object, owner: str) -> dict[str, object]:
    """What Kafka's names say, in the units of ours."""
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise TypeError(f"config is a mapping of Kafka's option names, not {type(config).__name__}")
    by_kafka = {field.metadata["kafka"]: field for field in fields if field.metadata["kafka"]}
    values: dict[str, object] = {}
    for name, value in config.items():
        if name not in by_kafka:
            raise unknown_option(name, by_kafka, f"{owner}'s config")
        field = by_kafka[name]
        values[field.name] = _checked(field, _from_kafka(field, value))
    return values


def _from_kafka(field: dataclasses.Field[Any], value: object) -> object:
    if field.name == "out_of_range" and value == "none":
        return "raise"
    if field.metadata["unit"] == "s":
        return float(cast("Any", value)) / 1000
    if isinstance(value, str):
        if isinstance(field.default, bool):
            return {"true": True, "false": False}.get(value.lower(), value)
        if isinstance(field.default, int) or (field.name == "acks" and value != "all"):
            return int(value)
    return value


def _checked(field: dataclasses.Field[Any], value: object) -> object:
    name, table = field.name, field.metadata
    if table["unit"] == "s":
        value = value.total_seconds() if isinstance(value, timedelta) else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name} is a number of seconds or a timedelta, not {value!r}")
    elif isinstance(field.default, bool):
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, not {value!r}")
    elif isinstance(field.default, int) and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"{name} is a whole number{' of bytes' if table['unit'] else ''}, not {value!r}")
    if table["one_of"] is not None and value not in table["one_of"]:
        raise ValueError(f"{name} is one of {', '.join(map(repr, table['one_of']))}, not {value!r}")
    low, high = table["low"], table["high"]
    if low is not None and not low <= cast("Any", value) <= high:
        raise ValueError(f"{name} lies between {low} and {high}, not {value!r}")
    return value
