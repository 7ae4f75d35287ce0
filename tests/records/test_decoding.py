"""Decoding to records and to columns."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.model import ErrorCode
from moldau.records import Codec, InvalidBatch, Record
from moldau.records.headers import APPEND_TIME_BIT
from tests.records.samples import CODECS, NOW, RECORDS, decoded, sealed, with_field, with_payload


def test_all_batches_in_order(side: Any) -> None:
    buffer = b"".join(side.build(RECORDS, codec=codec, base_offset=10 * codec) for codec in CODECS)
    expected = [record for codec in CODECS for record in decoded(RECORDS, 10 * codec)]
    assert side.decode(buffer) == expected
    assert side.decode(memoryview(bytearray(buffer))) == expected


def test_from_an_offset_on(side: Any) -> None:
    buffer = side.build(RECORDS, base_offset=10) + side.build(RECORDS, base_offset=20)
    everything = side.decode(buffer)
    for start in range(8, 26):
        kept = [record for record in everything if record[0] >= start]
        assert side.decode(buffer, start) == kept
        assert side.decode_columns(buffer, start_offset=start).rows == len(kept)


def test_a_batch_cut_short_is_left_out(side: Any) -> None:
    one = side.build(RECORDS)
    buffer = one + side.build(RECORDS[:1], base_offset=4)
    for end in range(len(one), len(buffer)):
        assert side.decode(buffer[:end]) == decoded(RECORDS)


def test_control_batches_are_passed_over(side: Any) -> None:
    marker = side.build([(NOW, b"\0\0\0\1", b"\0\0\0\0\0\0", ())], base_offset=4, transactional=True, control=True)
    buffer = side.build(RECORDS) + marker + side.build(RECORDS, base_offset=5)
    assert side.decode(buffer) == decoded(RECORDS) + decoded(RECORDS, 5)


def test_offsets_may_have_gaps_and_batches_may_be_empty(side: Any) -> None:
    batch = side.build([(NOW, None, bytes([n]), ()) for n in range(9)], base_offset=100)
    records = batch[61:]
    size = len(records) // 9
    kept = b"".join(records[n * size : (n + 1) * size] for n in (2, 5))
    compacted = with_field(with_payload(batch, kept), "i", 57, 2)
    empty = with_field(with_payload(batch, b""), "i", 57, 0)
    assert side.decode(compacted + empty) == [(102, NOW, None, b"\2", ()), (105, NOW, None, b"\5", ())]


def test_times_wrap_as_kafkas_do(side: Any) -> None:
    least, most = -(1 << 63), (1 << 63) - 1
    records: list[Record] = [(most, None, None, ()), (least, None, None, ()), (0, None, None, ())]
    assert side.decode(side.build(records)) == decoded(records)


def test_names_that_are_not_utf8_are_mended(side: Any) -> None:
    batch = side.build([(NOW, None, None, (("abcd", b"v"),))])
    for name in (b"\xff\xfeab", b"a\xe2\x82b", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80\x80"):
        spoiled = sealed(batch.replace(b"abcd", name))
        expected = name.decode("utf-8", "replace")
        assert side.decode(spoiled)[0][4] == ((expected, b"v"),)
        assert bytes(side.decode_columns(spoiled).headers.keys.data) == expected.encode()


def test_what_cannot_be_decoded(side: Any) -> None:
    batch = side.build(RECORDS)
    for spoiled, code in (
        (batch[:-1] + b"?", ErrorCode.CORRUPT_MESSAGE),
        (with_field(batch, "b", 16, 1), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (with_field(batch, "b", 16, 3), ErrorCode.CORRUPT_MESSAGE),
        (with_field(batch, "h", 21, 6), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (with_field(batch, "i", 57, -1), ErrorCode.INVALID_RECORD),
        (with_field(batch, "i", 57, 5), ErrorCode.INVALID_RECORD),
        (with_field(batch, "i", 57, 3), ErrorCode.INVALID_RECORD),
        (with_field(batch, "q", 0, (1 << 63) - 1), ErrorCode.INVALID_RECORD),
        (with_field(batch, "h", 21, Codec.GZIP), ErrorCode.INVALID_RECORD),
    ):
        for work in (side.decode, side.decode_columns):
            with pytest.raises(InvalidBatch) as refused:
                work(spoiled)
            assert refused.value.code is code


def test_the_bound_on_unfolding_is_the_readers(side: Any) -> None:
    batch = side.build_values([bytes(100_000)], NOW, codec=Codec.ZSTD)
    assert len(side.decode(batch, max_decompressed_bytes=101_000)) == 1
    with pytest.raises(InvalidBatch) as refused:
        side.decode(batch, max_decompressed_bytes=100_000)
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_columns_are_the_records_in_arrow(side: Any) -> None:
    arrow = pytest.importorskip("moldau.records.arrow")
    some = RECORDS[1][3]
    many: list[Record] = [
        (NOW + n, b"k" if n % 3 else None, b"v" * n if n % 4 else None, () if n % 5 else some) for n in range(77)
    ]
    for records in (many, many[1:3], many[1:2]):
        batch = side.build(records, codec=Codec.LZ4, base_offset=3)
        table = arrow.to_arrow(side.decode_columns(batch + batch))
        table.validate(full=True)
        assert table.schema == arrow.SCHEMA
        rows = zip(
            table["offset"].to_pylist(),
            table["timestamp"].cast("int64").to_pylist(),
            table["key"].to_pylist(),
            table["value"].to_pylist(),
            [tuple((h["key"], h["value"]) for h in headers) for headers in table["headers"].to_pylist()],
            strict=True,
        )
        assert list(rows) == decoded(records, 3) * 2
    assert arrow.to_arrow(side.decode_columns(b"")).num_rows == 0


def test_columns_outlive_what_they_were_read_from(side: Any) -> None:
    buffer = bytearray(side.build_values([b"value"] * 3, NOW))
    columns = side.decode_columns(buffer)
    buffer[:] = bytes(len(buffer))
    assert bytes(columns.values.data) == b"value" * 3


def test_append_time_in_columns(side: Any) -> None:
    batch = with_field(side.build_values([b""] * 2, NOW), "h", 21, APPEND_TIME_BIT)
    assert bytes(side.decode_columns(batch).timestamps) == NOW.to_bytes(8, "little") * 2
