"""BrokerRegistration (API 62). A broker process registers with the controller."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    ignorable,
    since,
)


class Listener(Message):
    """One of the `listeners` of `BrokerRegistrationRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0
    security_protocol: Int16 = 0


class Feature(Message):
    """One of the `features` of `BrokerRegistrationRequest`."""

    name: String = ""
    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class BrokerRegistrationRequest(Top):
    """Who it is and what it can."""

    TABLE: ClassVar[Table] = Table("request", key=62, versions=(0, 4))

    broker_id: Int32 = 0
    cluster_id: String = ""
    incarnation_id: Uuid = ZERO_UUID
    listeners: list[Listener] = []
    features: list[Feature] = []
    rack: NullableString = ""
    is_migrating_zk_broker: Annotated[Bool, since(1)] = False
    log_dirs: Annotated[list[Uuid], since(2), ignorable] = []
    previous_broker_epoch: Annotated[Int64, since(3), ignorable] = -1


class BrokerRegistrationResponse(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("response", key=62, versions=(0, 4))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    broker_epoch: Int64 = -1
