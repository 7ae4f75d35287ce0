"""AllocateProducerIds (API 67). A broker takes a block of producer ids from the controller."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Table, Top


class AllocateProducerIdsRequest(Top):
    """Who asks."""

    TABLE: ClassVar[Table] = Table("request", key=67)

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1


class AllocateProducerIdsResponse(Top):
    """The block."""

    TABLE: ClassVar[Table] = Table("response", key=67)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    producer_id_start: Int64 = 0
    producer_id_len: Int32 = 0
