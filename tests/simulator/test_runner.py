"""The runner on a toy: promises kept, a planted bug found, equal digests for equal seeds."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.simulator.toy import Toy

from moldau.simulator.runner import run


def test_the_toy_keeps_its_promises_and_everything_happens_sometimes() -> None:
    toy = Toy()
    reports = [run(seed, toy) for seed in range(40)]
    assert [report.finding for report in reports if not report.ok] == []
    counters = sum((Counter(report.counters) for report in reports), Counter[str]())
    assert all(counters[name] for name in toy.sometimes), counters


def test_answering_before_the_sync_is_found() -> None:
    early = Toy(early=True)
    findings = [report.finding for seed in range(40) if not (report := run(seed, early)).ok]
    assert findings
    assert all(finding is not None and finding.startswith("Broken: P10") for finding in findings)


@pytest.mark.parametrize("seed", range(5))
def test_equal_seeds_give_equal_reports(seed: int) -> None:
    assert run(seed, Toy()) == run(seed, Toy())
    assert run(seed, Toy()).digest != run(seed + 1000, Toy()).digest
