"""DeleteShareGroupOffsets (API 92). Where a share group begins is forgotten."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import ZERO_UUID, Int16, Int32, Message, NullableString, String, Table, Top, Uuid


class DeleteShareGroupOffsetsRequestTopic(Message):
    """One of the `topics` of `DeleteShareGroupOffsetsRequest`."""

    topic_name: String = ""


class DeleteShareGroupOffsetsRequest(Top):
    """The topics."""

    TABLE: ClassVar[Table] = Table("request", key=92)

    group_id: String = ""
    topics: list[DeleteShareGroupOffsetsRequestTopic] = []


class DeleteShareGroupOffsetsResponseTopic(Message):
    """One of the `responses` of `DeleteShareGroupOffsetsResponse`."""

    topic_name: String = ""
    topic_id: Uuid = ZERO_UUID
    error_code: Int16 = 0
    error_message: NullableString = None


class DeleteShareGroupOffsetsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=92)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    responses: list[DeleteShareGroupOffsetsResponseTopic] = []
