"""RenewDelegationToken (API 39). A delegation token is valid for longer."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bytes, Int16, Int32, Int64, Table, Top


class RenewDelegationTokenRequest(Top):
    """The token."""

    TABLE: ClassVar[Table] = Table("request", key=39, versions=(1, 2), flexible=2)

    hmac: Bytes = b""
    renew_period_ms: Int64 = 0


class RenewDelegationTokenResponse(Top):
    """Until when it is valid."""

    TABLE: ClassVar[Table] = Table("response", key=39, versions=(1, 2), flexible=2)

    error_code: Int16 = 0
    expiry_timestamp_ms: Int64 = 0
    throttle_time_ms: Int32 = 0
