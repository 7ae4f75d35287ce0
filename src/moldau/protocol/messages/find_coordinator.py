"""FindCoordinator (API 10). The broker that coordinates a group, a transactional id or a share partition.

From version 4 many keys are asked for at once.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    Int8,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    between,
    ignorable,
    since,
    until,
)


class FindCoordinatorRequest(Top):
    """The keys to look up."""

    TABLE: ClassVar[Table] = Table("request", key=10, versions=(0, 6), flexible=3)

    key: Annotated[String, until(3)] = ""
    key_type: Annotated[Int8, since(1)] = 0
    coordinator_keys: Annotated[list[String], since(4)] = []


class Coordinator(Message):
    """One of the `coordinators` of `FindCoordinatorResponse`."""

    key: String = ""
    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""


class FindCoordinatorResponse(Top):
    """The coordinators."""

    TABLE: ClassVar[Table] = Table("response", key=10, versions=(0, 6), flexible=3)

    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    error_code: Annotated[Int16, until(3)] = 0
    error_message: Annotated[NullableString, between(1, 3), ignorable] = ""
    node_id: Annotated[Int32, until(3)] = 0
    host: Annotated[String, until(3)] = ""
    port: Annotated[Int32, until(3)] = 0
    coordinators: Annotated[list[Coordinator], since(4)] = []
