"""`make bench`: Moldau beside Apache Kafka in one run, alternating, medians, the losing rows first.

Both brokers run all the while; for each row the load goes to one, then to the other, round after round. Figures are
only compared inside one run: the machine's own speed cancels out in the ratio.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench import report, rows, start
from tools.bench.brokers import JARS, Broker, Kafka, Moldau, wait_until_serving


def main() -> int:
    """Measure, print the table, and write it into the document when asked."""
    options = _options()
    for need, found in (
        ("cargo", shutil.which("cargo")),
        ("java", shutil.which("java")),
        ("mvn", any(JARS.glob("kafka-server*"))),
    ):
        if not found:
            print(f"bench: {need} is needed (cargo builds the load generator, Java and Maven bring Apache Kafka)")
            return 2
    rows.build_load_generator()
    chosen = [row for row in rows.ROWS if options.only in row.title and (row.durable or not options.durable)]
    results: dict[str, dict[str, list[rows.Figures]]] = {row.title: {"moldau": [], "kafka": []} for row in chosen}
    started = time.monotonic()
    with _brokers(options.durable) as brokers:
        for row in chosen:  # a JVM is at its speed only after a while
            _say(f"warming up Apache Kafka, {row.title}")
            rows.measure(row, brokers[-1], options.warm, options.warmup)
        for number in range(1, options.rounds + 1):
            for row in chosen:
                _say(f"round {number} of {options.rounds}, {row.title}")
                for broker in brokers:
                    figures = rows.measure(row, broker, options.seconds, options.warmup)
                    results[row.title][broker.name].append(figures)
    starts = start.measure(options.durable, options.rounds) if not options.only else []
    lines = [
        report.compare(row, _median(results[row.title]["moldau"]), _median(results[row.title]["kafka"]))
        for row in chosen
    ]
    text = report.table(lines, starts, options, time.monotonic() - started)
    print(text)
    if options.write:
        report.write(text, options.durable)
    return 0


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long one load is measured (default 2)")
    parser.add_argument("--warmup", type=float, default=0.5, help="how long it runs before that (default 0.5)")
    parser.add_argument(
        "--warm", type=float, default=6.0, help="how long each row warms up Apache Kafka once at first (default 6)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (default 3)")
    parser.add_argument("--only", default="", help="only the rows with this in their title")
    parser.add_argument("--durable", action="store_true", help="on disk before the answer, on both sides")
    parser.add_argument("--write", action="store_true", help="write the table into docs/performance.md")
    return parser.parse_args()


@contextlib.contextmanager
def _brokers(durable: bool) -> Iterator[list[Broker]]:
    with tempfile.TemporaryDirectory(prefix="moldau-bench-") as scratch, contextlib.ExitStack() as running:
        brokers: list[Broker] = []
        for kind in (Moldau, Kafka):
            place = Path(scratch) / kind.name
            place.mkdir()
            broker = kind(place, durable)
            running.callback(broker.stop)
            broker.start()
            wait_until_serving(broker)
            brokers.append(broker)
        yield brokers


def _median(measured: list[rows.Figures]) -> rows.Figures:
    return rows.Figures(
        *(statistics.median(getattr(one, name) for one in measured) for name in ("speed", "cpu", "p50_us", "p99_us"))
    )


if __name__ == "__main__":
    sys.exit(main())
