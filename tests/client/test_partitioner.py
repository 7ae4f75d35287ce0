"""Keys go where every other client sends them."""

from __future__ import annotations

import pytest

from moldau.client.partitioner import KeyHashes, murmur2, positive_murmur2


@pytest.mark.parametrize(
    ("data", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
        (b"", 275646681),
    ],
)
def test_murmur2_is_kafkas(data: bytes, signed: int) -> None:
    assert murmur2(data) == signed & 0xFFFFFFFF
    assert positive_murmur2(data) == signed & 0x7FFFFFFF


def test_hashes_are_remembered_within_a_bound() -> None:
    hashes = KeyHashes(remembered=2)
    keys = [b"a", b"b", b"c", b"a"]
    assert [hashes.of(key) for key in keys] == [positive_murmur2(key) for key in keys]
    assert hashes.of.cache_info().currsize == 2
