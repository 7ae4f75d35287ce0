"""What a transaction leaves in `__transaction_state`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Int64, Message, String, Table, Top, since, tag


class TransactionLogKey(Top):
    """A transactional id."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=0, flexible=None)

    transactional_id: String = ""


class PartitionsSchema(Message):
    """One of the `transaction_partitions` of `TransactionLogValue`."""

    topic: String = ""
    partition_ids: list[Int32] = []


class TransactionLogValue(Top):
    """The state of its transaction."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=0, versions=(0, 1), flexible=1)

    producer_id: Int64 = 0
    previous_producer_id: Annotated[Int64, since(1), tag(0)] = -1
    next_producer_id: Annotated[Int64, since(1), tag(1)] = -1
    producer_epoch: Int16 = 0
    next_producer_epoch: Annotated[Int16, since(1), tag(3)] = -1
    transaction_timeout_ms: Int32 = 0
    transaction_status: Int8 = 0
    transaction_partitions: list[PartitionsSchema] | None = []
    transaction_last_update_timestamp_ms: Int64 = 0
    transaction_start_timestamp_ms: Int64 = 0
    client_transaction_version: Annotated[Int16, since(1), tag(2)] = 0
