"""AddPartitionsToTxn (API 24). Partitions become part of a transaction.

From version 4 a broker asks for several transactions in one request.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, Message, String, Table, Top, ignorable, since, until


class AddPartitionsToTxnTopic(Message):
    """One of the `topics` of `AddPartitionsToTxnTransaction`."""

    name: String = ""
    partitions: list[Int32] = []


class AddPartitionsToTxnTransaction(Message):
    """One of the `transactions` of `AddPartitionsToTxnRequest`."""

    transactional_id: String = ""
    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    verify_only: Bool = False
    topics: list[AddPartitionsToTxnTopic] = []


class AddPartitionsToTxnRequest(Top):
    """The transactions and their partitions."""

    TABLE: ClassVar[Table] = Table("request", key=24, versions=(0, 5), flexible=3)

    transactions: Annotated[list[AddPartitionsToTxnTransaction], since(4)] = []
    v3_and_below_transactional_id: Annotated[String, until(3)] = ""
    v3_and_below_producer_id: Annotated[Int64, until(3)] = 0
    v3_and_below_producer_epoch: Annotated[Int16, until(3)] = 0
    v3_and_below_topics: Annotated[list[AddPartitionsToTxnTopic], until(3)] = []


class AddPartitionsToTxnPartitionResult(Message):
    """One of the `results_by_partition` of `AddPartitionsToTxnTopicResult`."""

    partition_index: Int32 = 0
    partition_error_code: Int16 = 0


class AddPartitionsToTxnTopicResult(Message):
    """One of the `topic_results` of `AddPartitionsToTxnResult`."""

    name: String = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []


class AddPartitionsToTxnResult(Message):
    """One of the `results_by_transaction` of `AddPartitionsToTxnResponse`."""

    transactional_id: String = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = []


class AddPartitionsToTxnResponse(Top):
    """What became of each partition."""

    TABLE: ClassVar[Table] = Table("response", key=24, versions=(0, 5), flexible=3)

    throttle_time_ms: Int32 = 0
    error_code: Annotated[Int16, since(4), ignorable] = 0
    results_by_transaction: Annotated[list[AddPartitionsToTxnResult], since(4)] = []
    results_by_topic_v3_and_below: Annotated[list[AddPartitionsToTxnTopicResult], until(3)] = []
