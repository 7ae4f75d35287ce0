"""What the demonstration says in plain text: a line of progress now and then, and the summary at its end.

Called by `run` and the command line. Needs nothing but the standard library, so it works in any log.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Self, TextIO

from moldau.pipelines.demo import ORDERS, REJECTED, REVENUE
from moldau.pipelines.demo.snapshot import Snapshot

LINE_EVERY_S = 2.0
NAME_WIDTH = 22


@dataclass(frozen=True, slots=True)
class Findings:
    """What the topics and the table hold; `differences` is empty when the recount agrees with what Spark wrote."""

    records: int
    accepted: int
    cents: int
    rejected: Counter[str]
    updates: int
    rows: int
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """How it went: what was found, and when what happened, in seconds after the command."""

    seed: int
    found: Findings
    ready_s: float
    first_result_s: float
    end_s: float

    @property
    def exit_code(self) -> int:
        return 1 if self.found.differences else 0


class Lines:
    """Prints a line whenever the stage changes and every few seconds in between."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._stage = ""
        self._next_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        if snapshot.stage != self._stage or now >= self._next_s:
            print(line(snapshot), file=self._out, flush=True)
            self._stage = snapshot.stage
            self._next_s = now + LINE_EVERY_S


def line(snapshot: Snapshot) -> str:
    """One line of progress."""
    return (
        f"{snapshot.elapsed_s:6.1f} s  {snapshot.stage}: {snapshot.records_in:,} in ({snapshot.rate_in:,.0f}/s), "
        f"{snapshot.records_read:,} read ({snapshot.rate_out:,.0f}/s), lag {snapshot.lag:,}, "
        f"{snapshot.rejected:,} rejected, {len(snapshot.sums.orders):,} sums"
    )


def summary(told: Summary) -> str:
    """The end of the story."""
    found = told.found
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(found.rejected.items()))
    facts = [
        (ORDERS, f"{found.records:,} records in (seed {told.seed})"),
        (REVENUE, f"{found.updates:,} updates out, {found.rows:,} rows in the Delta table"),
        (REJECTED, f"{found.rejected.total():,} rejected" + (f": {reasons}" if reasons else "")),
        ("broker ready", f"{told.ready_s:.2f} s after the command"),
        ("first Spark result", f"{told.first_result_s:.1f} s"),
        ("end", f"{told.end_s:.1f} s"),
    ]
    lines = [f"{name:<{NAME_WIDTH}}{value}" for name, value in facts]
    if found.differences:
        lines.append(f"{'recount':<{NAME_WIDTH}}DIFFERENT from what Spark found:")
        lines += [f"  {difference}" for difference in found.differences]
    else:
        counted = f"equal: {found.accepted:,} orders, {money(found.cents)} of revenue, counted again without Spark"
        lines.append(f"{'recount':<{NAME_WIDTH}}{counted}")
    return "\n".join(lines)


def next_steps(data: str | None) -> str:
    """What to try now. `data` is where the demonstration's data is, when it was kept."""
    start = f"moldau start --data {data}" if data else "moldau start"
    lines = [
        "What to try next:",
        f"  {start}",
        f"  moldau consume {REVENUE} --from earliest",
        f"  moldau consume {REJECTED} --from earliest",
        "",
        "  # any Kafka client, here kafka-python",
        "  from kafka import KafkaProducer",
        '  KafkaProducer(bootstrap_servers="localhost:9092").send("orders", b"hello").get()',
        "",
        "  # Spark",
        "  from moldau.pipelines.session import session",
        '  session().read.format("moldau").option("bootstrap", "localhost:9092").option("subscribe", "orders").load()',
    ]
    if not data:
        lines += ["", "  moldau demo --data shop   the same, and its data is kept"]
    return "\n".join(lines)


def money(cents: int) -> str:
    """1234567 cents are 12,345.67."""
    return f"{cents // 100:,}.{cents % 100:02d}"
