"""What happened, in order, boiled down to one digest.

The loop and the doors write here: virtual time, node, event. No event may hold an address, a hash or a real time,
or two runs of one seed differ.
"""

from __future__ import annotations

import hashlib


class Trace:
    """Lines into a digest; kept as well when `keep` is set, to show them or to find the first difference."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self._hash = hashlib.blake2b(digest_size=16)
        self._waiting: list[str] = []
        self._lines: list[str] = []
        self.count = 0

    def note(self, now_ns: int, node: str, event: str) -> None:
        self._waiting.append(f"{now_ns} {node} {event}\n")
        self.count += 1
        if len(self._waiting) >= _BATCH:
            self._flush()

    @property
    def lines(self) -> list[str]:
        """All so far, when they are kept."""
        self._flush()
        return self._lines

    def digest(self) -> str:
        self._flush()
        return self._hash.hexdigest()

    def _flush(self) -> None:
        self._hash.update("".join(self._waiting).encode())
        if self._keep:
            self._lines += self._waiting
        self._waiting.clear()


_BATCH = 512


def first_difference(one: list[str], other: list[str]) -> str | None:
    """The first line that differs, with what led to it; None when both are equal."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            before = "".join(one[max(0, index - 5) : index])
            return f"line {index}, after\n{before}one:   {left}other: {right}"
    if len(one) != len(other):
        shorter = min(len(one), len(other))
        return f"line {shorter}: one run ended, the other went on with {(one + other)[shorter] if one else other[0]}"
    return None
