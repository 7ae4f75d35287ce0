"""Zigzag varints as Kafka reads and writes them.

Called by the twin's builder and its walks. Reading accepts over-long encodings and drops bits past the width, as
Kafka does; more bytes than the width can need are refused.
"""

from __future__ import annotations


class Overlong(ValueError):  # noqa: N818
    """A varint goes on after the last byte it may have."""


def encode(value: int) -> bytes:
    """Any signed number of up to 64 bits, in as few bytes as it needs."""
    rest = value << 1 if value >= 0 else (~value << 1) | 1
    if rest < 0x80:
        return bytes((rest,))
    out = bytearray()
    while rest >= 0x80:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


SHORT = tuple(encode(number) for number in range(16 * 1024))
"""The encodings of the small numbers, by the number."""


def read_int(data: bytes, position: int) -> tuple[int, int]:
    """The 32-bit number at `position` and where it ends. IndexError when the data does."""
    return _read(data, position, 5, 0xFFFFFFFF)


def read_long(data: bytes, position: int) -> tuple[int, int]:
    """The 64-bit number at `position` and where it ends. IndexError when the data does."""
    return _read(data, position, 10, 0xFFFFFFFFFFFFFFFF)


def wrap_long(value: int) -> int:
    """The signed 64-bit number with the same low bits: what a sum of two such numbers is in Kafka."""
    return ((value + 0x8000000000000000) & 0xFFFFFFFFFFFFFFFF) - 0x8000000000000000


def _read(data: bytes, position: int, most_bytes: int, mask: int) -> tuple[int, int]:
    raw = shift = 0
    for at in range(position, position + most_bytes):
        byte = data[at]
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            raw &= mask
            return (raw >> 1) ^ -(raw & 1), at + 1
        shift += 7
    raise Overlong
