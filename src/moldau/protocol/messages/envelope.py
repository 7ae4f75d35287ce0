"""Envelope (API 58). A request that a broker forwards for a client."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bytes, Int16, NullableBytes, Table, Top


class EnvelopeRequest(Top):
    """The request and who sent it."""

    TABLE: ClassVar[Table] = Table("request", key=58)

    request_data: Bytes = b""
    request_principal: NullableBytes = b""
    client_host_address: Bytes = b""


class EnvelopeResponse(Top):
    """The answer."""

    TABLE: ClassVar[Table] = Table("response", key=58)

    response_data: NullableBytes = None
    error_code: Int16 = 0
