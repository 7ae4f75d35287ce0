"""Spark's side of the demonstration, in a thread of its own: it takes seconds to start and blocks while it works.

Called by `run`. Everything that touches the session happens in this thread, except reading a query's progress.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines import session
from moldau.pipelines.demo import query
from moldau.pipelines.demo.sink import RevenueSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

CHECK_EVERY_S = 0.2


class Engine(threading.Thread):
    """Starts Spark and the pipeline, runs until told to finish or to stop, and ends Spark in every case."""

    def __init__(self, bootstrap: str, directory: Path, master: str | None, sink: RevenueSink) -> None:
        super().__init__(name="spark", daemon=True)
        self._bootstrap = bootstrap
        self._directory = directory
        self._master = master
        self._sink = sink
        self._ending = threading.Event()
        self._finishing = False
        self._queries: query.Queries | None = None
        self.stage = "starting Spark"
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
        queries = self._queries
        if queries is not None and self.is_alive():
            # In a fresh thread, which speaks to the Java process over a connection of its own.
            threading.Thread(target=queries.stop, name="spark stop", daemon=True).start()

    @property
    def running(self) -> bool:
        return self._queries is not None

    def records_read(self) -> int:
        """Records of the orders topic that the sums contain."""
        queries = self._queries
        return _read_by(queries.revenue) if queries is not None and self.is_alive() else 0

    def _pipeline(self, spark: SparkSession) -> None:
        if self._ending.is_set() and not self._finishing:
            return
        self._queries = queries = query.start(spark, self._bootstrap, self._directory / "checkpoints", self._sink)
        self.stage = "running"
        try:
            while not self._ending.wait(CHECK_EVERY_S):
                queries.check()
            if self._finishing:
                self.stage = "catching up"
                queries.catch_up()
        finally:
            queries.stop()

    def _tell(self, stage: str) -> None:
        self.stage = stage


def _read_by(running: StreamingQuery) -> int:
    progress = running.lastProgress
    if progress is None:
        return 0
    end = json.loads(progress["sources"][0]["endOffset"] or "{}")
    return sum(offset for partitions in end.values() for offset in partitions.values())
