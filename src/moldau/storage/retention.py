"""Which of a log's oldest segments may go, and why.

Who calls: the log, which shows its segments as plain data and does what is decided here. What it never does: touch a
disk, read a clock, or know what a topic is called.

I1 Segments go from the oldest on, whole, and the first that stays keeps all after it.
I2 No segment goes that reaches above the high watermark.
I3 The active segment goes only by age, when it holds records and all before it go: the log rolls first.
I4 A segment whose records carry no time has no age: time alone never takes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

KEEP_ALL = -1
"""No limit, of time or of size."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long and how much a topic keeps."""

    ms: int = KEEP_ALL
    bytes: int = KEEP_ALL


class Stretch(NamedTuple):
    """One segment, as far as its going is concerned."""

    end_offset: int
    size: int
    newest: int
    """The largest timestamp; negative when there is none."""


class Reason(Enum):
    """Why a segment goes."""

    AGE = "older than retention.ms"
    SIZE = "beyond retention.bytes"


def going(
    stretches: Sequence[Stretch], retention: Retention, now_ms: int, high_watermark: int, start_offset: int = 0
) -> list[Reason | None]:
    """The reason of each segment that goes, oldest first; None where it lies below the start and goes anyhow."""
    excess = sum(stretch.size for stretch in stretches) - retention.bytes if retention.bytes >= 0 else -1
    reasons: list[Reason | None] = []
    for place, stretch in enumerate(stretches):
        active = place == len(stretches) - 1
        if stretch.end_offset > high_watermark:  # I2
            break
        excess -= stretch.size
        if not active and stretch.end_offset <= start_offset:
            reasons.append(None)
        elif not active and retention.bytes >= 0 and excess >= 0:
            reasons.append(Reason.SIZE)
        elif _too_old(stretch, retention, now_ms, active=active):
            reasons.append(Reason.AGE)
        else:
            break  # I1
    return reasons


def _too_old(stretch: Stretch, retention: Retention, now_ms: int, *, active: bool) -> bool:
    if retention.ms < 0:
        return False
    if stretch.size == 0:
        return not active  # I3
    return 0 <= stretch.newest < now_ms - retention.ms  # I4
