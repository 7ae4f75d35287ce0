"""Real chance: generators seeded by the operating system, and version-4 ids."""

from __future__ import annotations

import os
import random

_DASH_BITS = 62
"""The six bits that Kafka's text form of an id shows as a leading '-'."""


class RealChance:
    """The chance door; each purpose has its own generator, so that one never disturbs another."""

    def __init__(self) -> None:
        self._streams: dict[str, random.Random] = {}

    def stream(self, purpose: str) -> random.Random:
        found = self._streams.get(purpose)
        if found is None:
            found = self._streams[purpose] = random.Random(os.urandom(32))
        return found

    def uuid(self) -> bytes:
        while True:
            drawn = bytearray(os.urandom(16))
            drawn[6] = drawn[6] & 0x0F | 0x40
            drawn[8] = drawn[8] & 0x3F | 0x80
            if drawn[0] >> 2 != _DASH_BITS:
                return bytes(drawn)
