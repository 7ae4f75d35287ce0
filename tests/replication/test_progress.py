"""The high watermark is the lowest offset that all in-sync replicas hold (P1, P2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moldau.replication import Progress


def test_it_waits_for_the_slowest_in_sync() -> None:
    progress = Progress(1, (1, 2, 3), acknowledged=0, high_watermark=0)
    assert not progress.acknowledge(1, 10)
    assert not progress.acknowledge(2, 8)
    assert progress.acknowledge(3, 5)
    assert progress.high_watermark == 5
    assert not progress.acknowledge(9, 100)
    assert progress.acknowledge(3, 20)
    assert progress.high_watermark == 8


def test_alone_it_follows_itself() -> None:
    progress = Progress(1, (1,), acknowledged=4, high_watermark=0)
    assert progress.high_watermark == 4
    assert not progress.acknowledge(1, 4)
    assert progress.acknowledge(1, 6)


def test_who_is_not_in_sync_cannot_lead() -> None:
    with pytest.raises(ValueError, match="not in sync"):
        Progress(1, (2, 3), 0, 0)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 50)), max_size=60))
def test_it_never_falls_and_never_passes_anyone(steps: list[tuple[int, int]]) -> None:
    progress = Progress(1, (1, 2, 3), 0, 0)
    best = {1: 0, 2: 0, 3: 0}
    for replica, offset in steps:
        before = progress.high_watermark
        rose = progress.acknowledge(replica, offset)
        if replica in best:
            best[replica] = max(best[replica], offset)
        assert rose == (progress.high_watermark > before)
        assert before <= progress.high_watermark <= min(best.values())
