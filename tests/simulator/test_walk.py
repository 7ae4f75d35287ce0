"""The real broker and the real client under harm: a corpus that holds, and planted bugs that must be found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from moldau.broker.settings import PAGE_CACHE
from moldau.replication import Partition
from moldau.simulator.command import describe
from moldau.simulator.corpus import run_corpus
from moldau.simulator.runner import run
from moldau.simulator.scenarios.walk import Walk
from moldau.storage import producers
from moldau.storage.committer import Committer, Done
from moldau.storage.log import Log
from moldau.storage.producers import ProducerTable

CORPUS = 100


def test_a_hundred_seeds_keep_every_promise_and_repeat() -> None:
    summary = run_corpus(list(range(CORPUS)), scenario="walk", sometimes=Walk.sometimes, jobs=2, rerun=6)
    assert summary.ok, describe(summary, "walk", 0)
    assert (summary.runs, summary.rerun) == (CORPUS, 12)


def finds(scenario: Walk, promises: tuple[str, ...]) -> bool:
    """Whether a seed of the corpus, which holds without the planted bug, finds one of these promises broken."""
    findings = (run(seed, scenario).finding or "" for seed in range(CORPUS))
    return any(promise in finding for finding in findings for promise in promises)


def early_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    on_time = Committer.request

    def early(self: Committer, log: Log, offset: int, done: Done) -> None:
        on_time(self, log, offset, done)
        partition = getattr(done, "__self__", None)
        if isinstance(partition, Partition):
            partition._acknowledge(offset)

    monkeypatch.setattr(Committer, "request", early)


def forgotten_producers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProducerTable, "check", lambda self, header: None)


def four_batches_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producers, "BATCHES_REMEMBERED", 4)


@pytest.mark.parametrize(
    ("plant", "promises"),
    [
        (early_answer, ("P5", "P10", "CorruptLog", "HW")),
        (forgotten_producers, ("P11",)),
        (four_batches_remembered, ("END", "P11")),
    ],
)
def test_a_planted_bug_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], promises: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert finds(Walk(), promises)


def test_page_cache_durability_loses_records_when_the_power_goes() -> None:
    """What this mode does not promise is really lost here, or the harm would be too mild to prove anything."""
    assert finds(Walk(PAGE_CACHE), ("P10", "P5", "HW"))
