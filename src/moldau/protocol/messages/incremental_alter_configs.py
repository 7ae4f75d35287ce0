"""IncrementalAlterConfigs (API 44). Some configurations of resources change.

They are set, unset, or have items of a list added or taken away.
"""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Int8, Int16, Int32, Message, NullableString, String, Table, Top


class AlterableConfig(Message):
    """One of the `configs` of `AlterConfigsResource`."""

    name: String = ""
    config_operation: Int8 = 0
    value: NullableString = ""


class AlterConfigsResource(Message):
    """One of the `resources` of `IncrementalAlterConfigsRequest`."""

    resource_type: Int8 = 0
    resource_name: String = ""
    configs: list[AlterableConfig] = []


class IncrementalAlterConfigsRequest(Top):
    """The changes."""

    TABLE: ClassVar[Table] = Table("request", key=44, versions=(0, 1), flexible=1)

    resources: list[AlterConfigsResource] = []
    validate_only: Bool = False


class AlterConfigsResourceResponse(Message):
    """One of the `responses` of `IncrementalAlterConfigsResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    resource_type: Int8 = 0
    resource_name: String = ""


class IncrementalAlterConfigsResponse(Top):
    """What became of each resource."""

    TABLE: ClassVar[Table] = Table("response", key=44, versions=(0, 1), flexible=1)

    throttle_time_ms: Int32 = 0
    responses: list[AlterConfigsResourceResponse] = []
