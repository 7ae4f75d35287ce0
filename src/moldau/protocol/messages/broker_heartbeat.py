"""BrokerHeartbeat (API 63). A broker says that it is alive and what it wants to be."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, Table, Top, Uuid, since, tag


class BrokerHeartbeatRequest(Top):
    """How far it is, and what it wants."""

    TABLE: ClassVar[Table] = Table("request", key=63, versions=(0, 2))

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1
    current_metadata_offset: Int64 = 0
    want_fence: Bool = False
    want_shut_down: Bool = False
    offline_log_dirs: Annotated[list[Uuid], since(1), tag(0)] = []
    cordoned_log_dirs: Annotated[list[Uuid] | None, since(2), tag(1)] = None


class BrokerHeartbeatResponse(Top):
    """What it is."""

    TABLE: ClassVar[Table] = Table("response", key=63, versions=(0, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    is_caught_up: Bool = False
    is_fenced: Bool = True
    should_shut_down: Bool = False
