"""DescribeConfigs (API 32). Configurations of topics, brokers and more, with where each value comes from."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    Bool,
    Int8,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    ignorable,
    since,
)


class DescribeConfigsResource(Message):
    """One of the `resources` of `DescribeConfigsRequest`."""

    resource_type: Int8 = 0
    resource_name: String = ""
    configuration_keys: list[String] | None = []


class DescribeConfigsRequest(Top):
    """The resources and keys wanted."""

    TABLE: ClassVar[Table] = Table("request", key=32, versions=(1, 4), flexible=4)

    resources: list[DescribeConfigsResource] = []
    include_synonyms: Bool = False
    include_documentation: Annotated[Bool, since(3)] = False


class DescribeConfigsSynonym(Message):
    """One of the `synonyms` of `DescribeConfigsResourceResult`."""

    name: String = ""
    value: NullableString = ""
    source: Int8 = 0


class DescribeConfigsResourceResult(Message):
    """One of the `configs` of `DescribeConfigsResult`."""

    name: String = ""
    value: NullableString = ""
    read_only: Bool = False
    config_source: Int8 = -1
    is_sensitive: Bool = False
    synonyms: list[DescribeConfigsSynonym] = []
    config_type: Annotated[Int8, since(3), ignorable] = 0
    documentation: Annotated[NullableString, since(3), ignorable] = ""


class DescribeConfigsResult(Message):
    """One of the `results` of `DescribeConfigsResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    resource_type: Int8 = 0
    resource_name: String = ""
    configs: list[DescribeConfigsResourceResult] = []


class DescribeConfigsResponse(Top):
    """The configurations, resource by resource."""

    TABLE: ClassVar[Table] = Table("response", key=32, versions=(1, 4), flexible=4)

    throttle_time_ms: Int32 = 0
    results: list[DescribeConfigsResult] = []
