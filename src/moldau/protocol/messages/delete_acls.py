"""DeleteAcls (API 31). Access rules that match filters are deleted."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, NullableString, String, Table, Top


class DeleteAclsFilter(Message):
    """One of the `filters` of `DeleteAclsRequest`."""

    resource_type_filter: Int8 = 0
    resource_name_filter: NullableString = ""
    pattern_type_filter: Int8 = 3
    principal_filter: NullableString = ""
    host_filter: NullableString = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class DeleteAclsRequest(Top):
    """The filters."""

    TABLE: ClassVar[Table] = Table("request", key=31, versions=(1, 3), flexible=2)

    filters: list[DeleteAclsFilter] = []


class DeleteAclsMatchingAcl(Message):
    """One of the `matching_acls` of `DeleteAclsFilterResult`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    resource_type: Int8 = 0
    resource_name: String = ""
    pattern_type: Int8 = 3
    principal: String = ""
    host: String = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class DeleteAclsFilterResult(Message):
    """One of the `filter_results` of `DeleteAclsResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    matching_acls: list[DeleteAclsMatchingAcl] = []


class DeleteAclsResponse(Top):
    """What each filter deleted."""

    TABLE: ClassVar[Table] = Table("response", key=31, versions=(1, 3), flexible=2)

    throttle_time_ms: Int32 = 0
    filter_results: list[DeleteAclsFilterResult] = []
