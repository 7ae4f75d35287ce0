"""The comparison as a table, the losing rows first, and its place in the document."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.bench.brokers import ROOT
from tools.bench.rows import Figures, Load
from tools.bench.start import Row

PAGE: Path = ROOT / "docs" / "performance.md"


@dataclass(frozen=True)
class Line:
    """One row of the table; ratios above 1 are to Moldau's favour in speed, below 1 in CPU."""

    row: Load
    moldau: Figures
    kafka: Figures
    speed: float
    cpu: float


def compare(row: Load, moldau: Figures, kafka: Figures) -> Line:
    """Where less is better (a latency) the ratio is turned round, so that more is always better."""
    ratio = moldau.speed / kafka.speed
    return Line(row, moldau, kafka, 1 / ratio if row.unit.endswith("us") else ratio, moldau.cpu / kafka.cpu)


def table(lines: list[Line], starts: list[Row], options: argparse.Namespace, took_s: float) -> str:
    """The whole report in Markdown."""
    command = "make bench" + (' ARGS="--durable"' if options.durable else "")
    out = [
        f"`{command}`: {options.rounds} rounds of {options.seconds:g} s a row and side, alternating, medians; "
        f"{os.cpu_count()} cores, CPython {platform.python_version()}, "
        f"{'durable' if options.durable else 'page cache'} on both sides, load generator on the same machine; "
        f"{took_s / 60:.0f} minutes in all.",
        "",
        "| row | Moldau | Kafka 4.3.1 | speed, Moldau / Kafka | broker CPU, Moldau / Kafka | p99, Moldau / Kafka |",
        "|---|---|---|---|---|---|",
    ]
    for line in sorted(lines, key=lambda line: line.speed):
        most_cpu = 1.0 if line.row.kind == "fetch" else 0.7
        per = "s/GB" if line.row.unit == "MB/s" else "us"
        digits = 1 if per == "us" else 2
        out.append(
            f"| {line.row.title} | {line.moldau.speed:,.0f} {line.row.unit} · {line.moldau.cpu:.{digits}f} {per} "
            f"| {line.kafka.speed:,.0f} {line.row.unit} · {line.kafka.cpu:.{digits}f} {per} "
            f"| {_mark(line.speed, line.speed < 1)} | {_mark(line.cpu, line.cpu > most_cpu)} "
            f"| {line.moldau.p99_us:,.0f} / {line.kafka.p99_us:,.0f} us |"
        )
    for title, moldau, kafka in starts:
        ratio = _mark(kafka / moldau, moldau > kafka) if moldau else "not measurable"
        out.append(f"| {title} | {moldau:.2f} | {kafka:.2f} | {ratio} | | |")
    return "\n".join(out) + "\n"


def _mark(ratio: float, short: bool) -> str:
    return f"**{ratio:.2f}x**" if short else f"{ratio:.2f}x"


def write(text: str, durable: bool) -> None:
    """Put the table between its two marks in the document."""
    name = "durable" if durable else "page-cache"
    page = PAGE.read_text()
    begin, end = f"<!-- bench {name} -->\n", f"<!-- end of bench {name} -->"
    head, found, rest = page.partition(begin)
    if not found:
        sys.exit(f"{PAGE} has no place marked for the table: {begin.strip()}")
    PAGE.write_text(head + begin + text + end + rest.partition(end)[2])
