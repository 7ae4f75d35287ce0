"""The command and the corpus: fresh processes, equal digests, clear words for failures."""

from __future__ import annotations

import pytest

from moldau.simulator.command import describe, main
from moldau.simulator.corpus import Summary, run_corpus
from moldau.simulator.runner import run
from moldau.simulator.scenarios.powercuts import PowerCuts


def test_a_small_corpus_repeats_in_fresh_processes() -> None:
    summary = run_corpus([1, 2, 3, 4], scenario="powercuts", sometimes=("write torn",), jobs=2, rerun=2)
    assert summary.ok, describe(summary, "powercuts", 0)
    assert (summary.runs, summary.rerun) == (4, 4)
    assert summary.digests[2] == run(2, PowerCuts()).digest


def test_what_never_happened_fails_the_corpus() -> None:
    summary = run_corpus([1], scenario="powercuts", sometimes=("the moon fell",), jobs=1)
    assert not summary.ok
    assert "NEVER HAPPENED: the moon fell" in describe(summary, "powercuts", 0)


def test_failures_say_how_to_repeat_them() -> None:
    summary = Summary(runs=2, findings={7: "Broken: P10"}, differing=[3], broken_workers=["the worker died"])
    text = describe(summary, "powercuts", 1.0)
    assert "--scenario powercuts --seed 7 --trace" in text
    assert "--seed 3 --difference" in text
    assert "the worker died" in text


def test_one_seed_shows_its_trace_and_its_digest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scenario", "powercuts", "--seed", "5", "--trace"]) == 0
    printed = capsys.readouterr().out
    assert run(5, PowerCuts()).digest in printed
    assert "sync /data/t-0" in printed


def test_no_difference_between_two_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scenario", "powercuts", "--seed", "5", "--difference"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_nonsense_is_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--seeds", "some"])
    assert "write FIRST:END" in capsys.readouterr().err
