"""ExpireDelegationToken (API 40). A delegation token ends, now or later."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bytes, Int16, Int32, Int64, Table, Top


class ExpireDelegationTokenRequest(Top):
    """The token."""

    TABLE: ClassVar[Table] = Table("request", key=40, versions=(1, 2), flexible=2)

    hmac: Bytes = b""
    expiry_time_period_ms: Int64 = 0


class ExpireDelegationTokenResponse(Top):
    """Until when it is valid."""

    TABLE: ClassVar[Table] = Table("response", key=40, versions=(1, 2), flexible=2)

    error_code: Int16 = 0
    expiry_timestamp_ms: Int64 = 0
    throttle_time_ms: Int32 = 0
