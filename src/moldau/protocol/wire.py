"""What compiled codecs call at run time: varints, runs of numbers, tagged fields.

Called by generated code and by the framing of records; pure functions over tables made once. Each reader takes a
buffer and a position and returns what it read with the position behind it; running off the end shows as IndexError
or struct.error, which the generated function turns into `Malformed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

from moldau.protocol.errors import Malformed

Bytes = bytes | bytearray | memoryview

SHORT_VARINTS = 1024
SHORT_ARRAYS = 16


def uvarint(value: int) -> bytes:
    """An unsigned varint."""
    if value < 0x4000:
        return bytes((value & 127 | 128, value >> 7)) if value > 127 else bytes((value,))
    if value < 0x200000:
        return bytes((value & 127 | 128, value >> 7 & 127 | 128, value >> 14))
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


VARINTS = tuple(map(uvarint, range(SHORT_VARINTS)))
"""The encodings of the small numbers, which nearly all lengths are."""


def read_uvarint(buffer: Bytes, position: int) -> tuple[int, int]:
    """An unsigned varint of at most 32 bits, and the position behind it."""
    value = 0
    for shift in (0, 7, 14, 21, 28):
        byte = buffer[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value > 0xFFFFFFFF:
                break
            return value, position
    raise Malformed("a varint is longer than 32 bits")


def read_tags(buffer: Bytes, position: int, count: int) -> tuple[dict[int, bytes] | None, int]:
    """Tagged fields none of which is known here; `count` is the first byte of their number, already read."""
    if count > 127:
        count, position = read_uvarint(buffer, position - 1)
    tags: dict[int, bytes] = {}
    for _ in range(count):
        number, position = read_uvarint(buffer, position)
        size, position = read_uvarint(buffer, position)
        tags[number], position = read_tag(buffer, position, size)
    return tags or None, position


def read_tag(buffer: Bytes, position: int, size: int) -> tuple[bytes, int]:
    """The content of one unknown tagged field."""
    stop = position + size
    if stop > len(buffer):
        raise Malformed(f"a tagged field claims {size} bytes, {len(buffer) - position} are left")
    return bytes(buffer[position:stop]), stop


def tag_section(known: dict[int, bytes], unknown: dict[int, bytes] | None) -> bytes:
    """The tagged section: known fields and those kept from elsewhere, by number; a known one wins."""
    tags = {**unknown, **known} if unknown else known
    parts = [uvarint(len(tags))]
    for number in sorted(tags):
        content = tags[number]
        parts += (uvarint(number), uvarint(len(content)), content)
    return b"".join(parts)


Packer = Callable[..., bytes]


def array_packers(count_format: str, item_format: str) -> tuple[Packer, ...]:
    """For each short length the function that packs a count and that many numbers; the last is for null."""
    sizes = (*range(SHORT_ARRAYS), 0)
    return tuple(Struct(f">{count_format}{item_format * size}").pack for size in sizes)


def array_unpackers(item_format: str) -> tuple[Callable[[Bytes, int], tuple[Any, ...]], ...]:
    """For each short length the function that reads that many numbers."""
    return tuple(Struct(f">{item_format * size}").unpack_from for size in range(SHORT_ARRAYS))


def pack_array(count: bytes, item_format: str, items: Sequence[Any]) -> bytes:
    """An array too long for the tables, its count already encoded."""
    return count + Struct(f">{item_format * len(items)}").pack(*items)


def unpack_array(item_format: str, count: int, buffer: Bytes, position: int) -> tuple[Any, ...]:
    """An array too long for the tables; the caller has checked that so many bytes are left."""
    return Struct(f">{item_format * count}").unpack_from(buffer, position)
