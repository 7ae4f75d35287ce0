"""CreateAcls (API 30). Access rules are made."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, NullableString, String, Table, Top


class AclCreation(Message):
    """One of the `creations` of `CreateAclsRequest`."""

    resource_type: Int8 = 0
    resource_name: String = ""
    resource_pattern_type: Int8 = 3
    principal: String = ""
    host: String = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class CreateAclsRequest(Top):
    """The rules."""

    TABLE: ClassVar[Table] = Table("request", key=30, versions=(1, 3), flexible=2)

    creations: list[AclCreation] = []


class AclCreationResult(Message):
    """One of the `results` of `CreateAclsResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""


class CreateAclsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=30, versions=(1, 3), flexible=2)

    throttle_time_ms: Int32 = 0
    results: list[AclCreationResult] = []
