"""The broker's settings: one table of names, which is also the frozen class that the broker reads.

Names are Kafka's unless marked as own. Made by `load_settings` (broker/load.py) or directly in tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from moldau.broker.configs import LONG_MAX, Kind, config

FSYNC = "fsync"
PAGE_CACHE = "page-cache"


class Endpoint(NamedTuple):
    """One listening or advertised address."""

    name: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """Everything that can be set on a broker."""

    data_dir: str
    """The first of log.dirs, absolute."""
    endpoints: tuple[Endpoint, ...] = (Endpoint("PLAINTEXT", "127.0.0.1", 9092),)
    """`listeners`, without those of the controller."""
    advertised: tuple[Endpoint, ...] = ()
    """`advertised.listeners`; one that is missing advertises the address that it listens on."""
    given: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The text of every name that was set, for DescribeConfigs and topic defaults."""

    # ------------------------------------------------------------------------------------- this node
    node_id: int = config("node.id", Kind.INT, 1, "The number of this node in its cluster.", at_least=0)
    process_roles: tuple[str, ...] = config(
        "process.roles",
        Kind.LIST,
        ("broker", "controller"),
        "What this process is; both roles run in one process.",
        one_of=("broker", "controller"),
    )
    log_dirs: tuple[str, ...] = config(
        "log.dirs", Kind.LIST, (), "The directory that holds all data; exactly one.", synonyms=("log.dir",)
    )
    rack: str | None = config("broker.rack", Kind.STRING, None, "The rack or zone of this broker, told to clients.")
    durability: str = config(
        "durability",
        Kind.STRING,
        FSYNC,
        "When acks=all is answered: fsync = once the records are on the disk (many answers share one sync); "
        "page-cache = once the operating system has them, as Kafka does.",
        one_of=(FSYNC, PAGE_CACHE),
        own=True,
    )

    # ------------------------------------------------------------------------------------- listeners
    listeners: tuple[str, ...] = config(
        "listeners", Kind.LIST, ("PLAINTEXT://127.0.0.1:9092",), "Where to listen, as NAME://HOST:PORT; port 0 is any."
    )
    advertised_listeners: tuple[str, ...] | None = config(
        "advertised.listeners", Kind.LIST, None, "What clients are told to connect to, as NAME://HOST:PORT."
    )
    protocol_map: tuple[str, ...] = config(
        "listener.security.protocol.map",
        Kind.LIST,
        ("PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"),
        "The security protocol of each listener name, as NAME:PROTOCOL.",
    )
    controller_listener_names: tuple[str, ...] = config(
        "controller.listener.names",
        Kind.LIST,
        ("CONTROLLER",),
        "Listeners of the quorum; not opened while this node is the only voter.",
    )
    quorum_voters: tuple[str, ...] = config(
        "controller.quorum.voters", Kind.LIST, (), "The voters, as ID@HOST:PORT; this node alone."
    )
    quorum_bootstrap: tuple[str, ...] = config(
        "controller.quorum.bootstrap.servers", Kind.LIST, (), "Where the quorum is found; this node alone."
    )
    max_connections: int = config(
        "max.connections", Kind.INT, 20_000, "Connections that may be open at one time.", at_least=1
    )
    max_connections_per_ip: int = config(
        "max.connections.per.ip", Kind.INT, 20_000, "Connections that may be open from one address.", at_least=1
    )
    connections_max_idle_ms: int = config(
        "connections.max.idle.ms", Kind.LONG, 600_000, "An idle connection is closed after this long.", unit="ms"
    )
    socket_request_max_bytes: int = config(
        "socket.request.max.bytes", Kind.INT, 104_857_600, "The largest request.", unit="bytes", at_least=1
    )

    # ---------------------------------------------------------------------------------------- topics
    num_partitions: int = config(
        "num.partitions", Kind.INT, 1, "Partitions of a topic whose creator names no number.", at_least=1
    )
    default_replication_factor: int = config(
        "default.replication.factor", Kind.INT, 1, "Replicas of a topic whose creator names no number.", at_least=1
    )
    auto_create_topics: bool = config(
        "auto.create.topics.enable", Kind.BOOLEAN, True, "Whether asking for a missing topic creates it."
    )
    delete_topics: bool = config("delete.topic.enable", Kind.BOOLEAN, True, "Whether topics can be deleted.")

    # -------------------------------------------------------------------- defaults of topic configs
    message_max_bytes: int = config(
        "message.max.bytes", Kind.INT, 1_048_588, "The largest record batch.", unit="bytes", at_least=0
    )
    log_segment_bytes: int = config(
        "log.segment.bytes", Kind.INT, 1 << 30, "Size of one log segment.", unit="bytes", at_least=1 << 20
    )
    log_roll_ms: int = config(
        "log.roll.ms", Kind.LONG, 604_800_000, "A segment is closed after this long.", unit="ms", at_least=1
    )
    log_retention_ms: int = config(
        "log.retention.ms", Kind.LONG, 604_800_000, "How long records are kept; -1 is for ever.", unit="ms", at_least=-1
    )
    log_retention_bytes: int = config(
        "log.retention.bytes", Kind.LONG, -1, "How many bytes of a partition are kept; -1 is all.", unit="bytes"
    )
    log_segment_delete_delay_ms: int = config(
        "log.segment.delete.delay.ms", Kind.LONG, 60_000, "How long a deleted file is kept.", unit="ms", at_least=0
    )
    log_index_interval_bytes: int = config(
        "log.index.interval.bytes", Kind.INT, 4096, "Log bytes for each index entry.", unit="bytes", at_least=0
    )
    log_index_size_max_bytes: int = config(
        "log.index.size.max.bytes", Kind.INT, 10_485_760, "Largest index of a segment.", unit="bytes", at_least=4
    )
    log_cleanup_policy: tuple[str, ...] = config(
        "log.cleanup.policy", Kind.LIST, ("delete",), "What happens to old records.", one_of=("delete", "compact")
    )
    log_timestamp_type: str = config(
        "log.message.timestamp.type",
        Kind.STRING,
        "CreateTime",
        "Whether records carry their producer's time or the broker's.",
        one_of=("CreateTime", "LogAppendTime"),
    )
    log_timestamp_before_max_ms: int = config(
        "log.message.timestamp.before.max.ms", Kind.LONG, LONG_MAX, "Older records are refused.", unit="ms", at_least=0
    )
    log_timestamp_after_max_ms: int = config(
        "log.message.timestamp.after.max.ms",
        Kind.LONG,
        3_600_000,
        "Records further in the future are refused.",
        unit="ms",
        at_least=0,
    )
    min_insync_replicas: int = config(
        "min.insync.replicas", Kind.INT, 1, "Replicas that must have a record before acks=all is answered.", at_least=1
    )

    # ------------------------------------------------------------------------------- limits and times
    log_retention_check_interval_ms: int = config(
        "log.retention.check.interval.ms",
        Kind.LONG,
        300_000,
        "How often logs are looked over for old records.",
        unit="ms",
        at_least=1,
    )
    log_initial_task_delay_ms: int = config(
        "log.initial.task.delay.ms",
        Kind.LONG,
        30_000,
        "How long after the start they are looked over first.",
        unit="ms",
        at_least=0,
    )
    fetch_max_bytes: int = config(
        "fetch.max.bytes", Kind.INT, 57_671_680, "Most bytes of one Fetch answer.", unit="bytes", at_least=1024
    )
    max_request_partitions: int = config(
        "max.request.partition.size.limit", Kind.INT, 2000, "Most partitions in one description.", at_least=1
    )
    producer_id_expiration_ms: int = config(
        "producer.id.expiration.ms", Kind.INT, 86_400_000, "A silent producer is forgotten after this.", unit="ms"
    )
    election_timeout_ms: int = config(
        "controller.quorum.election.timeout.ms", Kind.INT, 1000, "How long a candidate waits.", unit="ms", at_least=1
    )
    fetch_timeout_ms: int = config(
        "controller.quorum.fetch.timeout.ms",
        Kind.INT,
        2000,
        "A voter that hears nothing this long stands for election.",
        unit="ms",
        at_least=1,
    )

    def advertised_for(self, endpoint: Endpoint, port: int) -> Endpoint:
        """What clients are told for this listener, which listens on this port."""
        for advertised in self.advertised:
            if advertised.name == endpoint.name:
                return advertised._replace(port=advertised.port or port)
        return endpoint._replace(port=port)
