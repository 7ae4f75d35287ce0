"""ApiVersions (API 18). Which requests and versions a broker takes, and the features of the cluster.

The first request on a connection. Its answer always has response header 0, and version 0 answers a version that
the broker does not know.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, Message, String, Table, Top, ignorable, since, tag


class ApiVersionsRequest(Top):
    """Who is asking."""

    TABLE: ClassVar[Table] = Table("request", key=18, versions=(0, 4), flexible=3)

    client_software_name: Annotated[String, since(3), ignorable] = ""
    client_software_version: Annotated[String, since(3), ignorable] = ""


class ApiVersion(Message):
    """One of the `api_keys` of `ApiVersionsResponse`."""

    api_key: Int16 = 0
    min_version: Int16 = 0
    max_version: Int16 = 0


class SupportedFeatureKey(Message):
    """One of the `supported_features` of `ApiVersionsResponse`."""

    name: String = ""
    min_version: Int16 = 0
    max_version: Int16 = 0


class FinalizedFeatureKey(Message):
    """One of the `finalized_features` of `ApiVersionsResponse`."""

    name: String = ""
    max_version_level: Int16 = 0
    min_version_level: Int16 = 0


class ApiVersionsResponse(Top):
    """What the broker speaks."""

    TABLE: ClassVar[Table] = Table("response", key=18, versions=(0, 4), flexible=3)

    error_code: Int16 = 0
    api_keys: list[ApiVersion] = []
    throttle_time_ms: Annotated[Int32, since(1), ignorable] = 0
    supported_features: Annotated[list[SupportedFeatureKey], since(3), tag(0), ignorable] = []
    finalized_features_epoch: Annotated[Int64, since(3), tag(1), ignorable] = -1
    finalized_features: Annotated[list[FinalizedFeatureKey], since(3), tag(2), ignorable] = []
    zk_migration_ready: Annotated[Bool, since(3), tag(3), ignorable] = False
