"""What `format("moldau")` may be told: the options of Spark's Kafka source and sink under their own names.

Read once into a frozen value that travels to Spark's Python workers. An option that is not known is an error with the
nearest known one, because a misspelt `startingOfsets` that passes silently costs a day.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EARLIEST = -2
LATEST = -1
"""What Spark's Kafka source writes in JSON for the two ends of a partition."""

ALIASES = {
    "kafka.bootstrap.servers": "bootstrap",
    "bootstrap.servers": "bootstrap",
    "kafka.compression.type": "compression",
}

KNOWN = {
    "bootstrap": "host:port of one or more brokers, comma separated",
    "subscribe": "topics to read, comma separated",
    "assign": 'partitions to read, as JSON: {"orders": [0, 1]}',
    "startingOffsets": "earliest, latest or JSON per partition; a stream's default is latest, a batch's earliest",
    "endingOffsets": "latest or JSON per partition; for a batch only",
    "maxOffsetsPerTrigger": "most records of one micro-batch",
    "minPartitions": "at least so many Spark tasks for one read",
    "includeHeaders": "true adds the column headers",
    "failOnDataLoss": "false goes on where records were deleted before they were read",
    "topic": "where rows without a column topic are written",
    "compression": "none, gzip, snappy, lz4 or zstd, for written batches",
}
CANONICAL = {name.lower(): name for name in KNOWN} | ALIASES
NOT_OURS = frozenset({"path", "checkpointlocation", "queryname", "outputmode"})
"""Spark's own, which it hands over among ours."""

Compression = Literal["none", "gzip", "snappy", "lz4", "zstd"]
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)

PartitionOffsets = dict[str, dict[int, int]]


class OptionError(ValueError):
    """An option that cannot be followed; the message says which one and what would do."""


@dataclass(frozen=True, slots=True)
class Options:
    """All options of one read or write, checked."""

    bootstrap: str
    topics: tuple[str, ...]
    assigned: tuple[tuple[str, int], ...]
    starting: str | PartitionOffsets | None
    ending: str | PartitionOffsets | None
    max_offsets: int | None
    min_partitions: int
    include_headers: bool
    fail_on_data_loss: bool
    topic: str | None
    compression: Compression


def parse(given: Mapping[str, str]) -> Options:
    """The options as Spark hands them over: strings, in any case."""
    named = {_canonical(name): value for name, value in given.items() if name.lower() not in NOT_OURS}
    topics = _topics(named.get("subscribe", ""))
    assigned = _assigned(named.get("assign"))
    if topics and assigned:
        raise OptionError("give 'subscribe' or 'assign', not both")
    if not named.get("bootstrap"):
        raise OptionError("option 'bootstrap' is missing: the host:port of a broker, such as localhost:9092")
    return Options(
        bootstrap=named["bootstrap"],
        topics=topics,
        assigned=assigned,
        starting=_offsets("startingOffsets", named.get("startingOffsets")),
        ending=_offsets("endingOffsets", named.get("endingOffsets")),
        max_offsets=_positive("maxOffsetsPerTrigger", named.get("maxOffsetsPerTrigger")),
        min_partitions=_positive("minPartitions", named.get("minPartitions")) or 1,
        include_headers=_truth("includeHeaders", named.get("includeHeaders", "false")),
        fail_on_data_loss=_truth("failOnDataLoss", named.get("failOnDataLoss", "true")),
        topic=named.get("topic") or None,
        compression=_compression(named.get("compression", "none")),
    )


def for_reading(options: Options, *, stream: bool) -> Options:
    """The same options, once it is certain that they say what to read and from where."""
    if not options.topics and not options.assigned:
        raise OptionError("nothing to read: give 'subscribe' (topics) or 'assign' (partitions as JSON)")
    if stream and options.ending is not None:
        raise OptionError("option 'endingOffsets' is for a batch; a stream has no end")
    if not stream and options.starting == "latest":
        raise OptionError("option 'startingOffsets' is 'latest': a batch would be empty; give earliest or offsets")
    if options.ending == "earliest":
        raise OptionError("option 'endingOffsets' is 'earliest': the read would be empty; give latest or offsets")
    if isinstance(options.ending, dict):
        for topic, partitions in options.ending.items():
            if EARLIEST in partitions.values():
                raise OptionError(f"option 'endingOffsets' has {EARLIEST} (earliest) for topic {topic!r}")
    return options


def _canonical(name: str) -> str:
    known = CANONICAL.get(name.lower())
    if known is not None:
        return known
    near = difflib.get_close_matches(name.lower(), CANONICAL, n=1)
    hint = f"; did you mean '{CANONICAL[near[0]]}'?" if near else f"; there are {', '.join(KNOWN)}"
    raise OptionError(f"format('moldau') has no option '{name}'{hint}")


def _topics(text: str) -> tuple[str, ...]:
    return tuple(sorted({topic.strip() for topic in text.split(",") if topic.strip()}))


def _assigned(text: str | None) -> tuple[tuple[str, int], ...]:
    if text is None:
        return ()
    wanted = "option 'assign' is not JSON like {\"orders\": [0, 1]}"
    parsed = _json(text, wanted)
    pairs = []
    for topic, partitions in parsed.items():
        if not isinstance(partitions, list) or not all(_is_count(partition) for partition in partitions):
            raise OptionError(f"{wanted}: {text}")
        pairs += [(topic, partition) for partition in partitions]
    if not pairs:
        raise OptionError("option 'assign' names no partition")
    return tuple(sorted(set(pairs)))


def _offsets(name: str, text: str | None) -> str | PartitionOffsets | None:
    if text is None:
        return None
    if text.strip().lower() in ("earliest", "latest"):
        return text.strip().lower()
    wanted = f'option \'{name}\' is neither earliest nor latest nor JSON like {{"orders": {{"0": 23, "1": -2}}}}'
    offsets: PartitionOffsets = {}
    for topic, partitions in _json(text, wanted).items():
        if not isinstance(partitions, dict):
            raise OptionError(f"{wanted}: {text}")
        offsets[topic] = {}
        for partition, offset in partitions.items():
            if not partition.isdigit() or not isinstance(offset, int) or isinstance(offset, bool) or offset < EARLIEST:
                raise OptionError(f"{wanted}: {text}")
            offsets[topic][int(partition)] = offset
    return offsets


def _compression(text: str) -> Compression:
    for known in COMPRESSIONS:
        if known == text.strip().lower():
            return known
    raise OptionError(f"option 'compression' is {text!r}; it may be {', '.join(COMPRESSIONS)}")


def _json(text: str, wanted: str) -> dict[str, object]:
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise OptionError(f"{wanted}: {text} ({error})") from None
    if not isinstance(parsed, dict):
        raise OptionError(f"{wanted}: {text}")
    return parsed


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _positive(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.strip().isdigit() or int(text) == 0:
        raise OptionError(f"option '{name}' is {text!r}; it must be a whole number above 0")
    return int(text)


def _truth(name: str, text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise OptionError(f"option '{name}' is {text!r}; it must be true or false")
    return text.strip().lower() == "true"
