"""AlterConfigs (API 33). All configurations of resources are replaced."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Int8, Int16, Int32, Message, NullableString, String, Table, Top


class AlterableConfig(Message):
    """One of the `configs` of `AlterConfigsResource`."""

    name: String = ""
    value: NullableString = ""


class AlterConfigsResource(Message):
    """One of the `resources` of `AlterConfigsRequest`."""

    resource_type: Int8 = 0
    resource_name: String = ""
    configs: list[AlterableConfig] = []


class AlterConfigsRequest(Top):
    """The resources with all that is set on them."""

    TABLE: ClassVar[Table] = Table("request", key=33, versions=(0, 2), flexible=2)

    resources: list[AlterConfigsResource] = []
    validate_only: Bool = False


class AlterConfigsResourceResponse(Message):
    """One of the `responses` of `AlterConfigsResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    resource_type: Int8 = 0
    resource_name: String = ""


class AlterConfigsResponse(Top):
    """What became of each resource."""

    TABLE: ClassVar[Table] = Table("response", key=33, versions=(0, 2), flexible=2)

    throttle_time_ms: Int32 = 0
    responses: list[AlterConfigsResourceResponse] = []
