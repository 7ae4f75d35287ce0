"""GetTelemetrySubscriptions (API 71). A client asks which of its metrics are wanted."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Bool, Int8, Int16, Int32, String, Table, Top, Uuid


class GetTelemetrySubscriptionsRequest(Top):
    """Which client."""

    TABLE: ClassVar[Table] = Table("request", key=71)

    client_instance_id: Uuid = ZERO_UUID


class GetTelemetrySubscriptionsResponse(Top):
    """What is wanted, and how often."""

    TABLE: ClassVar[Table] = Table("response", key=71)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    client_instance_id: Uuid = ZERO_UUID
    subscription_id: Int32 = 0
    accepted_compression_types: list[Int8] = []
    push_interval_ms: Int32 = 0
    telemetry_max_bytes: Int32 = 0
    delta_temporality: Bool = False
    requested_metrics: list[String] = []
