"""Bytes that nobody honest would send: only `Malformed` comes out, quickly, and without memory to match the claims."""

from __future__ import annotations

import contextlib
import random
import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moldau.protocol.apis import ApiKey
from moldau.protocol.codec import compiled, decode, encode
from moldau.protocol.control_records import decode_control_record
from moldau.protocol.errors import Malformed
from moldau.protocol.headers import decode_request_header, decode_response
from moldau.protocol.messages.fetch import FetchResponse
from moldau.protocol.messages.metadata import MetadataRequest, MetadataResponse
from moldau.protocol.messages.produce import ProduceRequest
from moldau.protocol.metadata_records import decode_record
from moldau.protocol.quorum_state import decode_quorum_state
from moldau.protocol.tables import Top
from tests.protocol.declared import VERSIONED, flat, name, plain, sample


def attempt(message: type[Top], version: int, data: bytes) -> Any:
    """The message, or None when it is refused; any other exception fails the test."""
    try:
        return decode(message, version, data)
    except Malformed:
        return None


@pytest.mark.parametrize("case", VERSIONED, ids=name)
def test_mutated_messages(case: tuple[type[Top], int]) -> None:
    message, version = case
    chance = random.Random(name(case))
    for _ in range(3):
        whole = flat(encode(sample(message, version, chance), version))[:4000]
        for _ in range(12):
            broken = bytearray(whole)
            for _ in range(chance.choice((1, 1, 3))):
                if broken:
                    broken[chance.randrange(len(broken))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
            attempt(message, version, bytes(broken))
            attempt(message, version, bytes(broken[: chance.randrange(len(broken) + 1)]))


@pytest.mark.parametrize("case", VERSIONED, ids=name)
def test_every_prefix_is_refused(case: tuple[type[Top], int]) -> None:
    message, version = case
    whole = flat(encode(sample(message, version, random.Random(5)), version))
    ends = range(len(whole)) if len(whole) < 150 else random.Random(6).sample(range(len(whole)), 150)
    for end in ends:
        with pytest.raises(Malformed):
            decode(message, version, whole[:end])
    with pytest.raises(Malformed, match="ends at byte"):
        decode(message, version, whole + b"\x00")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(VERSIONED), st.binary(max_size=200))
def test_any_bytes(case: tuple[type[Top], int], data: bytes) -> None:
    message, version = case
    read = attempt(message, version, data)
    if read is not None:
        again = decode(message, version, flat(encode(read, version)))
        assert plain(again) == plain(read)


HUGE = b"\xff\xff\xff\xff\x0f"


@pytest.mark.parametrize(
    ("message", "version", "data"),
    [
        (MetadataRequest, 12, HUGE),
        (MetadataRequest, 1, b"\x7f\xff\xff\xff" + bytes(1000)),
        (MetadataRequest, 1, b"\x80\x00\x00\x00" + bytes(1000)),
        (MetadataRequest, 12, b"\x01\x00\x00" + HUGE + bytes(100)),
        (MetadataRequest, 12, b"\x01\x00\x00\x01\x05" + HUGE + bytes(100)),
        (MetadataResponse, 12, bytes(4) + HUGE + bytes(1000)),
        (ProduceRequest, 9, b"\x00" + bytes(6) + b"\x02\x02t\x02" + bytes(4) + HUGE + bytes(100)),
        (ProduceRequest, 3, b"\xff\xff" + bytes(6) + b"\x7f\xff\xff\xff" + bytes(100)),
        (FetchResponse, 4, bytes(4) + b"\x7f\xff\xff\xff" + bytes(100)),
    ],
)
def test_a_claim_is_compared_with_what_is_left_before_memory_is_taken(
    message: type[Top], version: int, data: bytes
) -> None:
    compiled(message, version)
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            decode(message, version, data)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_memory_stays_in_proportion_to_the_frame() -> None:
    """A frame of a megabyte that holds as many of the smallest items as fit."""
    data = b"\x80\x80\x40" + b"\x01\x00" * 1_000_000
    compiled(MetadataRequest, 9)
    tracemalloc.start()
    try:
        attempt(MetadataRequest, 9, data)
        assert tracemalloc.get_traced_memory()[1] < 200 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", [b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xe4\xb8"])
def test_strings_are_utf8(text: bytes) -> None:
    with pytest.raises(Malformed, match="MetadataRequest v9"):
        decode(MetadataRequest, 9, b"\x02" + bytes([len(text) + 1]) + text + b"\x00\x00\x00\x00\x00")


def test_a_varint_has_at_most_32_bits() -> None:
    for data in (b"\xff\xff\xff\xff\x1f", b"\x80\x80\x80\x80\x80\x01", b"\xff" * 10):
        with pytest.raises(Malformed, match="longer than 32 bits"):
            decode(MetadataRequest, 9, data)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=60), st.sampled_from([(3, 12), (3, 1), (18, 4), (0, 9), (1, 17)]))
def test_headers_and_log_records_of_any_bytes(data: bytes, route: tuple[int, int]) -> None:
    key, version = route
    readers: list[Callable[[], object]] = [
        lambda: decode_request_header(data),
        lambda: decode_request_header(struct.pack(">hh", key, version) + data),
        lambda: decode_response(ApiKey(key), version, data),
        lambda: decode_record(data),
        lambda: decode_record(b"\x01" + data),
        lambda: decode_control_record(data[:4], data[4:]),
        lambda: decode_control_record(bytes([0, 0, 0, 2 + version % 5]), b"\x00\x00" + data),
        lambda: decode_quorum_state(data),
    ]
    for read in readers:
        with contextlib.suppress(Malformed):
            read()
