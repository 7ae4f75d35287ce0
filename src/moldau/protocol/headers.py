"""Whole requests and answers: length, header and body together.

The server's connection decodes request headers and encodes answers, the client's does the reverse. A header tells
how the body is to be read, so a request whose key is not known cannot be followed: `Malformed`, and the connection
is done for. A version that is not known is the caller's to answer (`decode_request_header` still reads the header).

Headers are read and written by hand: they stand in front of every message, and what stands behind them may be large
and must not be copied. The tables in `messages.header` say the same, and tests hold both together.
"""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error
from typing import Any

from moldau.environment.doors import Buffer, Part
from moldau.protocol.apis import API, ApiKey
from moldau.protocol.codec import compiled
from moldau.protocol.errors import Malformed, Unencodable
from moldau.protocol.tables import Top
from moldau.protocol.wire import read_tags

Header = tuple[ApiKey, int, int, str | None, int]
"""Key, version, correlation id and client id of a request, and the position where its body begins."""

LENGTH_BYTES = 4
CLIENT_ID_BYTES = 32767
_REQUEST = Struct(">hhih")
_FRAMED_REQUEST = Struct(">ihhih")
_CORRELATION = Struct(">i")
_FRAMED_RESPONSE = (Struct(">ii"), Struct(">iix"))
"""Length and correlation id, and from header version 1 an empty tagged section."""


def decode_request_header(frame: Buffer) -> Header:
    """The header of a request frame (without its length)."""
    try:
        key, version, correlation_id, size = _REQUEST.unpack_from(frame)
        api = API.get(key)
        if api is None or version < 0:
            raise Malformed(f"a request with key {key} and version {version} cannot be read here")
        position = _REQUEST.size + size
        if size < -1 or position > len(frame):
            raise Malformed(f"a client id of {size} bytes in a request of {len(frame)}")
        client_id = None
        if size < 0:
            position = _REQUEST.size
        else:
            client_id = str(frame[_REQUEST.size : position], "utf-8")
        if version >= api.flexible_from:
            position = _skip_tags(frame, position)
    except (struct_error, IndexError, UnicodeDecodeError) as broken:
        raise Malformed(f"the header of a request of {len(frame)} bytes: {broken}") from broken
    return api.key, version, correlation_id, client_id, position


def encode_request(
    api_key: ApiKey, version: int, correlation_id: int, client_id: str | None, message: Top
) -> list[Part]:
    """A request, ready to send."""
    raw = b"" if client_id is None else client_id.encode()
    if len(raw) > CLIENT_ID_BYTES:
        raise Unencodable(f"a client id has at most {CLIENT_ID_BYTES} bytes, not {len(raw)}")
    tags = b"\x00" if version >= API[api_key].flexible_from else b""
    body, first, size = _body(version, message)
    size += _REQUEST.size + len(raw) + len(tags)
    said = -1 if client_id is None else len(raw)
    body[0] = b"".join((_FRAMED_REQUEST.pack(size, api_key, version, correlation_id, said), raw, tags, first))
    return body


def encode_response(api_key: ApiKey, version: int, correlation_id: int, message: Top) -> list[Part]:
    """An answer, ready to send."""
    head = _FRAMED_RESPONSE[API[api_key].response_header_version(version)]
    body, first, size = _body(version, message)
    body[0] = head.pack(head.size - LENGTH_BYTES + size, correlation_id) + first
    return body


def decode_response(api_key: ApiKey, version: int, frame: Buffer) -> tuple[int, Any]:
    """The correlation id and the message of an answer frame (without its length)."""
    api = API[api_key]
    position = _CORRELATION.size
    try:
        (correlation_id,) = _CORRELATION.unpack_from(frame)
        if api.response_header_version(version):
            position = _skip_tags(frame, position)
    except (struct_error, IndexError) as broken:
        raise Malformed(f"the header of an answer of {len(frame)} bytes: {broken}") from broken
    message, stop = compiled(api.response, version).decode(frame, position)
    if stop != len(frame):
        raise Malformed(f"{api.name}Response v{version} ends at byte {stop}, its frame at {len(frame)}")
    return correlation_id, message


def _skip_tags(frame: Buffer, position: int) -> int:
    """The position behind the tagged section of a header; there is nothing in it that anyone asks for."""
    count = frame[position]
    position += 1
    if count:
        _, position = read_tags(frame, position, count)
    return position


def _body(version: int, message: Top) -> tuple[list[Part], bytes, int]:
    """The parts of the message, the first of them (which its header goes in front of), and the size of all."""
    parts = compiled(type(message), version).encode(message)
    first = parts[0]
    assert isinstance(first, bytes), "an encoder begins with bytes"
    return parts, first, sum(map(len, parts))
