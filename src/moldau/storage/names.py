"""File names inside a log directory, as Kafka writes them."""

from __future__ import annotations

import re

from moldau.environment import Disk
from moldau.model import TopicPartition

LOG = ".log"
OFFSET_INDEX = ".index"
TIME_INDEX = ".timeindex"
SNAPSHOT = ".snapshot"
TEMPORARY = ".tmp"
DELETED = ".deleted"
"""What a file is renamed to that is to be removed later."""
DELETED_DIRECTORY = "-delete"

LEADER_EPOCHS = "leader-epoch-checkpoint"
PARTITION_METADATA = "partition.metadata"

_LONGEST_NAME = 255
_PARTITION = re.compile(r"(?P<topic>[a-zA-Z0-9._-]+)-(?P<partition>0|[1-9][0-9]*)")
_NUMBERED = re.compile(r"(?P<offset>[0-9]{20})(?P<suffix>\.[a-z]+)")


def numbered(offset: int, suffix: str) -> str:
    """Twenty digits and a suffix."""
    return f"{offset:020d}{suffix}"


def offset_of(name: str, suffix: str) -> int | None:
    """The offset in a file's name, None when it is no file of that kind."""
    match = _NUMBERED.fullmatch(name)
    return int(match["offset"]) if match and match["suffix"] == suffix else None


def set_aside(disk: Disk, path: str) -> str:
    """Rename a file to what is removed later; its new path."""
    aside = path + DELETED
    disk.rename(path, aside)
    return aside


def directory_of(partition: TopicPartition) -> str:
    """A partition's directory."""
    return f"{partition.topic}-{partition.partition}"


def partition_of(directory: str) -> TopicPartition | None:
    """The partition that a directory holds, None when it holds none (or one that is being deleted)."""
    match = _PARTITION.fullmatch(directory)
    return TopicPartition(match["topic"], int(match["partition"])) if match else None


def deleted_directory_of(partition: TopicPartition, unique: bytes) -> str:
    """Where a partition goes before it is removed, so that a topic of the same name may come back at once."""
    suffix = f".{unique.hex()}{DELETED_DIRECTORY}"
    return directory_of(partition)[: _LONGEST_NAME - len(suffix)] + suffix
