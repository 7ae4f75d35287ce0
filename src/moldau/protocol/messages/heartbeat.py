"""Heartbeat (API 12). A member of a classic group says that it is alive."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, NullableString, String, Table, Top, ignorable, since


class HeartbeatRequest(Top):
    """Who is alive."""

    TABLE: ClassVar[Table] = Table("request", key=12, versions=(0, 4), flexible=4)

    group_id: String = ""
    generation_id: Int32 = 0
    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(3)] = None


class HeartbeatResponse(Top):
    """Whether to go on or to join again."""

    TABLE: ClassVar[Table] = Table("response", key=12, versions=(0, 4), flexible=4)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    error_code: Int16 = 0
