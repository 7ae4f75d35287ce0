"""Which partition a record goes to when its sender does not say.

The accumulator asks. A key decides by Kafka's murmur2, so that every client of every language sends one key to one
partition; records without a key stay on one partition for a whole batch and then move on, which fills batches.
"""

from __future__ import annotations

from functools import lru_cache

KEYS_REMEMBERED = 8192
"""Keys repeat: their hashes are kept, because hashing one in Python costs more than all the rest of a send."""

_SEED = 0x9747B28C
_M = 0x5BD1E995
_WORD = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Kafka's 32-bit murmur2 of the bytes, as an unsigned number."""
    length = len(data)
    hashed = _SEED ^ length
    whole = length & ~3
    for position in range(0, whole, 4):
        word = int.from_bytes(data[position : position + 4], "little") * _M & _WORD
        word = (word ^ word >> 24) * _M & _WORD
        hashed = (hashed * _M & _WORD) ^ word
    if whole < length:
        hashed = (hashed ^ int.from_bytes(data[whole:], "little")) * _M & _WORD
    hashed = (hashed ^ hashed >> 13) * _M & _WORD
    return hashed ^ hashed >> 15


def positive_murmur2(data: bytes) -> int:
    """The hash without its sign bit, as Kafka takes it modulo the number of partitions."""
    return murmur2(data) & 0x7FFFFFFF


class KeyHashes:
    """The hashes of the keys seen lately."""

    __slots__ = ("of",)

    def __init__(self, remembered: int = KEYS_REMEMBERED) -> None:
        self.of = lru_cache(remembered)(positive_murmur2)
