"""Spark's side of the demonstration, in a thread of its own: it takes seconds to start and blocks while it works.

Called by `run`. Everything that touches the session happens in this thread (I1): a second thread that asked a query
something while this one ends Spark would find the Java process gone.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines import session
from moldau.pipelines.demo.query import start_rejected, start_revenue
from moldau.pipelines.demo.sink import RevenueSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

LOOK_EVERY_S = 0.2


class Engine(threading.Thread):
    """Starts Spark and the pipeline, runs until told to finish or to stop, and ends Spark in every case."""

    def __init__(self, bootstrap: str, directory: Path, master: str | None, sink: RevenueSink) -> None:
        super().__init__(name="spark", daemon=True)
        self._address = bootstrap
        self._directory = directory
        self._master = master
        self._sink = sink
        self._ending = threading.Event()
        self._target: int | None = None
        self.running = False
        self.stage = "starting Spark"
        self.records_read = 0
        """Records of the orders topic that the sums contain."""
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            spark = session.session(
                self._master,
                app_name="moldau demo",
                log=self._directory / "spark.log",
                progress=self._tell,
                spark__driver__defaultJavaOptions=session.QUICK_JAVA,
                spark__sql__shuffle__partitions="1",
            )
            try:
                self._pipeline(spark)
            finally:
                session.stop(spark)
        except Exception as error:
            self.error = error

    def finish(self, records: int) -> None:
        """Take the topic's first so many records through the pipeline, then end."""
        self._target = records
        self._ending.set()

    def stop(self) -> None:
        """End as soon as may be."""
        self._target = None
        self._ending.set()

    def _pipeline(self, spark: SparkSession) -> None:
        if self._stopping():
            return
        checkpoints = self._directory / "checkpoints"
        queries: list[StreamingQuery] = []
        try:
            self.stage = "starting the queries"
            queries.append(start_revenue(spark, self._address, checkpoints, self._sink))
            queries.append(start_rejected(spark, self._address, checkpoints))
            self.running = True
            while not self._stopping():
                read = [_read_by(query) for query in queries]
                self.records_read = read[0]
                if self._target is not None and min(read) >= self._target:
                    return
                self.stage = "running" if self._target is None else "catching up"
                time.sleep(LOOK_EVERY_S)
        finally:
            self.stage = "ending Spark"
            for query in queries:
                query.stop()

    def _stopping(self) -> bool:
        return self._ending.is_set() and self._target is None

    def _tell(self, stage: str) -> None:
        self.stage = stage


def _read_by(running: StreamingQuery) -> int:
    """How far a query has come; raises what it died of."""
    error = running.exception()
    if error is not None:
        raise RuntimeError(f"the Spark query {running.name} failed: {error}")
    progress = running.lastProgress
    if progress is None:
        return 0
    end = json.loads(progress["sources"][0]["endOffset"] or "{}")
    return sum(offset for partitions in end.values() for offset in partitions.values())
