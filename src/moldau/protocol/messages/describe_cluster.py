"""DescribeCluster (API 60). The brokers (or controllers) of the cluster and its id."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int8, Int16, Int32, Message, NullableString, String, Table, Top, since


class DescribeClusterRequest(Top):
    """What to include."""

    TABLE: ClassVar[Table] = Table("request", key=60, versions=(0, 2))

    include_cluster_authorized_operations: Bool = False
    endpoint_type: Annotated[Int8, since(1)] = 1
    include_fenced_brokers: Annotated[Bool, since(2)] = False


class DescribeClusterBroker(Message):
    """One of the `brokers` of `DescribeClusterResponse`."""

    broker_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: NullableString = None
    is_fenced: Annotated[Bool, since(2)] = False


class DescribeClusterResponse(Top):
    """The cluster."""

    TABLE: ClassVar[Table] = Table("response", key=60, versions=(0, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    endpoint_type: Annotated[Int8, since(1)] = 1
    cluster_id: String = ""
    controller_id: Int32 = -1
    brokers: list[DescribeClusterBroker] = []
    cluster_authorized_operations: Int32 = -2147483648
