"""What the demonstration shows and says."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from moldau.pipelines.demo.recount import Sums
from moldau.pipelines.demo.report import Findings, Lines, Summary, money, next_steps, summary
from moldau.pipelines.demo.snapshot import Rate, Snapshot
from moldau.pipelines.demo.view import bars, save_picture, screen

EMPTY = Snapshot(0.5, "starting Spark", "127.0.0.1:9092", 0.4, None, 0, 0, 0, 0, 0.0, 0.0, Sums())
CELLS = {("2026-03-02T08:00", "north"): 120_050, ("2026-03-02T08:01", "north"): 60_000, ("2026-03-02T08:01", "east"): 1}
BUSY = Snapshot(
    12.0,
    "running",
    "127.0.0.1:9092",
    0.4,
    9.1,
    1500,
    1200,
    13,
    40,
    100.0,
    90.0,
    Sums(Counter(CELLS), Counter(CELLS.keys())),
)


def drawn(snapshot: Snapshot) -> str:
    console = Console(width=100, file=io.StringIO(), record=True)
    console.print(screen(snapshot))
    return console.export_text()


def test_the_screen_before_and_after_the_first_result() -> None:
    assert "sums appear here when Spark is up" in drawn(EMPTY)
    shown = drawn(BUSY)
    for expected in ("1,800.50", "0.01", "lag", "300", "08:00", "moldau consume revenue-per-minute", "9.1 s"):
        assert expected in shown


def test_bars_fill_from_the_bottom() -> None:
    assert bars([1.0, 0.5, 0.0, 0.25], 2) == "█\n█ █   ▄"


def test_a_picture_is_an_svg_file(tmp_path: Path) -> None:
    save_picture(BUSY, tmp_path / "demo.svg")
    assert (tmp_path / "demo.svg").read_text().startswith("<svg")


def test_lines_are_printed_when_the_stage_changes() -> None:
    out = io.StringIO()
    with Lines(out) as view:
        for snapshot in (EMPTY, EMPTY, BUSY):
            view.show(snapshot)
    assert [line.split(":")[0].strip() for line in out.getvalue().splitlines()] == [
        "0.5 s  starting Spark",
        "12.0 s  running",
    ]


def test_a_summary_says_whether_the_recount_agrees() -> None:
    found = Findings(1500, 1487, 180_051, Counter({"not JSON": 13}), 40, 3, ())
    told = Summary(1, found, 0.4, 9.1, 20.0)
    assert "equal: 1,487 orders, 1,800.51 of revenue" in summary(told)
    assert "13 rejected: 13 not JSON" in summary(told)
    assert told.exit_code == 0
    told = Summary(1, replace(found, differences=("Delta table, x",)), 0.4, 9.1, 20.0)
    assert told.exit_code == 1
    differing = summary(told)
    assert "DIFFERENT" in differing
    assert "  Delta table, x" in differing
    assert "moldau start --data shop/broker" in next_steps("shop/broker")
    assert "moldau demo --data shop" in next_steps(None)


def test_rates_are_over_the_last_seconds() -> None:
    rate = Rate()
    assert rate.at(0.0, 0) == 0.0
    assert rate.at(1.0, 100) == 100.0
    for second in range(2, 10):
        rate.at(float(second), 100)
    assert rate.at(10.0, 400) == 100.0


def test_money() -> None:
    assert money(1_234_567) == "12,345.67"
    assert money(5) == "0.05"
