"""How far each replica of a partition is, and from that how far the partition is: the deciding half of replication.

Used by `Partition` while it leads. Pure: no log, no clock. Invariants:

P1  The high watermark is the lowest offset that every in-sync replica has acknowledged; it never falls.
P2  A replica that is not in sync counts for nothing.
P3  With fewer in-sync replicas than `min.insync.replicas`, nothing is promised to acks=all.
"""

from __future__ import annotations

from collections.abc import Sequence


class Progress:
    """What the leader of one epoch knows of the in-sync replicas, itself among them."""

    __slots__ = ("_acknowledged", "_isr", "_own", "high_watermark", "in_sync")

    def __init__(self, own: int, isr: Sequence[int], acknowledged: int, high_watermark: int) -> None:
        if own not in isr:
            raise ValueError(f"replica {own} cannot lead: it is not in sync ({list(isr)})")
        self._own = own
        self._isr = tuple(isr)
        self.in_sync = len(self._isr)
        """How many replicas are in sync."""
        self._acknowledged = dict.fromkeys(isr, 0)
        self.high_watermark = high_watermark
        self.acknowledge(own, acknowledged)

    def acknowledge(self, replica: int, offset: int) -> bool:
        """A replica holds everything below `offset`; whether the high watermark has risen."""
        if replica not in self._acknowledged:
            return False  # P2
        self._acknowledged[replica] = offset
        lowest = offset if self.in_sync == 1 else min(self._acknowledged.values())
        if lowest <= self.high_watermark:
            return False  # P1
        self.high_watermark = lowest
        return True
