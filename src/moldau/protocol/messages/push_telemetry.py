"""PushTelemetry (API 72). A client sends its metrics."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Bool, Bytes, Int8, Int16, Int32, Table, Top, Uuid


class PushTelemetryRequest(Top):
    """The metrics."""

    TABLE: ClassVar[Table] = Table("request", key=72)

    client_instance_id: Uuid = ZERO_UUID
    subscription_id: Int32 = 0
    terminating: Bool = False
    compression_type: Int8 = 0
    metrics: Bytes = b""


class PushTelemetryResponse(Top):
    """Whether they were taken."""

    TABLE: ClassVar[Table] = Table("response", key=72)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
