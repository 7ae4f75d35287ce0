"""UpdateFeatures (API 57). Features of the cluster are brought to another level."""

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
    until,
)


class FeatureUpdateKey(Message):
    """One of the `feature_updates` of `UpdateFeaturesRequest`."""

    feature: String = ""
    max_version_level: Int16 = 0
    allow_downgrade: Annotated[Bool, until(0)] = False
    upgrade_type: Annotated[Int8, since(1)] = 1


class UpdateFeaturesRequest(Top):
    """The levels."""

    TABLE: ClassVar[Table] = Table("request", key=57, versions=(0, 2))

    timeout_ms: Int32 = 60000
    feature_updates: list[FeatureUpdateKey] = []
    validate_only: Annotated[Bool, since(1)] = False


class UpdatableFeatureResult(Message):
    """One of the `results` of `UpdateFeaturesResponse`."""

    feature: String = ""
    error_code: Int16 = 0
    error_message: NullableString = ""


class UpdateFeaturesResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=57, versions=(0, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
    results: Annotated[list[UpdatableFeatureResult], until(1), ignorable] = []
