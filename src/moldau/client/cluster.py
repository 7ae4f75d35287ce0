"""The client's view of the cluster, kept fresh: bootstrap, metadata, and calls that any broker can answer.

Producers, consumers and admin share one. It asks for metadata when somebody needs a topic, when somebody found it
stale, and when it grows old; it knows nothing of records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from moldau.channel import Channel, ChannelError, ChannelSettings, RequestExpired, VersionNotServed
from moldau.client.connections import Address, Connections, pause_ms_after
from moldau.client.errors import (
    BrokerUnavailable,
    ClientClosed,
    MoldauError,
    TimedOut,
    UnsupportedByBroker,
    broker_error,
)
from moldau.client.options import ClientSettings
from moldau.client.tasks import Tasks
from moldau.client.topology import TopicInfo, Topology
from moldau.environment.doors import Environment, Timer
from moldau.model import ErrorCode
from moldau.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from moldau.protocol.tables import Top

T = TypeVar("T")

Question = Top | Callable[[Channel], Top]
"""A request, or what makes one for a channel when it depends on the version that is spoken there."""

ATTEMPTS_FOR_A_TOPIC = 5
"""A topic just created may take a moment to be known everywhere; one that is not there should not take a minute."""


class User(Protocol):
    """A producer's or a consumer's driver."""

    async def close(self) -> None: ...


class Cluster:
    """Everything of a client that is not a producer's or a consumer's own."""

    def __init__(self, bootstrap: list[Address], environment: Environment, settings: ClientSettings) -> None:
        self.environment = environment
        self.settings = settings
        self.topology = Topology()
        self.tasks = Tasks()
        self._bootstrap = bootstrap
        self._connections = self.connections()
        self._interest: dict[str, int] = {}
        self._users: dict[User, None] = {}
        self._watchers: list[Callable[[], None]] = []
        self._refreshing = False
        self._stale = False
        self._failures = 0
        self._refreshed_ms = 0
        self._timer: Timer | None = None
        self._closed = False

    # ------------------------------------------------------------------------------------ its life

    async def start(self) -> None:
        """Reach one broker and learn who the others are."""
        await self.retrying("learn of the cluster", lambda: self._ask([]))
        self._arm()

    async def close(self) -> None:
        """End whatever still uses the cluster, close every connection and end every task."""
        self._closed = True
        for user in list(self._users):
            await user.close()
        if self._timer is not None:
            self._timer.cancel()
        self._connections.close()
        await self.tasks.close()

    def adopt(self, user: User) -> None:
        """Somebody to be closed when the cluster is, unless it is released before."""
        self._users[user] = None

    def release(self, user: User) -> None:
        """It has closed by itself."""
        self._users.pop(user, None)

    def check(self) -> None:
        """Raise when the client is closed or a background task failed."""
        if self._closed:
            raise ClientClosed("the client is closed; use it inside its `with` block")
        self.tasks.check()

    def connections(
        self,
        changed: Callable[[], None] | None = None,
        in_flight: int = 5,
        receive_bytes: int = 128 * 1024,
        extra_timeout: float = 0.0,
    ) -> Connections:
        """Channels of one's own."""
        settings = self.settings
        channel_settings = ChannelSettings(
            client_id=settings.client_id,
            connect_timeout_ms=round(settings.connect_timeout * 1000),
            request_timeout_ms=round((settings.request_timeout + extra_timeout) * 1000),
            in_flight_limit=in_flight,
            receive_bytes=receive_bytes,
        )
        return Connections(self.environment, settings, channel_settings, self.tasks, changed)

    # ------------------------------------------------------------------------------------ metadata

    def watch(self, topic: str, changed: Callable[[], None]) -> Callable[[], None]:
        """Keep this topic's metadata fresh and call after every refresh, until the returned function is called."""
        self._interest[topic] = self._interest.get(topic, 0) + 1
        self._watchers.append(changed)

        def stop() -> None:
            self._watchers.remove(changed)
            self._interest[topic] -= 1
            if not self._interest[topic]:
                del self._interest[topic]

        return stop

    async def topic(self, name: str) -> TopicInfo:
        """What is known of a topic, asking when it is not known; raises when it is not there."""
        known = self.topology.topics.get(name)
        if known is not None:
            return known
        for attempt in range(1, ATTEMPTS_FOR_A_TOPIC + 1):
            await self.retrying(f"learn of topic {name!r}", lambda: self._ask([name]))
            known = self.topology.topics.get(name)
            if known is not None and known.partitions:
                return known
            code = self.topology.errors.get(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            error = broker_error(code, self._missing(name, attempt))
            if not error.retriable:
                raise error
            await self._pause(attempt)
        raise error

    def stale(self) -> None:
        """Somebody found the metadata wrong: refresh it soon, once for all who say so meanwhile."""
        self._stale = True
        if not self._refreshing and not self._closed:
            self._refreshing = True
            self.tasks.start(self._refresh(), "refresh metadata")

    async def refresh(self, topics: list[str] | None = None) -> MetadataResponse:
        """Ask now: for these topics, or all there are."""
        return await self.retrying("learn of the cluster", lambda: self._ask(topics))

    # --------------------------------------------------------------------------------------- calls

    async def call(self, message: Question, tried: str, *, controller: bool = False) -> Any:
        """Ask any broker (or the one that leads the cluster, as far as is known), again when a connection fails."""
        return await self.retrying(tried, lambda: self._call_once(message, controller))

    async def call_node(self, node_id: int, message: Top) -> Any:
        """Ask this broker, once; ChannelError when that fails."""
        node = self.topology.node(node_id)
        if node is None:
            raise ChannelError(f"broker {node_id} is not known")
        channel = await self._connections.get((node.host, node.port))
        return await channel.call(message)

    async def retrying(self, tried: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Attempt until it works, until what failed is not worth trying again, or until time is up."""
        attempts = 0
        last: Exception | None = None
        try:
            async with asyncio.timeout(self.settings.operation_timeout):
                while True:
                    self.check()
                    attempts += 1
                    try:
                        return await attempt()
                    except VersionNotServed as refused:
                        raise UnsupportedByBroker(f"cannot {tried}: {refused}") from refused
                    except ChannelError as failure:
                        last = failure
                    except MoldauError as failure:
                        if not failure.retriable:
                            raise
                        last = failure
                    await self._pause(attempts)
        except TimeoutError:
            kind = TimedOut if isinstance(last, RequestExpired) else BrokerUnavailable
            raise kind(
                f"could not {tried} in {self.settings.operation_timeout:g} s and {attempts} attempts "
                f"(asked {self._asked()}): {last or 'no answer'}; "
                "see whether the brokers run and the addresses are right"
            ) from last

    # -------------------------------------------------------------------------------------- inside

    async def _ask(self, topics: list[str] | None) -> MetadataResponse:
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=self.settings.auto_create_topics)
        answer: MetadataResponse = await self._call_once(request, False)
        if answer.error_code:
            raise broker_error(answer.error_code, "asking for metadata")
        self.topology.learn(answer, self.environment.clock.monotonic_ms())
        for watcher in list(self._watchers):
            watcher()
        return answer

    async def _call_once(self, message: Question, controller: bool) -> Any:
        failure: ChannelError | None = None
        for address in self._addresses(controller):
            try:
                channel = await self._connections.get(address)
                return await channel.call(message(channel) if callable(message) else message)
            except VersionNotServed:
                raise
            except ChannelError as failed:
                failure = failed
        raise failure or ChannelError("no broker is known")

    def _addresses(self, controller: bool) -> list[Address]:
        """Where to ask, best first: the controller, then what is known, then what was configured."""
        nodes = sorted(self.topology.nodes.values(), key=lambda node: node.id)
        if controller:
            nodes.sort(key=lambda node: node.id != self.topology.controller)
        known = [(node.host, node.port) for node in nodes]
        known += self._bootstrap
        failed = self._connections.failure
        return sorted(dict.fromkeys(known), key=lambda address: failed(address) is not None)

    async def _refresh(self) -> None:
        try:
            while self._stale:
                await self._pause_between_refreshes()
                self._stale = False
                self._failures += 1
                try:
                    await self._ask(list(self._interest))
                    self._failures = 0
                except (ChannelError, MoldauError):
                    self._stale = True
        finally:
            self._refreshing = False

    async def _pause_between_refreshes(self) -> None:
        """Metadata that stays wrong must not be asked for without a pause."""
        clock = self.environment.clock
        pause_ms = self._refreshed_ms + pause_ms_after(self.settings, self._failures) - clock.monotonic_ms()
        if pause_ms > 0:
            await clock.sleep(pause_ms)
        self._refreshed_ms = clock.monotonic_ms()

    def _arm(self) -> None:
        if not self._closed:
            clock = self.environment.clock
            age_ms = round(self.settings.metadata_max_age * 1000)
            self._timer = clock.call_at(clock.monotonic_ms() + age_ms, self._aged)

    def _aged(self) -> None:
        self.stale()
        self._arm()

    async def _pause(self, failures: int) -> None:
        await self.environment.clock.sleep(pause_ms_after(self.settings, failures))

    def _missing(self, name: str, attempts: int) -> str:
        automatic = "on" if self.settings.auto_create_topics else "off (auto_create_topics)"
        return (
            f"topic {name!r} is not to be had on the cluster (asked {self._asked()}, {attempts} attempts; "
            f"automatic creation is {automatic})"
        )

    def _asked(self) -> str:
        return ", ".join(f"{host}:{port}" for host, port in self._addresses(False)[:4])


async def start_cluster(bootstrap: list[Address], environment: Environment, settings: ClientSettings) -> Cluster:
    """A cluster that has been reached; nothing stays open when it cannot be."""
    cluster = Cluster(bootstrap, environment, settings)
    try:
        await cluster.start()
    except BaseException:
        await cluster.close()
        raise
    return cluster
