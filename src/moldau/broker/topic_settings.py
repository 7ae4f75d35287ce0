"""A topic's configs: one table of names, read over the broker's defaults.

Called by the controller's request handlers (validation), the partition driver (what the log does) and DescribeConfigs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moldau.broker.configs import LONG_MAX, ConfigError, Kind, config, nearest, resolve, table_of

_CODECS = ("uncompressed", "gzip", "snappy", "lz4", "zstd", "producer")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSettings:
    """Everything that can be set on a topic. The first synonym is the broker's name for the default."""

    cleanup_policy: tuple[str, ...] = config(
        "cleanup.policy",
        Kind.LIST,
        ("delete",),
        "What happens to old records: they are deleted, or only the last one of each key is kept.",
        one_of=("delete", "compact"),
        synonyms=("log.cleanup.policy",),
    )
    compression_type: str = config(
        "compression.type",
        Kind.STRING,
        "producer",
        "The codec of stored batches; producer = as they arrive.",
        one_of=_CODECS,
        synonyms=("compression.type",),
    )
    compression_gzip_level: int = config("compression.gzip.level", Kind.INT, -1, "Level of gzip.")
    compression_lz4_level: int = config("compression.lz4.level", Kind.INT, 9, "Level of lz4.")
    compression_zstd_level: int = config("compression.zstd.level", Kind.INT, 3, "Level of zstd.")
    delete_retention_ms: int = config(
        "delete.retention.ms",
        Kind.LONG,
        86_400_000,
        "How long a tombstone is kept in a compacted topic.",
        unit="ms",
        at_least=0,
        synonyms=("log.cleaner.delete.retention.ms",),
    )
    file_delete_delay_ms: int = config(
        "file.delete.delay.ms",
        Kind.LONG,
        60_000,
        "How long a deleted file is kept.",
        unit="ms",
        at_least=0,
        synonyms=("log.segment.delete.delay.ms",),
    )
    flush_messages: int = config(
        "flush.messages",
        Kind.LONG,
        LONG_MAX,
        "Sync the log after this many records.",
        at_least=1,
        synonyms=("log.flush.interval.messages",),
    )
    flush_ms: int = config(
        "flush.ms",
        Kind.LONG,
        LONG_MAX,
        "Sync the log after this long.",
        unit="ms",
        at_least=0,
        synonyms=("log.flush.interval.ms",),
    )
    follower_throttled: tuple[str, ...] = config(
        "follower.replication.throttled.replicas", Kind.LIST, (), "Followers whose replication is throttled."
    )
    index_interval_bytes: int = config(
        "index.interval.bytes",
        Kind.INT,
        4096,
        "Log bytes for each index entry.",
        unit="bytes",
        at_least=0,
        synonyms=("log.index.interval.bytes",),
    )
    leader_throttled: tuple[str, ...] = config(
        "leader.replication.throttled.replicas", Kind.LIST, (), "Leaders whose replication is throttled."
    )
    local_retention_bytes: int = config(
        "local.retention.bytes",
        Kind.LONG,
        -2,
        "Bytes kept here when older segments are stored remotely; -2 = retention.bytes.",
        unit="bytes",
        at_least=-2,
        synonyms=("log.local.retention.bytes",),
    )
    local_retention_ms: int = config(
        "local.retention.ms",
        Kind.LONG,
        -2,
        "How long records are kept here when older segments are stored remotely; -2 = retention.ms.",
        unit="ms",
        at_least=-2,
        synonyms=("log.local.retention.ms",),
    )
    max_compaction_lag_ms: int = config(
        "max.compaction.lag.ms",
        Kind.LONG,
        LONG_MAX,
        "A record is compacted at the latest after this.",
        unit="ms",
        at_least=1,
        synonyms=("log.cleaner.max.compaction.lag.ms",),
    )
    max_message_bytes: int = config(
        "max.message.bytes",
        Kind.INT,
        1_048_588,
        "The largest record batch.",
        unit="bytes",
        at_least=0,
        synonyms=("message.max.bytes",),
    )
    timestamp_after_max_ms: int = config(
        "message.timestamp.after.max.ms",
        Kind.LONG,
        3_600_000,
        "Records further in the future are refused.",
        unit="ms",
        at_least=0,
        synonyms=("log.message.timestamp.after.max.ms",),
    )
    timestamp_before_max_ms: int = config(
        "message.timestamp.before.max.ms",
        Kind.LONG,
        LONG_MAX,
        "Records older than this are refused.",
        unit="ms",
        at_least=0,
        synonyms=("log.message.timestamp.before.max.ms",),
    )
    timestamp_type: str = config(
        "message.timestamp.type",
        Kind.STRING,
        "CreateTime",
        "Whether records carry their producer's time or the broker's.",
        one_of=("CreateTime", "LogAppendTime"),
        synonyms=("log.message.timestamp.type",),
    )
    min_cleanable_dirty_ratio: float = config(
        "min.cleanable.dirty.ratio",
        Kind.DOUBLE,
        0.5,
        "The share of a log that must be new before it is compacted.",
        at_least=0,
        at_most=1,
        synonyms=("log.cleaner.min.cleanable.ratio",),
    )
    min_compaction_lag_ms: int = config(
        "min.compaction.lag.ms",
        Kind.LONG,
        0,
        "A record is compacted at the earliest after this.",
        unit="ms",
        at_least=0,
        synonyms=("log.cleaner.min.compaction.lag.ms",),
    )
    min_insync_replicas: int = config(
        "min.insync.replicas",
        Kind.INT,
        1,
        "Replicas that must have a record before acks=all is answered.",
        at_least=1,
        synonyms=("min.insync.replicas",),
    )
    preallocate: bool = config(
        "preallocate", Kind.BOOLEAN, False, "Whether segments take their space at once.", synonyms=("log.preallocate",)
    )
    remote_copy_disable: bool = config(
        "remote.log.copy.disable", Kind.BOOLEAN, False, "Whether nothing further is stored remotely."
    )
    remote_delete_on_disable: bool = config(
        "remote.log.delete.on.disable", Kind.BOOLEAN, False, "Whether disabling remote storage deletes what is there."
    )
    remote_storage: bool = config(
        "remote.storage.enable", Kind.BOOLEAN, False, "Whether older segments are stored remotely."
    )
    retention_bytes: int = config(
        "retention.bytes",
        Kind.LONG,
        -1,
        "How many bytes of a partition are kept; -1 is all.",
        unit="bytes",
        synonyms=("log.retention.bytes",),
    )
    retention_ms: int = config(
        "retention.ms",
        Kind.LONG,
        604_800_000,
        "How long records are kept; -1 is for ever.",
        unit="ms",
        at_least=-1,
        synonyms=("log.retention.ms",),
    )
    segment_bytes: int = config(
        "segment.bytes",
        Kind.INT,
        1 << 30,
        "Size of one log segment.",
        unit="bytes",
        at_least=1 << 20,
        synonyms=("log.segment.bytes",),
    )
    segment_index_bytes: int = config(
        "segment.index.bytes",
        Kind.INT,
        10_485_760,
        "Largest index of a segment.",
        unit="bytes",
        at_least=4,
        synonyms=("log.index.size.max.bytes",),
    )
    segment_jitter_ms: int = config(
        "segment.jitter.ms",
        Kind.LONG,
        0,
        "Spreads the closing of segments over this long.",
        unit="ms",
        at_least=0,
        synonyms=("log.roll.jitter.ms",),
    )
    segment_ms: int = config(
        "segment.ms",
        Kind.LONG,
        604_800_000,
        "A segment is closed after this long.",
        unit="ms",
        at_least=1,
        synonyms=("log.roll.ms",),
    )
    unclean_leader_election: bool = config(
        "unclean.leader.election.enable",
        Kind.BOOLEAN,
        False,
        "Whether a replica that is not in sync may lead, at the price of records.",
        synonyms=("unclean.leader.election.enable",),
    )

    compacted: bool = field(init=False)
    deletes: bool = field(init=False)
    append_time: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compacted", "compact" in self.cleanup_policy)
        object.__setattr__(self, "deletes", "delete" in self.cleanup_policy)
        object.__setattr__(self, "append_time", self.timestamp_type == "LogAppendTime")


TOPIC_CONFIGS = table_of(TopicSettings)


def check_topic_configs(configs: Mapping[str, str | None]) -> None:
    """ConfigError for the first name or value that a topic cannot have."""
    for name, text in configs.items():
        if name not in TOPIC_CONFIGS:
            raise ConfigError(f"a topic has no configuration {name}{nearest(name, TOPIC_CONFIGS)}")
        if text is None:
            raise ConfigError(f"{name} has no value: give it one or leave it out")
        TOPIC_CONFIGS[name][1].parse(text)


def topic_settings(broker: Mapping[str, str], configs: Mapping[str, str]) -> TopicSettings:
    """The settings of a topic with these configs on a broker where these names were given."""
    values: dict[str, Any] = {}
    for name, (target, row) in TOPIC_CONFIGS.items():
        text = configs.get(name)
        if text is None:
            text = resolve(row, broker)
        if text is not None:
            values[target] = row.parse(text)
    return TopicSettings(**values)
