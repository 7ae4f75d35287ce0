"""Where a broker is put together, started and stopped.

`assemble` is called by the command line, the embedded cluster and the simulator, each with its own environment.
Nothing in a broker is global: when the object goes, the node is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from moldau.broker.errors import CannotStart
from moldau.broker.hosting import Hosting
from moldau.broker.journal import Journal
from moldau.broker.listener import ConnectionLimits, Reception
from moldau.broker.node import Node
from moldau.broker.partition_driver import PartitionDriver
from moldau.broker.publisher import Publisher
from moldau.broker.quorum.driver import QuorumDriver
from moldau.broker.quorum.metadata_log import MetadataLog
from moldau.broker.quorum.state_file import UnreadableState, read_state
from moldau.broker.retention import Retention
from moldau.broker.router import Router
from moldau.broker.served import HANDLERS
from moldau.broker.settings import BrokerSettings, Endpoint
from moldau.broker.turn import Turn, TurningOffload
from moldau.controller import (
    CONTROLLER_FEATURES,
    Decide,
    QuorumController,
    Registration,
    bootstrap_records,
    register_broker,
    unfence_broker,
)
from moldau.environment.doors import Environment, Listener, Timer
from moldau.metadata import Endpoint as RegisteredEndpoint
from moldau.metrics import Registry
from moldau.model import ApiError, TopicPartition
from moldau.raft import Raft, RaftConfig
from moldau.storage import Committer, CorruptLog, DirectoryInUse, ForeignDirectory, Identity, LogDirectory, LogSettings

METADATA = TopicPartition("__cluster_metadata", 0)
PLAINTEXT = 0
CHECKPOINT_MS = 60_000
DRAIN_MS = 1_500
"""How long a stop waits for answers to leave."""


class Broker:
    """One broker: controller, partitions and listeners in one process."""

    def __init__(self, settings: BrokerSettings, environment: Environment, write: Callable[[str], None]) -> None:
        self.settings = settings
        self.metrics = Registry()
        self._environment = environment
        self._clock = environment.clock
        self._turn = Turn()
        self._offload = TurningOffload(environment.offload, self._turn)
        self._journal = Journal(environment.clock, write)
        self._committer = Committer(self._offload)
        self._reception = Reception(
            environment.network,
            environment.clock,
            self._turn,
            self._journal,
            self.metrics,
            ConnectionLimits(
                connections=settings.max_connections,
                connections_per_address=settings.max_connections_per_ip,
                request_bytes=settings.socket_request_max_bytes,
                idle_ms=settings.connections_max_idle_ms,
            ),
        )
        self._endpoints: list[Endpoint] = []
        self._advertised: list[Endpoint] = []
        self._directory: LogDirectory | None = None
        self._node: Node | None = None
        self._checkpoint: Timer | None = None
        self._epoch = -1
        self._failure: asyncio.Future[str] | None = None

    @property
    def bootstrap(self) -> str:
        """The first address that clients can reach, as `host:port`."""
        first = self._advertised[0]
        return f"{first.host}:{first.port}"

    async def start(self) -> None:
        """Serve; CannotStart says what to change."""
        loop = asyncio.get_running_loop()
        self._failure = loop.create_future()
        listeners = [(endpoint, self._listen(endpoint)) for endpoint in self.settings.endpoints]
        self._advertised = [self.settings.advertised_for(endpoint, made.port) for endpoint, made in listeners]
        try:
            self._directory = directory = await self._open_directory(loop)
            controller = await self._open_controller(directory)
            self._node = self._make_node(directory, controller)
            await self._take_office(self._node, directory, controller)
        except BaseException:
            self._reception.close_listeners()
            raise
        self._reception.open(Router(self._node, HANDLERS).serve)
        self._checkpoint_later()
        self._node.retention.start()

    async def failed(self) -> str:
        """Wait until the broker can serve no more, which may be never; why."""
        assert self._failure is not None
        return await asyncio.shield(self._failure)

    async def stop(self) -> None:
        """Answer what can be answered, put everything on disk, let go of the directory."""
        self._reception.close_listeners()
        if self._checkpoint is not None:
            self._checkpoint.cancel()
        node, directory = self._node, self._directory
        if node is None or directory is None:
            return
        node.controller.stop()
        node.retention.stop()
        await self._committed()
        partitions = node.hosting.partitions()
        self._turn.enter()
        for hosted in partitions:
            hosted.close()
        self._turn.leave()
        await self._emptied()
        await self._committed()
        await self._starts_written(node.retention)
        high_watermarks = {TopicPartition(each.topic, each.index): each.high_watermark for each in partitions}
        try:
            await self._offload.run(partial(directory.close, broker_epoch=self._epoch, high_watermarks=high_watermarks))
        except (OSError, ApiError) as failed:
            self._journal.tell("unclean", f"the stop was not clean, the next start recovers: {failed}")

    # ------------------------------------------------------------------------------------------- starting

    def _listen(self, endpoint: Endpoint) -> Listener:
        try:
            return self._reception.listen(endpoint)
        except OSError as refused:
            raise CannotStart(
                f"cannot listen at {endpoint.host}:{endpoint.port}: {refused.strerror or refused}; "
                "stop what listens there or choose another --listen"
            ) from refused

    async def _open_directory(self, loop: asyncio.AbstractEventLoop) -> LogDirectory:
        path = self.settings.data_dir

        def failed(error: OSError) -> None:
            loop.call_soon_threadsafe(self._fail, f"the data directory {path} failed: {error}")

        chance = self._environment.chance
        try:
            return await self._offload.run(
                partial(
                    LogDirectory.open,
                    self._environment.disk,
                    path,
                    Identity(self.settings.node_id),
                    new_id=chance.uuid,
                    failed=failed,
                )
            )
        except (DirectoryInUse, ForeignDirectory, CorruptLog) as refused:
            raise CannotStart(str(refused)) from refused
        except OSError as refused:
            raise CannotStart(
                f"cannot use the data directory {path}: {refused.strerror or refused}; "
                "make it writable or choose another with --data"
            ) from refused

    async def _open_controller(self, directory: LogDirectory) -> QuorumDriver:
        settings, clock = self.settings, self._clock
        disk = self._environment.disk
        try:
            log = await self._offload.run(partial(directory.open_log, METADATA, LogSettings()))
            persisted = await self._offload.run(partial(read_state, disk, log.directory))
        except (CorruptLog, UnreadableState, ApiError, OSError) as refused:
            raise CannotStart(f"cannot read the cluster's metadata: {refused}") from refused
        metadata_log = MetadataLog(log, clock)
        raft = Raft(
            RaftConfig(
                settings.node_id,
                (settings.node_id,),
                election_timeout_ms=settings.election_timeout_ms,
                fetch_timeout_ms=settings.fetch_timeout_ms,
            ),
            persisted,
            metadata_log,
            self._environment.chance.stream("raft"),
            clock.monotonic_ms(),
        )
        assert directory.identity.cluster_id is not None
        machine = QuorumController(raft, directory.identity.cluster_id, bootstrap_records({}))
        return QuorumDriver(raft, machine, metadata_log, self._committer, disk, self._offload, clock, self._journal)

    def _make_node(self, directory: LogDirectory, controller: QuorumDriver) -> Node:
        assert directory.identity.cluster_id is not None
        hosting = Hosting()
        retention = Retention(
            self.settings, directory, hosting, self._committer, self._clock, self._offload, self._journal
        )
        return Node(
            self.settings,
            self._clock,
            self._environment.chance,
            self._turn,
            self._journal,
            self.metrics,
            controller,
            directory.identity.cluster_id,
            sorted(handler.API for handler in HANDLERS),
            directory,
            self._offload,
            hosting,
            retention,
        )

    async def _take_office(self, node: Node, directory: LogDirectory, controller: QuorumDriver) -> None:
        """Lead the quorum, take in the whole picture, register this broker in it and have it take part."""
        partitions = PartitionDriver(
            self.settings,
            directory,
            node.hosting,
            self._committer,
            self._clock,
            self._environment.chance,
            self._offload,
            self._journal,
        )
        controller.start((partitions, Publisher(node)))
        registration = self._registration(directory)
        self._epoch = epoch = await self._decided(
            controller, lambda image, next_offset: register_broker(registration, image, next_offset)
        )
        await self._decided(controller, lambda image, _: unfence_broker(image, registration.broker_id, epoch))

    def _registration(self, directory: LogDirectory) -> Registration:
        identity = directory.identity
        assert identity.cluster_id is not None
        return Registration(
            broker_id=self.settings.node_id,
            cluster_id=identity.cluster_id,
            incarnation_id=self._environment.chance.uuid(),
            endpoints=tuple(RegisteredEndpoint(one.name, one.host, one.port, PLAINTEXT) for one in self._advertised),
            features=CONTROLLER_FEATURES,
            rack=self.settings.rack,
            log_dirs=(identity.directory_id,) if identity.directory_id is not None else (),
        )

    async def _decided(self, controller: QuorumDriver, decide: Decide) -> Any:
        decided = asyncio.get_running_loop().create_future()

        def done(response: Any, refusal: ApiError | None) -> None:
            if decided.done():
                return
            if refusal is None:
                decided.set_result(response)
            else:
                decided.set_exception(CannotStart(f"the controller refused to start: {refusal}"))

        controller.submit(decide, done)
        assert self._failure is not None
        await asyncio.wait((decided, self._failure), return_when=asyncio.FIRST_COMPLETED)
        if decided.cancel():  # the disk failed first: nobody will decide any more
            raise CannotStart(self._failure.result())
        return decided.result()

    # ------------------------------------------------------------------------------------ while it serves

    def _checkpoint_later(self) -> None:
        self._checkpoint = self._clock.call_at(self._clock.monotonic_ms() + CHECKPOINT_MS, self._write_checkpoint)

    def _write_checkpoint(self) -> None:
        node, directory = self._node, self._directory
        assert node is not None
        assert directory is not None
        marks = {TopicPartition(each.topic, each.index): each.high_watermark for each in node.hosting.partitions()}

        def written(_: None, error: BaseException | None) -> None:
            if error is not None:
                self._journal.tell("checkpoint failed", f"offsets could not be written down: {error}")
            if self._checkpoint is not None:
                self._checkpoint_later()

        self._offload.submit(partial(directory.checkpoint, marks), written)

    def _fail(self, why: str) -> None:
        assert self._failure is not None
        self._journal.tell("failed", why)
        if not self._failure.done():
            self._failure.set_result(why)

    # ------------------------------------------------------------------------------------------- stopping

    async def _committed(self) -> None:
        """Until no sync is under way."""
        if not self._committer.idle:
            idle = asyncio.get_running_loop().create_future()
            self._committer.when_idle(lambda: idle.set_result(None))
            await idle

    async def _starts_written(self, retention: Retention) -> None:
        """Until nobody writes down where logs begin."""
        if not retention.idle:
            idle = asyncio.get_running_loop().create_future()
            retention.when_idle(lambda: idle.set_result(None))
            await idle

    async def _emptied(self) -> None:
        """Until every connection is closed, its answers sent or given up."""
        emptied = asyncio.get_running_loop().create_future()
        timer = self._clock.call_at(self._clock.monotonic_ms() + DRAIN_MS, self._reception.abort_connections)
        self._reception.close_connections(lambda: emptied.set_result(None))
        await emptied
        timer.cancel()


def assemble(
    settings: BrokerSettings, environment: Environment, write: Callable[[str], None] = lambda line: None
) -> Broker:
    """A broker with these settings on these doors; `write` takes its log lines."""
    return Broker(settings, environment, write)
