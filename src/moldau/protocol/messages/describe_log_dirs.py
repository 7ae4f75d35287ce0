"""DescribeLogDirs (API 35). A broker's directories, and the replicas in them."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, Message, String, Table, Top, ignorable, since


class DescribableLogDirTopic(Message):
    """One of the `topics` of `DescribeLogDirsRequest`."""

    topic: String = ""
    partitions: list[Int32] = []


class DescribeLogDirsRequest(Top):
    """Which replicas; null for all."""

    TABLE: ClassVar[Table] = Table("request", key=35, versions=(1, 5), flexible=2)

    topics: list[DescribableLogDirTopic] | None = []


class DescribeLogDirsPartition(Message):
    """One of the `partitions` of `DescribeLogDirsTopic`."""

    partition_index: Int32 = 0
    partition_size: Int64 = 0
    offset_lag: Int64 = 0
    is_future_key: Bool = False


class DescribeLogDirsTopic(Message):
    """One of the `topics` of `DescribeLogDirsResult`."""

    name: String = ""
    partitions: list[DescribeLogDirsPartition] = []


class DescribeLogDirsResult(Message):
    """One of the `results` of `DescribeLogDirsResponse`."""

    error_code: Int16 = 0
    log_dir: String = ""
    topics: list[DescribeLogDirsTopic] = []
    total_bytes: Annotated[Int64, since(4), ignorable] = -1
    usable_bytes: Annotated[Int64, since(4), ignorable] = -1
    is_cordoned: Annotated[Bool, since(5), ignorable] = False


class DescribeLogDirsResponse(Top):
    """The directories."""

    TABLE: ClassVar[Table] = Table("response", key=35, versions=(1, 5), flexible=2)

    throttle_time_ms: Int32 = 0
    error_code: Annotated[Int16, since(3), ignorable] = 0
    results: list[DescribeLogDirsResult] = []
