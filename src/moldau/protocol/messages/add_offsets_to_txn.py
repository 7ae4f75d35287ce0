"""AddOffsetsToTxn (API 25). The offsets of a group become part of a transaction."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, String, Table, Top


class AddOffsetsToTxnRequest(Top):
    """The transaction and the group."""

    TABLE: ClassVar[Table] = Table("request", key=25, versions=(0, 4), flexible=3)

    transactional_id: String = ""
    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    group_id: String = ""


class AddOffsetsToTxnResponse(Top):
    """Whether that was taken."""

    TABLE: ClassVar[Table] = Table("response", key=25, versions=(0, 4), flexible=3)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
