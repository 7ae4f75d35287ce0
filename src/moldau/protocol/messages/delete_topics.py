"""DeleteTopics (API 20). The end of topics.

From version 6 a topic may be named by its id.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    ignorable,
    nullable_since,
    since,
    until,
)


class DeleteTopicState(Message):
    """One of the `topics` of `DeleteTopicsRequest`."""

    name: NullableString = None
    topic_id: Uuid = ZERO_UUID


class DeleteTopicsRequest(Top):
    """The topics that shall go."""

    TABLE: ClassVar[Table] = Table("request", key=20, versions=(1, 6), flexible=4)

    topics: Annotated[list[DeleteTopicState], since(6)] = []
    topic_names: Annotated[list[String], until(5), ignorable] = []
    timeout_ms: Int32 = 0


class DeletableTopicResult(Message):
    """One of the `responses` of `DeleteTopicsResponse`."""

    name: Annotated[NullableString, nullable_since(6)] = ""
    topic_id: Annotated[Uuid, since(6), ignorable] = ZERO_UUID
    error_code: Int16 = 0
    error_message: Annotated[NullableString, since(5), ignorable] = None


class DeleteTopicsResponse(Top):
    """What became of each topic."""

    TABLE: ClassVar[Table] = Table("response", key=20, versions=(1, 6), flexible=4)

    throttle_time_ms: Int32 = 0
    responses: list[DeletableTopicResult] = []
