"""What a leader refuses, and with which code."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.model import ErrorCode
from moldau.records import Codec, InvalidBatch
from moldau.records.twin.compression import compress
from tests.records.samples import CODECS, NOW, RECORDS, ROOM, sealed, with_field, with_payload

VALUES = [b"one", b"two", b"three"]


def refusal(side: Any, buffer: bytes | bytearray, **limits: Any) -> InvalidBatch:
    with pytest.raises(InvalidBatch) as refused:
        side.validate(buffer, **{**ROOM, **limits})
    error = refused.value
    assert isinstance(error, InvalidBatch)
    return error


@pytest.mark.parametrize("codec", CODECS)
def test_good_batches_pass_untouched(side: Any, codec: Codec) -> None:
    one = side.build(RECORDS, codec=codec, producer_id=1, producer_epoch=0, base_sequence=0)
    two = side.build_values(VALUES * 3000, NOW, codec=codec)
    buffer = bytearray(one + two)
    assert side.validate(buffer, **ROOM) == [side.read_header(one), side.read_header(two)]
    assert buffer == one + two


@pytest.mark.parametrize(
    ("form", "at", "value", "code", "word"),
    [
        ("q", 0, 1, ErrorCode.INVALID_RECORD, "base offset"),
        ("b", 16, 0, ErrorCode.INVALID_RECORD, "magic 0"),
        ("b", 16, 1, ErrorCode.INVALID_RECORD, "magic 1"),
        ("b", 16, 3, ErrorCode.CORRUPT_MESSAGE, "magic 3"),
        ("b", 16, -1, ErrorCode.CORRUPT_MESSAGE, "magic 255"),
        ("h", 21, 5, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "codec 5"),
        ("h", 21, 7, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "codec 7"),
        ("h", 21, 8, ErrorCode.INVALID_TIMESTAMP, "LogAppendTime"),
        ("h", 21, 32, ErrorCode.INVALID_RECORD, "control"),
        ("i", 23, 1, ErrorCode.INVALID_RECORD, "last offset delta"),
        ("i", 23, -1, ErrorCode.INVALID_RECORD, "last offset delta"),
        ("q", 43, 5, ErrorCode.INVALID_RECORD, "base sequence"),
        ("i", 57, 0, ErrorCode.INVALID_RECORD, "record count"),
        ("i", 57, -1, ErrorCode.INVALID_RECORD, "record count"),
        ("i", 57, 1 << 30, ErrorCode.INVALID_RECORD, "last offset delta"),
    ],
)
def test_header_fields(side: Any, form: str, at: int, value: int, code: ErrorCode, word: str) -> None:
    error = refusal(side, with_field(side.build_values(VALUES, NOW), form, at, value))
    assert error.code is code
    assert word in str(error)
    assert error.record_errors == ()


def test_lengths(side: Any) -> None:
    batch = side.build_values(VALUES, NOW)
    for length in (-1, 0, 13, 14, 48, len(batch) - 11, (1 << 31) - 1):
        spoiled = bytearray(batch)
        spoiled[8:12] = length.to_bytes(4, "big", signed=True)
        assert refusal(side, spoiled).code is ErrorCode.CORRUPT_MESSAGE
    assert refusal(side, b"").code is ErrorCode.INVALID_RECORD
    assert refusal(side, batch + b"\0").code is ErrorCode.CORRUPT_MESSAGE
    assert refusal(side, batch, max_batch_bytes=len(batch) - 1).code is ErrorCode.MESSAGE_TOO_LARGE
    side.validate(batch, **{**ROOM, "max_batch_bytes": len(batch)})


def test_every_flipped_bit_under_the_sum(side: Any) -> None:
    batch = side.build_values(VALUES, NOW)
    for at in range(17, len(batch)):
        spoiled = bytearray(batch)
        spoiled[at] ^= 1 << at % 8
        assert refusal(side, spoiled).code is ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"", "length is not a number"),
        (b"\x80", "length is not a number"),
        (b"\x80\x80\x80\x80\x80\x00", "length is not a number"),
        (b"\x01" + bytes(6), "longer than the bytes left"),
        (b"\xfe\xff\xff\xff\x0f" + bytes(6), "longer than the bytes left"),
        (b"\x00", "fields do not fill"),
        (b"\x0e" + bytes(7), "fields do not fill"),
        (b"\x0a" + bytes(5), "fields do not fill"),
        (b"\x0c\0\0\0\x02\0\0", "fields do not fill"),
        (b"\x18\0\0\x80\x80\x80\x80\x80\0\0\0\0\0", "too many bytes"),
        (b"\x0c\0\0\0\1\1\1", "header count"),
        (b"\x0c\0\0\0\1\1\2", "header count"),
        (b"\x10\0\0\0\1\1\2\1\0", "has no key"),
        (b"\x10\0\0\0\1\1\2\2\0", "fields do not fill"),
        (b"\x0c\0\0\4\1\1\0", "its offset delta is 2"),
    ],
)
@pytest.mark.parametrize("codec", CODECS)
def test_records(side: Any, record: bytes, reason: str, codec: Codec) -> None:
    """Each stands second, after a good one, plain and folded."""
    good = side.build_values([b"good"], NOW)
    payload = compress(codec, good[61:] + record, None)
    batch = with_field(with_field(with_payload(good, payload, codec), "i", 57, 2), "i", 23, 1)
    error = refusal(side, batch)
    assert error.code is ErrorCode.INVALID_RECORD
    ((index, message),) = error.record_errors
    assert index == 1
    assert reason in message


@pytest.mark.parametrize("codec", CODECS)
def test_bytes_after_the_last_record(side: Any, codec: Codec) -> None:
    good = side.build_values([b"good"], NOW)
    error = refusal(side, with_payload(good, compress(codec, good[61:] + b"\0", None), codec))
    assert error.code is ErrorCode.INVALID_RECORD
    assert "remain" in str(error)


@pytest.mark.parametrize("codec", CODECS)
def test_a_wrong_maximum_timestamp_is_set_right(side: Any, codec: Codec) -> None:
    good = side.build(RECORDS, codec=codec)
    for wrong in (NOW, -1, 1 << 62):
        batch = with_field(good, "q", 35, wrong)
        (header,) = side.validate(batch, **ROOM)
        assert batch == good
        assert header == side.read_header(good)
        assert refusal(side, bytes(with_field(good, "q", 35, wrong))).code is ErrorCode.INVALID_TIMESTAMP


def test_keys_where_they_are_required(side: Any) -> None:
    records = [(NOW, b"k" if n % 2 else None, b"", ()) for n in range(5)]
    for codec in CODECS:
        batch = side.build(records, codec=codec)
        side.validate(batch, **ROOM)
        error = refusal(side, batch, require_keys=True)
        assert error.code is ErrorCode.INVALID_RECORD
        assert [found.batch_index for found in error.record_errors] == [0, 2, 4]
    many = side.build_values([b""] * 5000, NOW)
    assert len(refusal(side, many, require_keys=True).record_errors) == 1000
    side.validate(side.build([(NOW, b"", None, ())]), **ROOM, require_keys=True)


def test_the_second_batch_is_checked_too(side: Any) -> None:
    one = side.build_values(VALUES, NOW)
    error = refusal(side, sealed(one) + with_field(one, "b", 16, 9))
    assert f"byte {len(one)}" in str(error)


def test_any_readable_buffer(side: Any) -> None:
    batch = side.build_values(VALUES, NOW)
    assert side.validate(memoryview(b"??" + batch)[2:], **ROOM) == side.validate(batch, **ROOM)
