"""DescribeAcls (API 29). The access rules that match a filter."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, NullableString, String, Table, Top


class DescribeAclsRequest(Top):
    """The filter."""

    TABLE: ClassVar[Table] = Table("request", key=29, versions=(1, 3), flexible=2)

    resource_type_filter: Int8 = 0
    resource_name_filter: NullableString = ""
    pattern_type_filter: Int8 = 3
    principal_filter: NullableString = ""
    host_filter: NullableString = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class AclDescription(Message):
    """One of the `acls` of `DescribeAclsResource`."""

    principal: String = ""
    host: String = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class DescribeAclsResource(Message):
    """One of the `resources` of `DescribeAclsResponse`."""

    resource_type: Int8 = 0
    resource_name: String = ""
    pattern_type: Int8 = 3
    acls: list[AclDescription] = []


class DescribeAclsResponse(Top):
    """The rules, resource by resource."""

    TABLE: ClassVar[Table] = Table("response", key=29, versions=(1, 3), flexible=2)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
    resources: list[DescribeAclsResource] = []
