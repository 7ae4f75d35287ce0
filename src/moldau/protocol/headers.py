"""Whole requests and answers: length, header and body together.

The server's connection decodes request headers and encodes answers, the client's does the reverse. A header tells
how the body is to be read, so a request whose key is not known cannot be followed: `Malformed`, and the connection
is done for. A version that is not known is the caller's to answer (`decode_request_header` still reads the header).
"""

from __future__ import annotations

from struct import Struct
from typing import Any, NamedTuple

from moldau.environment.doors import Buffer, Part
from moldau.protocol.apis import API, ApiKey
from moldau.protocol.codec import compiled
from moldau.protocol.errors import Malformed
from moldau.protocol.messages.header import RequestHeader, ResponseHeader
from moldau.protocol.tables import Top

_LENGTH = Struct(">i").pack
_ROUTE = Struct(">hh").unpack_from


class Request(NamedTuple):
    """What the header of a request says, and where its body begins."""

    api_key: ApiKey
    api_version: int
    correlation_id: int
    client_id: str | None
    body_position: int


def decode_request_header(frame: Buffer) -> Request:
    """The header of a request frame (without its length)."""
    if len(frame) < 8:
        raise Malformed(f"a request of {len(frame)} bytes has no header")
    key, version = _ROUTE(frame)
    api = API.get(key)
    if api is None or version < 0:
        raise Malformed(f"a request with key {key} and version {version} cannot be read here")
    header, position = compiled(RequestHeader, api.request_header_version(version)).decode(frame, 0)
    return Request(api.key, version, header.correlation_id, header.client_id, position)


def encode_request(
    api_key: ApiKey, version: int, correlation_id: int, client_id: str | None, message: Top
) -> list[Part]:
    """A request, ready to send."""
    header = RequestHeader(
        request_api_key=api_key,
        request_api_version=version,
        correlation_id=correlation_id,
        client_id=client_id,
    )
    (head,) = compiled(RequestHeader, API[api_key].request_header_version(version)).encode(header)
    assert isinstance(head, bytes)
    return _framed(head, compiled(type(message), version).encode(message))


def encode_response(api_key: ApiKey, version: int, correlation_id: int, message: Top) -> list[Part]:
    """An answer, ready to send."""
    header = ResponseHeader(correlation_id=correlation_id)
    (head,) = compiled(ResponseHeader, API[api_key].response_header_version(version)).encode(header)
    assert isinstance(head, bytes)
    return _framed(head, compiled(type(message), version).encode(message))


def decode_response(api_key: ApiKey, version: int, frame: Buffer) -> tuple[int, Any]:
    """The correlation id and the message of an answer frame (without its length)."""
    api = API[api_key]
    header, position = compiled(ResponseHeader, api.response_header_version(version)).decode(frame, 0)
    message, stop = compiled(api.response, version).decode(frame, position)
    if stop != len(frame):
        raise Malformed(f"{api.name}Response v{version} ends at byte {stop}, its frame at {len(frame)}")
    return header.correlation_id, message


def _framed(header: bytes, body: list[Part]) -> list[Part]:
    """Length, header and the first bytes of the body as one part, the rest of the body as it is."""
    size = len(header) + sum(map(len, body))
    first = body[0]
    assert isinstance(first, bytes), "an encoder begins with bytes"
    return [_LENGTH(size) + header + first, *body[1:]]
