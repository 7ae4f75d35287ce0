"""What the handlers of one broker share: its settings, its picture of the cluster, its partitions, its controller.

Built by the assembly. Only `publish` changes the picture, once everything that a new one asks for is done here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from moldau.broker.hosting import Hosting
from moldau.broker.journal import Journal
from moldau.broker.producer_ids import Block, ProducerIds
from moldau.broker.retention import Retention
from moldau.broker.settings import BrokerSettings
from moldau.broker.topic_configs import TopicConfigTable
from moldau.broker.turn import Turn
from moldau.controller import ProducerIds as GrantedIds
from moldau.controller import TopicDefaults, allocate_producer_ids
from moldau.environment.doors import Chance, Clock, Offload
from moldau.metadata import Image
from moldau.metrics import Registry
from moldau.model import ApiError
from moldau.protocol.apis import ApiKey
from moldau.storage import LogDirectory

if TYPE_CHECKING:
    from moldau.broker.quorum.driver import QuorumDriver

MOST_MEMOISED = 512
"""Encoded answers kept until the picture changes."""

NO_LEADER = -1


class Address(NamedTuple):
    """How clients of one listener reach a broker."""

    id: int
    host: str
    port: int
    rack: str | None


class Node:
    """One broker, as its handlers see it."""

    def __init__(
        self,
        settings: BrokerSettings,
        clock: Clock,
        chance: Chance,
        turn: Turn,
        journal: Journal,
        metrics: Registry,
        controller: QuorumDriver,
        cluster_id: str,
        served: Sequence[ApiKey],
        directory: LogDirectory,
        offload: Offload,
        hosting: Hosting,
        retention: Retention,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.chance = chance
        self.turn = turn
        self.journal = journal
        self.metrics = metrics
        self.controller = controller
        self.cluster_id = cluster_id
        self.served = served
        """The APIs with a handler, in the order of their keys."""
        self.directory = directory
        self.offload = offload
        self.hosting = hosting
        self.retention = retention
        self.image = Image(cluster_id)
        self.memo: dict[tuple[int, int, str, bytes], bytes] = {}
        """Encoded answers that depend on nothing but API, version, listener, the request's bytes and the image."""
        self.topic_configs = TopicConfigTable(settings)
        self.topic_defaults = TopicDefaults(settings.num_partitions, settings.default_replication_factor)
        self.producer_ids = ProducerIds(self._request_producer_ids)
        self.produced_bytes = metrics.counter("produced_bytes")
        self.produced_batches = metrics.counter("produced_batches")
        self.repeated_batches = metrics.counter("repeated_batches")
        self.fetched_bytes = metrics.counter("fetched_bytes")

    def publish(self, image: Image) -> None:
        """Show clients this picture of the cluster from now on."""
        self.image = image
        self.memo.clear()

    def _request_producer_ids(self, granted: Block) -> None:
        """A block of producer ids for this broker, as it is registered."""
        own = self.image.brokers[self.settings.node_id]

        def done(block: GrantedIds | None, refusal: ApiError | None) -> None:
            if block is None:
                granted(None, 0, refusal)
            else:
                granted(block.first, block.count, None)

        self.controller.submit(lambda image, _: allocate_producer_ids(image, own.id, own.epoch), done)

    def live_brokers(self, listener: str) -> list[Address]:
        """The brokers that take part and can be reached through this listener, by id."""
        found = []
        for broker_id, broker in sorted(self.image.brokers.items()):
            endpoint = next((each for each in broker.endpoints if each.name == listener), None)
            if endpoint is not None and not broker.fenced:
                found.append(Address(broker_id, endpoint.host, endpoint.port, broker.rack))
        return found

    @property
    def controller_id(self) -> int:
        """The broker to which clients may send what a controller decides: any, so this one."""
        return self.settings.node_id

    def leader_of(self, topic_id: bytes, index: int) -> tuple[int, int]:
        """The leader of a partition and its epoch, as far as is known."""
        topic = self.image.topics_by_id.get(topic_id)
        if topic is None or index >= len(topic.partitions):
            return NO_LEADER, -1
        state = topic.partitions[index]
        return state.leader, state.leader_epoch
