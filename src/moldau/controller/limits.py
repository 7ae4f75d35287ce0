"""How much one request may ask of the controller, and the defaults it falls back on."""

from __future__ import annotations

from dataclasses import dataclass

MAX_PARTITIONS_PER_REQUEST = 10_000
"""Partitions that one request may make, as in Kafka."""

MAX_TOPICS_PER_REQUEST = 10_000
"""Topics that one request may name."""

MAX_CHANGES_PER_REQUEST = 10_000
"""Resources and configurations that one request may name, counted together."""

MAX_CONFIG_VALUE = 32_767
"""Bytes of one configuration's value, as in Kafka."""

MAX_TOPIC_NAME = 249
"""Characters: with the partition's number it is a directory's name."""

PRODUCER_ID_BLOCK = 1_000
"""Producer ids that a broker gets at once."""

MAX_WAITING_REQUESTS = 1_000
"""Requests that may wait for the quorum at once."""


@dataclass(frozen=True, slots=True)
class TopicDefaults:
    """What a topic gets whose maker leaves it open."""

    num_partitions: int = 1
    replication_factor: int = 1
