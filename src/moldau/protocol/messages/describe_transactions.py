"""DescribeTransactions (API 65). The state of transactions."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, String, Table, Top


class DescribeTransactionsRequest(Top):
    """Which."""

    TABLE: ClassVar[Table] = Table("request", key=65)

    transactional_ids: list[String] = []


class TopicData(Message):
    """One of the `topics` of `TransactionState`."""

    topic: String = ""
    partitions: list[Int32] = []


class TransactionState(Message):
    """One of the `transaction_states` of `DescribeTransactionsResponse`."""

    error_code: Int16 = 0
    transactional_id: String = ""
    transaction_state: String = ""
    transaction_timeout_ms: Int32 = 0
    transaction_start_time_ms: Int64 = 0
    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    topics: list[TopicData] = []


class DescribeTransactionsResponse(Top):
    """Each of them."""

    TABLE: ClassVar[Table] = Table("response", key=65)

    throttle_time_ms: Int32 = 0
    transaction_states: list[TransactionState] = []
