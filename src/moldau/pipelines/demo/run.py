"""Puts the demonstration together: broker, orders, Spark, a view of them, and the recount at the end.

Called by the command line and by tests. Whatever ends it (all records sent, Ctrl-C, SIGTERM, a failure), Spark is
ended first and the broker last, and neither outlives this call (I1).
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moldau.client import Client, TopicExists
from moldau.pipelines.demo import ORDERS, PARTITIONS, REJECTED, REVENUE
from moldau.pipelines.demo.engine import Engine
from moldau.pipelines.demo.feed import Feed
from moldau.pipelines.demo.recount import (
    dead_letters,
    differences,
    last_updates,
    read_all,
    recount,
    rejected_differences,
)
from moldau.pipelines.demo.report import Findings, Summary
from moldau.pipelines.demo.server import Server
from moldau.pipelines.demo.sink import RevenueSink, read_table
from moldau.pipelines.demo.snapshot import Rate, Snapshot

TABLE = "revenue_per_minute"
LOOK_EVERY_S = 0.25
FEED_ENDS_S = 30.0
SPARK_ENDS_S = 60.0


class View(Protocol):
    """Whoever shows snapshots."""

    def show(self, snapshot: Snapshot) -> None: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for."""

    records: int | None
    seed: int
    rate: int
    data: Path | None
    keep: bool
    master: str | None


class Interruption:
    """What a signal asks for. While Spark works the first one is only noted: an exception in the middle of a call
    into the Java process would leave that conversation torn. At any other time it ends the program."""

    def __init__(self) -> None:
        self.asked: int | None = None
        self.noted_only = False

    def __call__(self, number: int, _: object) -> None:
        if not self.noted_only or self.asked is not None:
            raise SystemExit(128 + number)
        self.asked = number


class Demonstration:
    """One run."""

    def __init__(self, settings: Settings, view: View, began_s: float, interruption: Interruption) -> None:
        self._settings = settings
        self._view = view
        self._began_s = began_s
        self._interruption = interruption
        self._rate_in = Rate()
        self._rate_out = Rate()
        self._ready_s: float | None = None
        self._first_result_s: float | None = None
        self.last_busy: Snapshot | None = None
        """The last snapshot with orders still coming in and results going out: the one for a picture."""
        self.kept: Path | None = None
        """Where the data is after the run, when it was kept."""

    def run(self) -> Summary | None:
        """From the start of the broker to the recount; None when a signal came before there was a result."""
        with self._directory() as directory, Server(directory / "broker", directory / "broker.log") as server:
            self._ready_s = self._elapsed()
            with Client(server.bootstrap) as kafka:
                first = _make_topics(kafka)
                with Client(server.bootstrap) as results, results.producer() as out:

                    def send(updates: list[tuple[bytes, bytes]]) -> None:
                        for key, value in updates:
                            out.send(REVENUE, value, key=key)
                        out.flush()

                    sink = RevenueSink(directory / TABLE, send)
                    complete = self._drive(server, kafka, directory, sink, first)
                end_s = self._elapsed()
                return self._summary(check(kafka, directory), end_s) if complete else None

    def _drive(self, server: Server, kafka: Client, directory: Path, sink: RevenueSink, first: int) -> bool:
        """Run it to its end; whether everything that was sent went through the pipeline."""
        settings = self._settings
        engine = Engine(server.bootstrap, directory, settings.master, sink)
        feed = Feed(server.bootstrap, settings.seed, first, settings.records, settings.rate)
        interruption = self._interruption
        engine.start()
        feed.start()
        interruption.noted_only = True
        try:
            while interruption.asked is None and (feed.is_alive() or not engine.running):
                self._look(server, kafka, engine, feed, sink)
            if interruption.asked is not None and (interruption.asked != signal.SIGINT or self._first_result_s is None):
                return False
            feed.stop()
            feed.join(FEED_ENDS_S)
            engine.finish(_end(kafka, ORDERS))
            while engine.is_alive():
                self._look(server, kafka, engine, feed, sink)
            _raise_failure(engine, feed)
            return True
        finally:  # I1
            interruption.noted_only = False
            feed.stop()
            engine.stop()
            engine.join(SPARK_ENDS_S)
            feed.join(FEED_ENDS_S)

    def _look(self, server: Server, kafka: Client, engine: Engine, feed: Feed, sink: RevenueSink) -> None:
        """Show how things stand, then wait a little; raise when a part has failed."""
        server.check()
        _raise_failure(engine, feed)
        elapsed, read = self._elapsed(), engine.records_read
        sums = sink.sums()
        if self._first_result_s is None and sink.batches:
            self._first_result_s = elapsed
        came_in = _end(kafka, ORDERS)
        snapshot = Snapshot(
            elapsed_s=elapsed,
            stage=engine.stage,
            bootstrap=server.bootstrap,
            ready_s=self._ready_s,
            first_result_s=self._first_result_s,
            records_in=came_in,
            records_read=read,
            rejected=_end(kafka, REJECTED),
            updates=_end(kafka, REVENUE),
            rate_in=self._rate_in.at(elapsed, came_in),
            rate_out=self._rate_out.at(elapsed, read),
            sums=sums,
        )
        self._view.show(snapshot)
        if sums.orders and feed.is_alive():
            self.last_busy = snapshot
        time.sleep(LOOK_EVERY_S)

    def _summary(self, found: Findings, end_s: float) -> Summary:
        return Summary(
            seed=self._settings.seed,
            found=found,
            ready_s=self._ready_s or 0.0,
            first_result_s=self._first_result_s or end_s,
            end_s=end_s,
        )

    @contextlib.contextmanager
    def _directory(self) -> Iterator[Path]:
        settings = self._settings
        if settings.data is not None:
            settings.data.mkdir(parents=True, exist_ok=True)
            self.kept = settings.data
            yield settings.data
            return
        directory = Path(tempfile.mkdtemp(prefix="moldau-demo-"))
        try:
            yield directory
        finally:
            if settings.keep:
                self.kept = directory
            else:
                shutil.rmtree(directory, ignore_errors=True)

    def _elapsed(self) -> float:
        return time.monotonic() - self._began_s


def check(kafka: Client, directory: Path) -> Findings:
    """Count again without Spark and compare everything that Spark has written into this directory and the topics."""
    counted = recount(record.value for record in read_all(kafka, ORDERS))
    table = read_table(directory / TABLE)
    updates = last_updates((record.key, record.value) for record in read_all(kafka, REVENUE))
    rejected = dead_letters(dict(record.headers) for record in read_all(kafka, REJECTED))
    return Findings(
        records=counted.records,
        accepted=counted.sums.orders.total(),
        cents=counted.sums.cents.total(),
        rejected=rejected,
        updates=_end(kafka, REVENUE),
        rows=len(table.orders),
        differences=(
            *differences("Delta table", counted.sums, table),
            *differences(f"topic {REVENUE}", counted.sums, updates),
            *rejected_differences(counted.rejected, rejected),
        ),
    )


def _make_topics(kafka: Client) -> int:
    """Make the topics that are not there; how many orders there are already."""
    for topic, partitions in ((ORDERS, PARTITIONS), (REVENUE, 1), (REJECTED, 1)):
        with contextlib.suppress(TopicExists):
            kafka.admin.create_topic(topic, partitions=partitions)
    return _end(kafka, ORDERS)


def _end(kafka: Client, topic: str) -> int:
    return sum(kafka.list_offsets(topic, "latest").values())


def _raise_failure(engine: Engine, feed: Feed) -> None:
    for part in (engine, feed):
        if part.error is not None:
            raise part.error
