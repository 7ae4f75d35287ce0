"""Building: what is written, what fits, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder  # type: ignore[import-untyped]

from moldau.records import Codec
from tests.records.samples import CODECS, NOW, RECORDS, ROOM, Work, decoded


def by_kafka_python(codec: Codec, **cover: Any) -> bytes:
    builder = MemoryRecordsBuilder(2, int(codec), 1 << 20, **cover)
    for timestamp, key, value, headers in RECORDS:
        assert builder.append(timestamp=timestamp, key=key, value=value, headers=list(headers))
    builder.close()
    return bytes(builder.buffer())


def read_by_kafka_python(buffer: bytes) -> list[tuple[Any, ...]]:
    found = []
    batches = MemoryRecords(buffer)
    while (batch := batches.next_batch()) is not None:
        assert batch.validate_crc()
        found += [(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in batch]
    return found


def test_the_same_bytes_as_kafka_python(side: Any) -> None:
    assert side.build(RECORDS, leader_epoch=0) == by_kafka_python(Codec.NONE)
    cover = {"producer_id": 7, "producer_epoch": 3, "base_sequence": 11}
    assert side.build(RECORDS, leader_epoch=0, **cover) == by_kafka_python(Codec.NONE, **cover)


@pytest.mark.parametrize("codec", CODECS)
def test_kafka_python_reads_ours_and_we_read_its(side: Any, codec: Codec) -> None:
    assert read_by_kafka_python(side.build(RECORDS, codec=codec, base_offset=17)) == decoded(RECORDS, 17)
    theirs = by_kafka_python(codec)
    assert side.decode(theirs) == decoded(RECORDS)
    assert side.validate(theirs, **ROOM) == [side.read_header(theirs)]


@pytest.mark.parametrize("codec", CODECS)
def test_batches_of_the_java_client(side: Any, codec: Codec) -> None:
    """Written by MemoryRecords.withIdempotentRecords of Apache Kafka 4.3.1."""
    theirs = (Path(__file__).parent / "golden" / f"{codec.name.lower()}.bin").read_bytes()
    cover = {"producer_id": 7, "producer_epoch": 3, "base_sequence": 11}
    assert side.decode(theirs) == decoded(RECORDS)
    assert side.validate(theirs, **ROOM) == [side.read_header(theirs)]
    ours = side.build(RECORDS, codec=codec, **cover)
    assert side.read_header(ours)[5:] == side.read_header(theirs)[5:]
    if codec is Codec.NONE:
        assert ours == theirs


@pytest.mark.parametrize("codec", CODECS)
def test_values_are_records_of_one_time(side: Any, codec: Codec) -> None:
    values = [None if n % 5 == 0 else bytes([n & 0xFF]) * (n % 300) for n in range(9000)]
    batch = side.build_values(values, NOW, codec=codec, producer_id=4, base_sequence=0)
    assert batch == side.build([(NOW, None, v, ()) for v in values], codec=codec, producer_id=4, base_sequence=0)
    assert [record[3] for record in side.decode(batch)] == values


@pytest.mark.parametrize("codec", CODECS)
def test_a_builder_makes_what_build_makes(side: Any, codec: Codec) -> None:
    builder = side.BatchBuilder(codec, 1 << 20)
    cover = {"producer_id": 1, "producer_epoch": 2, "base_sequence": 3, "transactional": True}
    for _ in range(2):
        assert (builder.size, builder.count) == (61, 0)
        for record in RECORDS:
            assert builder.append(*record)
        assert builder.count == len(RECORDS)
        assert builder.size == len(side.build(RECORDS))
        assert builder.finish(**cover) == side.build(RECORDS, codec=codec, **cover)


def test_a_full_builder_takes_nothing(side: Any) -> None:
    builder = side.BatchBuilder(Codec.NONE, 200)
    assert builder.append(NOW, None, b"x" * 5000)  # the first always fits
    assert not builder.append(NOW + 9, None, b"")
    assert builder.finish() == side.build_values([b"x" * 5000], NOW)
    exact = side.BatchBuilder(Codec.NONE, len(side.build_values([b"abc", b"de"], NOW)))
    assert [exact.append(NOW, None, value) for value in (b"abc", b"def", b"de", b"")] == [True, False, True, False]
    assert exact.finish() == side.build_values([b"abc", b"de"], NOW)


def test_a_builder_keeps_no_view_of_what_it_took(side: Any) -> None:
    value = bytearray(b"before")
    builder = side.BatchBuilder(Codec.NONE, 1000)
    builder.append(NOW, None, memoryview(value))
    value[:] = b"after!"
    assert side.decode(builder.finish())[0][3] == b"before"


def test_any_buffer_is_a_field(side: Any) -> None:
    record = (NOW, bytearray(b"key"), memoryview(b"value"), [("h", b"1")])
    assert side.build([record]) == side.build([(NOW, b"key", b"value", (("h", b"1"),))])
    assert side.build_values([bytearray(b"a"), memoryview(b"b")], NOW) == side.build_values([b"a", b"b"], NOW)


def test_nothing_makes_no_batch(side: Any) -> None:
    works: list[Work] = [
        lambda: side.build([]),
        lambda: side.build_values([], NOW),
        lambda: side.BatchBuilder(Codec.NONE, 100).finish(),
    ]
    for work in works:
        with pytest.raises(ValueError, match="at least one record"):
            work()


def test_fields_of_the_wrong_type(side: Any) -> None:
    builder = side.BatchBuilder(Codec.NONE, 1000)
    for record in ((NOW, "text", b"", ()), (NOW, b"", 5, ()), ("now", b"", b"", ()), (NOW, b"", b"", ((b"h", b""),))):
        with pytest.raises((TypeError, AttributeError)):
            side.build([record])
        with pytest.raises((TypeError, AttributeError)):
            builder.append(*record)
    with pytest.raises(TypeError):
        side.build_values(["text"], NOW)
    assert builder.count == 0


@pytest.mark.parametrize(
    "cover",
    [
        {"base_offset": 1 << 63},
        {"leader_epoch": 1 << 31},
        {"producer_epoch": 1 << 15},
        {"base_sequence": -(1 << 31) - 1},
    ],
)
def test_numbers_too_large_for_their_fields(side: Any, cover: dict[str, int]) -> None:
    with pytest.raises(OverflowError):
        side.build(RECORDS, **cover)


@pytest.mark.parametrize("timestamp", [1 << 63, -(1 << 63) - 1])
def test_times_have_64_bits(side: Any, timestamp: int) -> None:
    with pytest.raises(OverflowError):
        side.build([*RECORDS, (timestamp, None, None, ())])
    with pytest.raises(OverflowError):
        side.build_values([b""], timestamp)
    with pytest.raises(OverflowError):
        side.BatchBuilder(Codec.NONE, 100).append(timestamp, None, None)


def test_codecs_and_levels_that_do_not_exist(side: Any) -> None:
    works: list[Work] = [
        lambda: side.build(RECORDS, codec=5),
        lambda: side.build_values([b""], NOW, codec=Codec.GZIP, compression_level=10),
        lambda: side.BatchBuilder(Codec.ZSTD, 100, 23),
    ]
    for work in works:
        with pytest.raises(ValueError, match=r"not a valid Codec|compression level"):
            work()


@pytest.mark.parametrize(("codec", "levels"), [(Codec.GZIP, (1, 9)), (Codec.ZSTD, (-5, 1, 19)), (Codec.LZ4, (99,))])
def test_every_level_reads_back(side: Any, codec: Codec, levels: tuple[int, ...]) -> None:
    for level in levels:
        assert side.decode(side.build(RECORDS, codec=codec, compression_level=level)) == decoded(RECORDS)
