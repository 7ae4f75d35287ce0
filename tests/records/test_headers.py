"""Reading, trusting and stamping headers."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.model import ErrorCode
from moldau.records import HEADER_BYTES, Codec, InvalidBatch
from tests.records.samples import NOW, RECORDS, ROOM, decoded, with_field


def test_the_header_says_what_was_built(side: Any) -> None:
    batch = side.build(
        RECORDS, codec=Codec.ZSTD, base_offset=5, leader_epoch=3, producer_id=9, producer_epoch=2, base_sequence=7,
        transactional=True,
    )  # fmt: skip
    header = side.read_header(b"??" + batch, 2)
    assert header.base_offset == 5
    assert header.size == len(batch)
    assert header.leader_epoch == 3
    assert header.magic == 2
    assert header.codec is Codec.ZSTD
    assert header.is_transactional
    assert not header.is_control
    assert not header.append_time
    assert header.last_offset == 8
    assert (header.base_timestamp, header.max_timestamp) == (NOW, NOW + 3_000_000_000)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 2, 7)
    assert header.record_count == 4
    assert header.crc == side.crc32c(batch[21:])


def test_no_header_without_61_bytes(side: Any) -> None:
    batch = side.build(RECORDS)
    for buffer, position in ((batch[: HEADER_BYTES - 1], 0), (batch, len(batch) - 60), (batch, -1), (batch, 1 << 40)):
        with pytest.raises(InvalidBatch) as refused:
            side.read_header(buffer, position)
        assert refused.value.code is ErrorCode.CORRUPT_MESSAGE


def test_headers_of_whole_batches_only(side: Any) -> None:
    one, two = side.build(RECORDS), side.build(RECORDS, base_offset=4)
    both = [side.read_header(one), side.read_header(two)]
    assert side.read_headers(one + two) == both
    for cut in (1, 61, len(two)):
        assert side.read_headers((one + two)[:-cut]) == both[:1]
    assert side.read_headers(b"") == []


def test_verified_headers_end_where_trust_ends(side: Any) -> None:
    one, two, three = (side.build(RECORDS, base_offset=offset) for offset in (0, 4, 8))
    whole = one + two + three
    assert sum(header.size for header in side.verified_headers(whole)) == len(whole)
    for at in range(len(one) + 21, len(one) + len(two), 611):
        flipped = bytearray(whole)
        flipped[at] ^= 4
        assert side.verified_headers(flipped) == [side.read_header(one)]
    assert side.verified_headers(one + bytes(4096)) == [side.read_header(one)]
    assert side.verified_headers(whole[:-1]) == side.read_headers(one + two)


def test_a_stamp_changes_place_and_leader_alone(side: Any) -> None:
    one = side.build(RECORDS)
    buffer = bytearray(one + one)
    side.stamp(memoryview(buffer), len(one), 1 << 40, 12)
    before, after = side.read_headers(buffer)
    assert before == side.read_header(one)
    assert after == before.stamped(1 << 40, 12)
    assert type(after) is type(before.stamped(1, 2))
    assert side.verified_headers(buffer) == [before, after]
    assert side.decode(buffer)[4:] == decoded(RECORDS, 1 << 40)


def test_append_time_is_every_records_time(side: Any) -> None:
    for codec in Codec:
        buffer = bytearray(side.build(RECORDS, codec=codec))
        side.stamp_append_time(buffer, 0, NOW + 5)
        (header,) = side.verified_headers(buffer)
        assert header.append_time
        assert header.codec is codec
        assert {record[1] for record in side.decode(buffer)} == {NOW + 5}


def test_what_cannot_be_stamped(side: Any) -> None:
    batch = side.build(RECORDS)
    with pytest.raises(TypeError):
        side.stamp(batch, 0, 0, 0)
    with pytest.raises(TypeError):
        side.stamp_append_time(batch, 0, 0)
    for spoiled in (bytearray(batch[:-1]), bytearray(60), with_field(batch, "q", 0, 0)[:100]):
        before = bytes(spoiled)
        with pytest.raises(InvalidBatch):
            side.stamp(spoiled, 0, 1, 1)
        with pytest.raises(InvalidBatch):
            side.stamp_append_time(spoiled, 0, 1)
        assert spoiled == before


def test_stamping_and_validating_meet(side: Any) -> None:
    buffer = bytearray(side.build(RECORDS) + side.build(RECORDS))
    position = 0
    for header in side.validate(buffer, **ROOM):
        side.stamp(buffer, position, 100 + position, 1)
        assert side.read_header(buffer, position) == header.stamped(100 + position, 1)
        position += header.size
