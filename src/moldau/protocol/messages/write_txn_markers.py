"""WriteTxnMarkers (API 27). The coordinator has the outcome of transactions written into their partitions."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bool, Int8, Int16, Int32, Int64, Message, String, Table, Top, ignorable, since


class WritableTxnMarkerTopic(Message):
    """One of the `topics` of `WritableTxnMarker`."""

    name: String = ""
    partition_indexes: list[Int32] = []


class WritableTxnMarker(Message):
    """One of the `markers` of `WriteTxnMarkersRequest`."""

    producer_id: Int64 = 0
    producer_epoch: Int16 = 0
    transaction_result: Bool = False
    topics: list[WritableTxnMarkerTopic] = []
    coordinator_epoch: Int32 = 0
    transaction_version: Annotated[Int8, since(2), ignorable] = 0


class WriteTxnMarkersRequest(Top):
    """The markers."""

    TABLE: ClassVar[Table] = Table("request", key=27, versions=(1, 2), flexible=1)

    markers: list[WritableTxnMarker] = []


class WritableTxnMarkerPartitionResult(Message):
    """One of the `partitions` of `WritableTxnMarkerTopicResult`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0


class WritableTxnMarkerTopicResult(Message):
    """One of the `topics` of `WritableTxnMarkerResult`."""

    name: String = ""
    partitions: list[WritableTxnMarkerPartitionResult] = []


class WritableTxnMarkerResult(Message):
    """One of the `markers` of `WriteTxnMarkersResponse`."""

    producer_id: Int64 = 0
    topics: list[WritableTxnMarkerTopicResult] = []


class WriteTxnMarkersResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=27, versions=(1, 2), flexible=1)

    markers: list[WritableTxnMarkerResult] = []
