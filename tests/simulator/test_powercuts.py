"""The log and its committer under power cuts: some hundred instants, and planted bugs that must be found."""

from __future__ import annotations

from collections import Counter

import pytest

from moldau.simulator.disk import SimulatedDisk
from moldau.simulator.runner import run
from moldau.simulator.scenarios.powercuts import PowerCuts
from moldau.storage import opening
from moldau.storage.committer import Committer, Done
from moldau.storage.log import Log
from moldau.storage.sync import SyncJob


def test_what_the_committer_said_survives_every_cut() -> None:
    reports = [run(seed, PowerCuts()) for seed in range(30)]
    assert [(report.seed, report.finding) for report in reports if not report.ok] == []
    counters = sum((Counter(report.counters) for report in reports), Counter[str]())
    assert all(counters[name] for name in PowerCuts.sometimes), counters


def found_within(seeds: int) -> list[str]:
    return [report.finding for seed in range(seeds) if (report := run(seed, PowerCuts())).finding is not None]


def test_an_answer_before_the_sync_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def early(self: Committer, log: Log, offset: int, done: Done) -> None:
        done(None)

    monkeypatch.setattr(Committer, "request", early)
    assert any("P10" in finding or "CorruptLog" in finding for finding in found_within(10))


def test_a_sync_that_leaves_out_the_names_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SyncJob.__init__

    def nameless(self: SyncJob, *arguments: object, **given: object) -> None:
        whole(self, *arguments, **given | {"directories": []})  # type: ignore[arg-type]

    monkeypatch.setattr(SyncJob, "__init__", nameless)
    assert found_within(10)


def test_a_hole_between_segments_that_recovery_overlooks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_hole_after", lambda *_: False)
    assert any("P7" in finding or "D6" in finding for finding in found_within(30))


def test_a_start_that_is_written_down_after_the_names_are_gone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    written = SimulatedDisk.replace_file

    def late(self: SimulatedDisk, path: str, data: bytes) -> None:
        if not path.endswith("/start"):
            written(self, path, data)

    monkeypatch.setattr(SimulatedDisk, "replace_file", late)
    assert any("D5" in finding for finding in found_within(10))
