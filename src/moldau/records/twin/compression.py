"""Compressing and decompressing a batch's records, each codec in the frames that Kafka's clients write and read.

Called by the twin's builder and readers. Decompression never makes more than the limit: what would be larger is
refused as MESSAGE_TOO_LARGE, what cannot be unfolded as INVALID_RECORD.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

import cramjam

from moldau.model import ErrorCode
from moldau.records.errors import InvalidBatch
from moldau.records.headers import Codec

_XERIAL_MAGIC = b"\x82SNAPPY\0"
_XERIAL_HEADER = _XERIAL_MAGIC + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK_BYTES = 32 * 1024
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
_LZ4_HEADER = _LZ4_MAGIC + b"\x60\x40\x82"
"""Independent blocks of at most 64 KiB, no checksums but the header's own."""
_LZ4_BLOCK_BYTES = 64 * 1024
_FIRST_GUESS_BYTES = 64 * 1024
_BUFFER_FULL = "failed to write whole buffer"
"""How cramjam says that the output did not fit."""


_LEVELS = {Codec.GZIP: (-1, 9), Codec.ZSTD: (-131072, 22)}


def check_level(codec: Codec, level: int | None) -> None:
    """ValueError for a codec or a level that does not exist; codecs without levels take any."""
    levels = _LEVELS.get(Codec(codec))
    if level is not None and levels is not None and not levels[0] <= level <= levels[1]:
        raise ValueError(f"the compression level is {level}, it must be between {levels[0]} and {levels[1]}")


def compress(codec: Codec, data: bytes, level: int | None) -> bytes:
    """`data` in the codec's frame; a level where the codec has one (gzip, zstd)."""
    if codec is Codec.GZIP:
        packer = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    if codec is Codec.SNAPPY:
        return _compress_snappy(data)
    if codec is Codec.LZ4:
        return _compress_lz4(data)
    if codec is Codec.ZSTD:
        return bytes(cramjam.zstd.compress(data, level=3 if level is None else level))
    return data


def decompress(codec: int, data: bytes, limit: int) -> bytes:
    """What `compress`, or any Kafka client, was given; at most `limit` bytes."""
    if codec == Codec.NONE:
        return data
    if codec > Codec.ZSTD:
        raise InvalidBatch(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"codec {codec} does not exist")
    name = Codec(codec).name.lower()
    if not data:
        raise _broken(name)
    try:
        if codec == Codec.GZIP:
            return _decompress_gzip(data, limit)
        if codec == Codec.SNAPPY:
            return _decompress_snappy(data, limit)
        if codec == Codec.LZ4:
            return _unfold(cramjam.lz4.decompress_into, _first_lz4_frame(data), limit)
        return _unfold(cramjam.zstd.decompress_into, data, limit)
    except (cramjam.DecompressionError, zlib.error, struct.error, IndexError, _Broken) as broken:
        raise _broken(name) from broken


class _Broken(Exception):  # noqa: N818
    """Not a stream of its codec."""


def _broken(name: str) -> InvalidBatch:
    return InvalidBatch(ErrorCode.INVALID_RECORD, f"the records are not a whole {name} stream")


def _too_large(limit: int) -> InvalidBatch:
    return InvalidBatch(
        ErrorCode.MESSAGE_TOO_LARGE, f"the records unfold to more than {limit} bytes; send smaller batches"
    )


def _unfold(decompress_into: Callable[[bytes, bytearray], int], data: bytes, limit: int) -> bytes:
    """Try ever larger buffers, up to the limit."""
    room = min(limit, max(_FIRST_GUESS_BYTES, 4 * len(data)))
    while True:
        output = bytearray(room)
        try:
            return bytes(memoryview(output)[: decompress_into(data, output)])
        except cramjam.DecompressionError as failed:
            if _BUFFER_FULL not in str(failed):
                raise
        if room == limit:
            raise _too_large(limit)
        room = min(limit, 4 * room)


def _decompress_gzip(data: bytes, limit: int) -> bytes:
    """All members; what follows the last one and is none is ignored, as Java does."""
    members = []
    room = limit
    while True:
        unpacker = zlib.decompressobj(31)
        member = unpacker.decompress(data, room + 1)
        if len(member) > room:
            raise _too_large(limit)
        if not unpacker.eof:
            raise _Broken
        members.append(member)
        room -= len(member)
        data = unpacker.unused_data
        if not data.startswith(b"\x1f\x8b\x08"):
            return b"".join(members)


def _compress_snappy(data: bytes) -> bytes:
    parts = [_XERIAL_HEADER]
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _XERIAL_BLOCK_BYTES]))
        parts += (len(block).to_bytes(4, "big"), block)
    return b"".join(parts)


def _decompress_snappy(data: bytes, limit: int) -> bytes:
    """Java's framing, or one bare block as some clients write."""
    if not data.startswith(_XERIAL_MAGIC):
        return _decompress_snappy_block(data, limit, limit)
    blocks = []
    room = limit
    position = len(_XERIAL_HEADER)
    if len(data) < position:
        raise _Broken
    while position < len(data):
        (size,) = struct.unpack_from(">i", data, position)
        position += 4
        if not 0 < size <= len(data) - position:
            raise _Broken
        block = _decompress_snappy_block(data[position : position + size], room, limit)
        blocks.append(block)
        room -= len(block)
        position += size
    return b"".join(blocks)


def _decompress_snappy_block(data: bytes, room: int, limit: int) -> bytes:
    if cramjam.snappy.decompress_raw_len(data) > room:
        raise _too_large(limit)
    return bytes(cramjam.snappy.decompress_raw(data))


def _compress_lz4(data: bytes) -> bytes:
    parts = [_LZ4_HEADER]
    for start in range(0, len(data), _LZ4_BLOCK_BYTES):
        plain = data[start : start + _LZ4_BLOCK_BYTES]
        block = bytes(cramjam.lz4.compress_block(plain, store_size=False))
        if len(block) < len(plain):
            parts += (len(block).to_bytes(4, "little"), block)
        else:
            parts += ((len(plain) | 0x80000000).to_bytes(4, "little"), plain)
    parts.append(bytes(4))
    return b"".join(parts)


def _first_lz4_frame(data: bytes) -> bytes:
    """The frame at the start, whole; what follows it is ignored, as Java does."""
    if data[:4] != _LZ4_MAGIC:
        raise _Broken
    flags = data[4]
    if flags >> 6 != 1 or flags & 1:
        raise _Broken
    block_checksum, content_size, content_checksum = flags & 0x10, flags & 0x08, flags & 0x04
    position = 7 + (8 if content_size else 0)
    while True:
        (size,) = struct.unpack_from("<I", data, position)
        position += 4
        if size == 0:
            break
        position += (size & 0x7FFFFFFF) + (4 if block_checksum else 0)
    position += 4 if content_checksum else 0
    if position > len(data):
        raise _Broken
    return data[:position]
