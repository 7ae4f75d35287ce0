"""The picture of the cluster at one offset of the metadata log. Never changed once made; shared freely.

Made by `Draft`, read by everybody. What a change leaves alone is shared with the picture before it: a change to one
topic copies the two topic tables (one copy for each run of records, however many topics are in it) and that topic's
tuple of partitions, nothing of any other topic. The mappings are plain dictionaries typed as read-only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

NO_LEADER = -1


class ResourceType(IntEnum):
    """What can be configured, as numbered on the wire."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class Resource(NamedTuple):
    """One thing that can be configured; the broker of the empty name stands for all brokers."""

    type: int
    name: str


@dataclass(frozen=True, slots=True)
class PartitionState:
    """Who holds a partition and who leads it."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int
    directories: tuple[bytes, ...] = ()
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()
    recovering: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic; a partition's place in the tuple is its index."""

    name: str
    id: bytes
    partitions: tuple[PartitionState, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one listener of a broker is reached."""

    name: str
    host: str
    port: int
    security_protocol: int


@dataclass(frozen=True, slots=True)
class Broker:
    """A registered broker."""

    id: int
    epoch: int
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    features: Mapping[str, tuple[int, int]]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    log_dirs: tuple[bytes, ...]
    cordoned_log_dirs: tuple[bytes, ...]

    @property
    def active(self) -> bool:
        """Whether it may lead, and be in sync."""
        return not self.fenced and not self.in_controlled_shutdown


@dataclass(frozen=True, slots=True)
class Image:
    """Everything the metadata log says up to `offset`, the offset of the last record in it."""

    cluster_id: str
    offset: int = -1
    topics_by_name: Mapping[str, Topic] = field(default_factory=dict)
    topics_by_id: Mapping[bytes, Topic] = field(default_factory=dict)
    brokers: Mapping[int, Broker] = field(default_factory=dict)
    configs: Mapping[Resource, Mapping[str, str]] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)
    next_producer_id: int = 0

    def topic_configs(self, name: str) -> Mapping[str, str]:
        """What is set on a topic itself."""
        return self.configs.get(Resource(ResourceType.TOPIC, name), {})

    def broker_configs(self, broker_id: int | None) -> Mapping[str, str]:
        """What is set on one broker, or on all of them (None)."""
        name = "" if broker_id is None else str(broker_id)
        return self.configs.get(Resource(ResourceType.BROKER, name), {})

    def active_brokers(self) -> list[Broker]:
        """The brokers that may lead, by id."""
        return [self.brokers[number] for number in sorted(self.brokers) if self.brokers[number].active]


@dataclass(frozen=True, slots=True)
class Delta:
    """What lies between two pictures, in the order of the log. A topic made and deleted in between is in no list, one
    deleted and made again under its name is in two."""

    before: Image
    after: Image
    topics_created: tuple[Topic, ...]
    topics_deleted: tuple[Topic, ...]
    topics_changed: tuple[tuple[Topic, Topic], ...]
    """Before and after."""
    brokers_changed: tuple[int, ...]
    """Registered, changed or gone."""
    configs_changed: tuple[Resource, ...]
    features_changed: tuple[str, ...]
