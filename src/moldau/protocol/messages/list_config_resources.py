"""ListConfigResources (API 74). The resources that have configurations of their own."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, String, Table, Top, ignorable, since


class ListConfigResourcesRequest(Top):
    """Of which types."""

    TABLE: ClassVar[Table] = Table("request", key=74, versions=(0, 1))

    resource_types: Annotated[list[Int8], since(1)] = []


class ConfigResource(Message):
    """One of the `config_resources` of `ListConfigResourcesResponse`."""

    resource_name: String = ""
    resource_type: Annotated[Int8, since(1), ignorable] = 16


class ListConfigResourcesResponse(Top):
    """The resources."""

    TABLE: ClassVar[Table] = Table("response", key=74, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    config_resources: list[ConfigResource] = []
