"""ControllerRegistration (API 70). A controller registers with the active one."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
)


class Listener(Message):
    """One of the `listeners` of `ControllerRegistrationRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0
    security_protocol: Int16 = 0


class Feature(Message):
    """One of the `features` of `ControllerRegistrationRequest`."""

    name: String = ""
    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class ControllerRegistrationRequest(Top):
    """Who it is and what it can."""

    TABLE: ClassVar[Table] = Table("request", key=70)

    controller_id: Int32 = 0
    incarnation_id: Uuid = ZERO_UUID
    zk_migration_ready: Bool = False
    listeners: list[Listener] = []
    features: list[Feature] = []


class ControllerRegistrationResponse(Top):
    """Whether it was taken."""

    TABLE: ClassVar[Table] = Table("response", key=70)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
