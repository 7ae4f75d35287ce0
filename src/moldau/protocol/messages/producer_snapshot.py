"""The producers of a partition, as they rest in a `.snapshot` file."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, Table, Top, Uint32


class ProducerEntry(Message):
    """One of the `producer_entries` of `ProducerSnapshot`."""

    producer_id: Int64 = 0
    epoch: Int16 = 0
    last_sequence: Int32 = 0
    last_offset: Int64 = 0
    offset_delta: Int32 = 0
    timestamp: Int64 = 0
    coordinator_epoch: Int32 = 0
    current_txn_first_offset: Int64 = 0


class ProducerSnapshot(Top):
    """All producers at an offset."""

    TABLE: ClassVar[Table] = Table("data", versions=(1, 1), flexible=None)

    crc: Uint32 = 0
    producer_entries: list[ProducerEntry] = []
