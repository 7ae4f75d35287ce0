"""DescribeClientQuotas (API 48). The quotas that match a filter."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Float64, Int8, Int16, Int32, Message, NullableString, String, Table, Top


class ComponentData(Message):
    """One of the `components` of `DescribeClientQuotasRequest`."""

    entity_type: String = ""
    match_type: Int8 = 0
    match: NullableString = ""


class DescribeClientQuotasRequest(Top):
    """The filter."""

    TABLE: ClassVar[Table] = Table("request", key=48, versions=(0, 1), flexible=1)

    components: list[ComponentData] = []
    strict: Bool = False


class EntityData(Message):
    """One of the `entity` of `EntryData`."""

    entity_type: String = ""
    entity_name: NullableString = ""


class ValueData(Message):
    """One of the `values` of `EntryData`."""

    key: String = ""
    value: Float64 = 0.0


class EntryData(Message):
    """One of the `entries` of `DescribeClientQuotasResponse`."""

    entity: list[EntityData] = []
    values: list[ValueData] = []


class DescribeClientQuotasResponse(Top):
    """The quotas."""

    TABLE: ClassVar[Table] = Table("response", key=48, versions=(0, 1), flexible=1)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
    entries: list[EntryData] | None = []
