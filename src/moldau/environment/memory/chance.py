"""Chance that repeats: every stream is seeded from one word and its purpose.

Tests call it, and the simulator with a word for each life of each node. Nothing here asks the machine for entropy.
"""

from __future__ import annotations

import random


class SeededChance:
    """One generator for each purpose; equal words give equal streams, in every process."""

    def __init__(self, word: str = "0") -> None:
        self._word = word
        self._streams: dict[str, random.Random] = {}

    def stream(self, purpose: str) -> random.Random:
        known = self._streams.get(purpose)
        if known is None:
            known = self._streams[purpose] = random.Random(f"{self._word}:{purpose}")
        return known

    def uuid(self) -> bytes:
        draw = self.stream("uuid")
        while True:
            value = bytearray(draw.randbytes(16))
            value[6] = value[6] & 0x0F | 0x40
            value[8] = value[8] & 0x3F | 0x80
            if value[0] >> 2 != _DASH:
                return bytes(value)


_DASH = 62
"""The base64url digit '-': an id that starts with it would look like an option on a command line."""
