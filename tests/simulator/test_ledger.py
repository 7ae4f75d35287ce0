"""The checkers themselves: each broken promise is seen, and a kept one is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from moldau.model import TopicPartition
from moldau.simulator.errors import Broken
from moldau.simulator.ledger import Ledger, Place

HERE = TopicPartition("t", 0)
A0, A1, A2 = b"a 0 x", b"a 1 x", b"a 2 x"


def ledger() -> Ledger:
    kept = Ledger()
    for payload in (A0, A1, A2):
        kept.sent(payload, HERE)
    kept.acknowledged(A0, Place(HERE, 0))
    kept.read(Place(HERE, 0), A0)
    kept.read(Place(HERE, 1), A1)
    kept.end_told(HERE, 2)
    kept.refused(A2, "timed out")
    kept.abandoned[A1] = None
    return kept


def test_a_kept_promise_is_no_finding() -> None:
    for log in ([(0, A0), (1, A1)], [(0, A0), (1, A1), (2, A2)]):
        kept = ledger()
        kept.settle(HERE, log)
        kept.check_all_answered()
    assert ledger().acknowledged_count == 1
    assert ledger().failed == ["timed out"]


@pytest.mark.parametrize(
    ("promise", "act"),
    [
        ("P5: .* held a 0, then a 1 was read", lambda it: it.read(Place(HERE, 0), A1)),
        ("P5: .* nobody sent", lambda it: it.read(Place(HERE, 2), b"b 0 x")),
        ("P5: .* nobody sent", lambda it: it.read(Place(TopicPartition("t", 1), 2), A0)),
        ("P5: .* then a 2 was acknowledged", lambda it: it.acknowledged(A2, Place(HERE, 0))),
        ("P10: a 2 was sent to t-0", lambda it: it.acknowledged(A2, Place(TopicPartition("t", 1), 0))),
        ("HW: ", lambda it: it.end_told(HERE, 1)),
        ("P10: an acknowledged record is gone", lambda it: it.settle(HERE, [])),
        ("P5: a consumed record is gone", lambda it: it.settle(HERE, [(0, A0)])),
        ("P7: .* 2 stands where 1", lambda it: it.settle(HERE, [(0, A0), (2, A1)])),
        ("P11: a 1 is in t-0 twice", lambda it: it.settle(HERE, [(0, A0), (1, A1), (2, A1)])),
        ("P11: a 0 stands in t-0 after", lambda it: it.settle(HERE, [(0, A0), (1, A1), (2, A0)])),
    ],
)
def test_each_broken_promise_is_seen(promise: str, act: Callable[[Ledger], None]) -> None:
    with pytest.raises(Broken, match=promise):
        act(ledger())


def test_an_unanswered_record_is_seen() -> None:
    kept = ledger()
    kept.sent(b"a 3 x", HERE)
    with pytest.raises(Broken, match=r"END: 1 .* a 3"):
        kept.check_all_answered()


def test_an_end_told_beyond_the_log_is_seen() -> None:
    kept = ledger()
    kept.end_told(HERE, 3)
    with pytest.raises(Broken, match="HW"):
        kept.settle(HERE, [(0, A0), (1, A1)])
