"""InitProducerId (API 22). A producer id and epoch for an idempotent or transactional producer.

Version 6 (two-phase commit) may still change.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, NullableString, Table, Top, since


class InitProducerIdRequest(Top):
    """Who wants to produce."""

    TABLE: ClassVar[Table] = Table("request", key=22, versions=(0, 6), flexible=2, unstable=True)

    transactional_id: NullableString = ""
    transaction_timeout_ms: Int32 = 0
    producer_id: Annotated[Int64, since(3)] = -1
    producer_epoch: Annotated[Int16, since(3)] = -1
    enable_2pc: Annotated[Bool, since(6)] = False
    keep_prepared_txn: Annotated[Bool, since(6)] = False


class InitProducerIdResponse(Top):
    """The id and epoch to produce with."""

    TABLE: ClassVar[Table] = Table("response", key=22, versions=(0, 6), flexible=2)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    producer_id: Int64 = -1
    producer_epoch: Int16 = 0
    ongoing_txn_producer_id: Annotated[Int64, since(6)] = -1
    ongoing_txn_producer_epoch: Annotated[Int16, since(6)] = -1
