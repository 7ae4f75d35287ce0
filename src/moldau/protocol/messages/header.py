"""What stands in front of every request and every answer.

Version 2 of the request header and version 1 of the response header have a tagged section.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, NullableString, Table, Top, inflexible


class RequestHeader(Top):
    """In front of a request."""

    TABLE: ClassVar[Table] = Table("header", versions=(1, 2), flexible=2)

    request_api_key: Int16 = 0
    request_api_version: Int16 = 0
    correlation_id: Int32 = 0
    client_id: Annotated[NullableString, inflexible] = ""


class ResponseHeader(Top):
    """In front of an answer."""

    TABLE: ClassVar[Table] = Table("header", versions=(0, 1), flexible=1)

    correlation_id: Int32 = 0
