"""What one partition's log is told to do; made by the broker from the topic's configuration."""

from __future__ import annotations

from dataclasses import dataclass

MAX_SEGMENT_BYTES = 2**31 - 1
"""Positions in an index are int32."""


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Kafka's topic settings that storage obeys, with Kafka's defaults."""

    segment_bytes: int = 1 << 30
    segment_ms: int = 7 * 24 * 3600 * 1000
    index_interval_bytes: int = 4096
    segment_index_bytes: int = 10 << 20
    max_message_bytes: int = (1 << 20) + 12
    dense: bool = True
    """Whether every offset is stored; false where compaction leaves gaps, which recovery cannot tell from a loss."""

    def __post_init__(self) -> None:
        if not 0 < self.segment_bytes <= MAX_SEGMENT_BYTES:
            raise ValueError(f"segment.bytes must be 1 to {MAX_SEGMENT_BYTES}, not {self.segment_bytes}")
        if self.segment_ms < 1:
            raise ValueError(f"segment.ms must be at least 1, not {self.segment_ms}")
        if self.index_interval_bytes < 0:
            raise ValueError(f"index.interval.bytes must not be negative, not {self.index_interval_bytes}")
        if self.segment_index_bytes < 24:
            raise ValueError(f"segment.index.bytes must hold two entries (24), not {self.segment_index_bytes}")
        if self.max_message_bytes < 0:
            raise ValueError(f"max.message.bytes must not be negative, not {self.max_message_bytes}")
