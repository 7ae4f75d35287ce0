"""Cutting a stream into frames, however it arrives."""

from __future__ import annotations

import random
import struct
import tracemalloc

import pytest

from moldau.protocol.errors import FrameError
from moldau.protocol.frames import FRAME_BUFFER_BYTES, FrameBuffer


def framed(*bodies: bytes) -> bytes:
    return b"".join(struct.pack(">i", len(body)) + body for body in bodies)


def feed(frames: FrameBuffer, data: bytes, piece: int) -> list[bytes]:
    """What comes out when the data arrive in pieces of at most this size."""
    out: list[bytes] = []
    while data:
        space = frames.buffer()
        count = min(len(space), piece, len(data))
        space[:count] = data[:count]
        data = data[count:]
        out += map(bytes, frames.received(count))
    return out


BODIES = (b"first", b"", b"x" * 300, b"last")


def test_split_at_every_byte() -> None:
    stream = framed(*BODIES)
    for cut in range(len(stream) + 1):
        frames = FrameBuffer(1000, 64)
        assert feed(frames, stream[:cut], 10_000) + feed(frames, stream[cut:], 10_000) == list(BODIES)


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64, 1000, 1_000_000])
def test_any_size_of_pieces_and_buffer(piece: int) -> None:
    chance = random.Random(piece)
    bodies = [chance.randbytes(chance.choice((0, 1, 10, 100, 1000))) for _ in range(60)]
    for size in (4, 16, 1000, FRAME_BUFFER_BYTES):
        assert feed(FrameBuffer(1000, size), framed(*bodies), piece) == bodies


def test_one_read_gives_all_complete_frames_and_keeps_the_rest() -> None:
    frames = FrameBuffer(1000)
    stream = framed(b"a", b"b", b"c")
    assert feed(frames, stream[:-1], 1000) == [b"a", b"b"]
    assert feed(frames, stream[-1:], 1000) == [b"c"]


def test_frames_are_writable_views_of_the_buffer() -> None:
    frames = FrameBuffer(1000)
    space = frames.buffer()
    data = framed(b"produce")
    space[: len(data)] = data
    (frame,) = frames.received(len(data))
    assert frame.obj is space.obj
    assert not frame.readonly


@pytest.mark.parametrize("length", [-1, -(2**31), 1001, 2**31 - 1])
def test_a_length_below_zero_or_above_the_limit_ends_the_stream(length: int) -> None:
    frames = FrameBuffer(1000)
    with pytest.raises(FrameError, match=f"a frame of {length} bytes: at most 1000 are taken"):
        feed(frames, struct.pack(">i", length), 100)


def test_a_frame_of_the_limit_is_taken() -> None:
    assert feed(FrameBuffer(1000, 16), framed(b"z" * 1000), 10) == [b"z" * 1000]


def test_memory_follows_the_bytes_and_not_the_claim() -> None:
    limit = 100 * 1024 * 1024
    frames = FrameBuffer(limit)
    tracemalloc.start()
    try:
        feed(frames, struct.pack(">i", limit) + b"a few bytes", 1000)
        frames.buffer()
        assert frames.held_bytes == FRAME_BUFFER_BYTES
        assert tracemalloc.get_traced_memory()[1] < FRAME_BUFFER_BYTES
    finally:
        tracemalloc.stop()


def test_a_large_frame_grows_the_buffer_and_gives_it_back() -> None:
    frames = FrameBuffer(1_000_000, 1024)
    stream = framed(b"L" * 100_000)
    arrived = 0
    while arrived < len(stream) - 1:
        space = frames.buffer()
        count = min(len(space), 700, len(stream) - 1 - arrived)
        space[:count] = stream[arrived : arrived + count]
        arrived += count
        assert frames.received(count) == []
        assert frames.held_bytes <= max(1024, 2 * arrived)
    assert feed(frames, stream[arrived:], 1) == [b"L" * 100_000]
    assert len(frames.buffer()) == 1024
    assert frames.held_bytes == 1024


def test_the_buffer_never_exceeds_the_limit() -> None:
    frames = FrameBuffer(100_000, 1024)
    assert feed(frames, framed(b"M" * 100_000), 5000) == [b"M" * 100_000]
    assert frames.held_bytes <= 100_004


def test_a_grown_buffer_is_kept_while_large_frames_come_and_given_back_at_rest() -> None:
    frames = FrameBuffer(1_000_000, 1024, kept=8192)
    large, small = framed(b"L" * 5000), framed(b"s" * 10)
    assert feed(frames, large, 700) == [b"L" * 5000]
    frames.rest()
    assert feed(frames, large, 10_000) == [b"L" * 5000]
    assert frames.held_bytes == 8192
    frames.rest()
    assert feed(frames, small + small[:6], 10_000) == [b"s" * 10]
    frames.rest()
    assert frames.held_bytes == 1024
    assert feed(frames, small[6:], 10_000) == [b"s" * 10]


def test_a_buffer_beyond_what_is_kept_goes_at_once() -> None:
    frames = FrameBuffer(1_000_000, 1024, kept=8192)
    assert feed(frames, framed(b"L" * 50_000), 10_000) == [b"L" * 50_000]
    assert len(frames.buffer()) == 1024


def test_rest_leaves_a_large_frame_that_is_still_coming() -> None:
    frames = FrameBuffer(1_000_000, 1024, kept=8192)
    large = framed(b"L" * 5000)
    assert feed(frames, large[:3000], 700) == []
    frames.rest()
    frames.rest()
    assert feed(frames, large[3000:], 700) == [b"L" * 5000]
