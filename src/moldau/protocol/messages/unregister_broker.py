"""UnregisterBroker (API 64). A broker is gone for good."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, NullableString, Table, Top


class UnregisterBrokerRequest(Top):
    """Which."""

    TABLE: ClassVar[Table] = Table("request", key=64)

    broker_id: Int32 = 0


class UnregisterBrokerResponse(Top):
    """Whether it was taken."""

    TABLE: ClassVar[Table] = Table("response", key=64)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
