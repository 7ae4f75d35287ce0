"""The frames that real clients write, streams that are cut, and bombs."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import cramjam
import pytest

from moldau.model import ErrorCode
from moldau.records import Codec, InvalidBatch
from moldau.records.twin.compression import compress
from tests.records.samples import FOLDING, NOW, RECORDS, ROOM, Work, decoded, with_payload


def xerial(*blocks: bytes) -> bytes:
    header = b"\x82SNAPPY\0\0\0\0\1\0\0\0\1"
    packed = [bytes(cramjam.snappy.compress_raw(block)) for block in blocks]
    return header + b"".join(len(block).to_bytes(4, "big") + block for block in packed)


def lz4(data: bytes, **options: bool) -> bytes:
    packer = cramjam.lz4.Compressor(level=1, **options)
    packer.compress(data)
    return bytes(packer.finish())


def zstd_stream(data: bytes) -> bytes:
    packer = cramjam.zstd.Compressor()
    packer.compress(data)
    return bytes(packer.finish())


GZIP_NAMED = b"\x1f\x8b\x08\x08" + bytes(6) + b"name\0"

VARIANTS: dict[str, tuple[Codec, Callable[[bytes], bytes]]] = {
    "gzip members": (Codec.GZIP, lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:])),
    "gzip with a name": (
        Codec.GZIP,
        lambda data: b"\x1f\x8b\x08\x08" + bytes(6) + b"name\0" + gzip.compress(data)[10:],
    ),
    "gzip and trailing bytes": (Codec.GZIP, lambda data: gzip.compress(data) + bytes(9)),
    "gzip of stored blocks": (Codec.GZIP, lambda data: gzip.compress(data, 0)),
    "xerial snappy": (Codec.SNAPPY, lambda data: xerial(data)),
    "xerial snappy in blocks": (Codec.SNAPPY, lambda data: xerial(data[:7], data[7:5000], data[5000:])),
    "raw snappy": (Codec.SNAPPY, lambda data: bytes(cramjam.snappy.compress_raw(data))),
    "lz4 linked": (Codec.LZ4, lambda data: lz4(data, block_linked=True, content_checksum=False)),
    "lz4 content checksum": (Codec.LZ4, lambda data: lz4(data, block_linked=False, content_checksum=True)),
    "lz4 linked and checksum": (Codec.LZ4, lambda data: lz4(data, block_linked=True, content_checksum=True)),
    "lz4 content size": (Codec.LZ4, lambda data: bytes(cramjam.lz4.compress(data))),
    "lz4 and trailing bytes": (Codec.LZ4, lambda data: compress(Codec.LZ4, data, None) + b"trailing"),
    "zstd with its size": (Codec.ZSTD, lambda data: bytes(cramjam.zstd.compress(data, level=1))),
    "zstd without its size": (Codec.ZSTD, zstd_stream),
    "zstd frames": (Codec.ZSTD, lambda data: zstd_stream(data[:77]) + zstd_stream(data[77:])),
}


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_what_clients_write(side: Any, variant: str) -> None:
    codec, fold = VARIANTS[variant]
    plain = side.build(RECORDS)
    batch = with_payload(plain, fold(plain[61:]), codec)
    assert side.decode(batch) == decoded(RECORDS)
    assert side.validate(batch, **ROOM) == [side.read_header(batch)]


@pytest.mark.parametrize("codec", FOLDING)
def test_streams_cut_at_every_byte(side: Any, codec: Codec) -> None:
    small = side.build_values([b"some value", b"some other value"], NOW, codec=codec)
    for end in range(61, len(small)):
        cut = with_payload(small, small[61:end], codec)
        with pytest.raises(InvalidBatch) as refused:
            side.decode(cut)
        assert refused.value.code is ErrorCode.INVALID_RECORD
        with pytest.raises(InvalidBatch) as refused:
            side.validate(cut, **ROOM)
        assert refused.value.code is ErrorCode.INVALID_RECORD


def bomb(codec: Codec, megabytes: int) -> bytes:
    """Very many zeros in few bytes."""
    zeros = bytes(1 << 20)
    if codec is Codec.GZIP:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join(packer.compress(zeros) for _ in range(megabytes)) + packer.flush()
    if codec is Codec.SNAPPY:
        block = bytes(cramjam.snappy.compress_raw(zeros))
        return b"\x82SNAPPY\0\0\0\0\1\0\0\0\1" + (len(block).to_bytes(4, "big") + block) * megabytes
    if codec is Codec.LZ4:
        frame = compress(Codec.LZ4, zeros, None)
        return frame[:7] + frame[7:-4] * megabytes + bytes(4)
    return bytes(cramjam.zstd.compress(zeros)) * megabytes


@pytest.mark.parametrize("codec", FOLDING)
def test_bombs_stop_at_the_bound(side: Any, codec: Codec) -> None:
    plain = side.build_values([b""], NOW)
    batch = with_payload(plain, bomb(codec, 64), codec)
    tracemalloc.start()
    try:
        works: list[Work] = [
            lambda: side.validate(batch, max_batch_bytes=1 << 26, max_decompressed_bytes=1 << 22),
            lambda: side.decode(batch, max_decompressed_bytes=1 << 22),
            lambda: side.decode_columns(batch, max_decompressed_bytes=1 << 22),
        ]
        for work in works:
            with pytest.raises(InvalidBatch) as refused:
                work()
            assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE
        assert tracemalloc.get_traced_memory()[1] < 4 * len(batch) + (1 << 24)
    finally:
        tracemalloc.stop()


def test_a_raw_snappy_block_is_not_believed(side: Any) -> None:
    claim = b"\xff\xff\xff\xff\x0f"  # 4 GiB
    batch = with_payload(side.build_values([b""], NOW), claim + bytes(20), Codec.SNAPPY)
    with pytest.raises(InvalidBatch) as refused:
        side.validate(batch, **ROOM)
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", FOLDING)
def test_the_bound_is_exact(side: Any, codec: Codec) -> None:
    values = [bytes([n & 0xFF]) * 1000 for n in range(300)]
    size = len(side.build_values(values, NOW)) - 61
    batch = side.build_values(values, NOW, codec=codec)
    side.validate(batch, max_batch_bytes=1 << 20, max_decompressed_bytes=size)
    with pytest.raises(InvalidBatch) as refused:
        side.validate(batch, max_batch_bytes=1 << 20, max_decompressed_bytes=size - 1)
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", FOLDING)
def test_records_larger_than_any_window(side: Any, codec: Codec) -> None:
    noise = b"".join(side.crc32c(n.to_bytes(4, "big")).to_bytes(4, "big") for n in range(100_000))
    values = [noise, b"small", noise[:131_073], b""]
    batch = side.build_values(values, NOW, codec=codec)
    assert side.validate(batch, **ROOM)
    assert [record[3] for record in side.decode(batch)] == values
