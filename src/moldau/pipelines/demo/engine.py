"""Spark's side of the demonstration, in a thread of its own: it takes seconds to start and blocks while it works.

Called by `run`. Everything that touches the session happens in this thread, except reading a query's progress.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines import session
from moldau.pipelines.demo.query import start_rejected, start_revenue
from moldau.pipelines.demo.sink import RevenueSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

CHECK_EVERY_S = 0.2
QUERIES = 2


class Engine(threading.Thread):
    """Starts Spark and the pipeline, runs until told to finish or to stop, and ends Spark in every case."""

    def __init__(self, bootstrap: str, directory: Path, master: str | None, sink: RevenueSink) -> None:
        super().__init__(name="spark", daemon=True)
        self._address = bootstrap
        self._directory = directory
        self._master = master
        self._sink = sink
        self._ending = threading.Event()
        self._finishing = False
        self._queries: list[StreamingQuery] = []
        self.stage = "starting Spark"
        self._last_read = 0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            spark = session.session(
                self._master, app_name="moldau demo", log=self._directory / "spark.log", progress=self._tell
            )
            try:
                self._pipeline(spark)
            finally:
                session.stop(spark)
        except Exception as error:
            self.error = error

    def finish(self) -> None:
        """Take what is in the topic now through the pipeline, then end."""
        self._finishing = True
        self._ending.set()

    def stop(self) -> None:
        """End as soon as may be."""
        self._finishing = False
        self._ending.set()
        for query in self._queries if self.is_alive() else ():
            # In a fresh thread, which speaks to the Java process over a connection of its own.
            threading.Thread(target=query.stop, name="spark stop", daemon=True).start()

    @property
    def running(self) -> bool:
        return len(self._queries) == QUERIES

    def records_read(self) -> int:
        """Records of the orders topic that the sums contain."""
        return _read_by(self._queries[0]) if self._queries and self.is_alive() else self._last_read

    def _pipeline(self, spark: SparkSession) -> None:
        checkpoints = self._directory / "checkpoints"
        if self._ending.is_set() and not self._finishing:
            return
        try:
            self.stage = "starting the queries"
            self._queries.append(start_revenue(spark, self._address, checkpoints, self._sink))
            self._queries.append(start_rejected(spark, self._address, checkpoints))
            self.stage = "running"
            while not self._ending.wait(CHECK_EVERY_S):
                for query in self._queries:
                    _check(query)
            if self._finishing:
                self.stage = "catching up"
                for query in self._queries:
                    query.processAllAvailable()
            self._last_read = _read_by(self._queries[0])
        finally:
            for query in self._queries:
                query.stop()

    def _tell(self, stage: str) -> None:
        self.stage = stage


def _check(running: StreamingQuery) -> None:
    error = running.exception()
    if error is not None:
        raise RuntimeError(f"the Spark query {running.name} failed: {error}")


def _read_by(running: StreamingQuery) -> int:
    progress = running.lastProgress
    if progress is None:
        return 0
    end = json.loads(progress["sources"][0]["endOffset"] or "{}")
    return sum(offset for partitions in end.values() for offset in partitions.values())
