"""EndTxn (API 26). A transaction ends, by commit or by abort; from version 5 its producer goes on with a new epoch."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, String, Table, Top, ignorable, since


class EndTxnRequest(Top):
    """The transaction and its outcome."""

    TABLE: ClassVar[Table] = Table("request", key=26, versions=(0, 5), flexible=3)

    transactional_id: String = ""
    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    committed: Bool = False


class EndTxnResponse(Top):
    """Whether it ended, and with what to go on."""

    TABLE: ClassVar[Table] = Table("response", key=26, versions=(0, 5), flexible=3)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    producer_id: Annotated[Int64, since(5), ignorable] = -1
    producer_epoch: Annotated[Int16, since(5), ignorable] = -1
