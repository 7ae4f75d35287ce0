"""Kafka's small text files: a version, a count, one entry a line; and partition.metadata.

Who calls: directory and log. They are replaced whole, so they are never half there; one that cannot be read is an
error, not an empty one. What it never does: touch a disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from moldau.model import TopicPartition, format_uuid, parse_uuid

_VERSION = "0"


class UnreadableCheckpoint(ValueError):  # noqa: N818  (it names the trouble)
    """A checkpoint file that is none."""


def encode_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    """`topic partition offset` a line, in the order of topic and partition."""
    return _encode(f"{name.topic} {name.partition} {offset}" for name, offset in sorted(offsets.items()))


def decode_offsets(data: bytes) -> dict[TopicPartition, int]:
    """What `encode_offsets` wrote."""
    offsets: dict[TopicPartition, int] = {}
    for line in _decode(data):
        match line.split(" "):
            case [topic, partition, offset] if topic:
                offsets[TopicPartition(topic, _number(partition))] = _number(offset)
            case _:
                raise UnreadableCheckpoint(f"not a line of `topic partition offset`: {line!r}")
    return offsets


def encode_epochs(epochs: Iterable[tuple[int, int]]) -> bytes:
    """`epoch start-offset` a line."""
    return _encode(f"{epoch} {offset}" for epoch, offset in epochs)


def decode_epochs(data: bytes) -> list[tuple[int, int]]:
    """What `encode_epochs` wrote, growing in both columns."""
    epochs: list[tuple[int, int]] = []
    for line in _decode(data):
        match line.split(" "):
            case [epoch, offset]:
                entry = (_number(epoch), _number(offset))
            case _:
                raise UnreadableCheckpoint(f"not a line of `epoch offset`: {line!r}")
        if epochs and (entry[0] <= epochs[-1][0] or entry[1] < epochs[-1][1]):
            raise UnreadableCheckpoint(f"epochs out of order: {epochs[-1]} is followed by {entry}")
        epochs.append(entry)
    return epochs


def encode_partition_metadata(topic_id: bytes) -> bytes:
    """The topic's id beside its records, so that a directory is never taken for a newer topic of the same name."""
    return f"version: 0\ntopic_id: {format_uuid(topic_id)}".encode("ascii")


def decode_partition_metadata(data: bytes) -> bytes:
    """The topic's id."""
    match _text(data).splitlines():
        case ["version: 0", line] if line.startswith("topic_id: "):
            try:
                return parse_uuid(line.removeprefix("topic_id: "))
            except ValueError as broken:
                raise UnreadableCheckpoint(str(broken)) from broken
        case lines:
            raise UnreadableCheckpoint(f"not a partition.metadata of version 0: {lines!r}")


def _encode(lines: Iterable[str]) -> bytes:
    entries = list(lines)
    return "\n".join([_VERSION, str(len(entries)), *entries, ""]).encode("ascii")


def _decode(data: bytes) -> Sequence[str]:
    lines = _text(data).splitlines()
    if len(lines) < 2 or lines[0] != _VERSION:
        raise UnreadableCheckpoint(f"not a checkpoint of version {_VERSION}: {lines[:1]!r}")
    if _number(lines[1]) != len(lines) - 2:
        raise UnreadableCheckpoint(f"{lines[1]} entries announced, {len(lines) - 2} found")
    return lines[2:]


def _text(data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as broken:
        raise UnreadableCheckpoint(str(broken)) from broken


def _number(text: str) -> int:
    if not text.isdecimal():
        raise UnreadableCheckpoint(f"not a number: {text!r}")
    return int(text)
