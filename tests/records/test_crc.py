"""Known sums."""

from __future__ import annotations

from typing import Any

import pytest

VECTORS = [
    (b"", 0x00000000),
    (b"a", 0xC1D04330),
    (b"123456789", 0xE3069283),
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
]


@pytest.mark.parametrize(("data", "expected"), VECTORS)
def test_known_sums(side: Any, data: bytes, expected: int) -> None:
    assert side.crc32c(data) == expected
    assert side.crc32c(bytearray(data)) == expected
    assert side.crc32c(memoryview(b"x" + data)[1:]) == expected


def test_every_length_and_alignment(side: Any, native: Any) -> None:
    data = bytes(index * 7 & 0xFF for index in range(1000))
    for start in range(17):
        for end in range(start, 1000, 37):
            assert side.crc32c(memoryview(data)[start:end]) == native.crc32c(data[start:end])
