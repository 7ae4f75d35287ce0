"""Writes the sums that a micro-batch changed: to a topic as updates, and into a Delta table.

Called by Spark, once for each micro-batch, in the process that runs the demo: a few hundred rows do not need Spark's
workers. A micro-batch that Spark repeats after a crash leaves the table as it was (I1) and may repeat its updates in
the topic, where the last one for a key counts.

I1  The table's transaction `APP` carries the number of the last batch that is in it; the sums and that number are one
    commit, and a batch that is not newer is not written.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines.demo.recount import MINUTE, Sums

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    from deltalake import DeltaTable
    from pyspark.sql import DataFrame

APP = "moldau-demo"

Send = Callable[[list[tuple[bytes, bytes]]], None]
"""Sends keys and values to the output topic; on return they are safe."""


class RevenueSink:
    """The last sums of every minute and region, in three places: table, topic, and here for the screen."""

    def __init__(self, directory: Path, send: Send) -> None:
        self._directory = directory
        self._send = send
        self._lock = threading.Lock()
        self._sums = read_table(directory)
        self.batches = 0
        """Micro-batches written by this process."""

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        rows = frame.toArrow()
        if rows.num_rows == 0:
            return
        table = _open(self._directory, rows.schema)
        last = table.transaction_version(APP)
        if last is not None and last >= batch_id:
            return
        self._send(updates(rows))
        _merge(table, rows, batch_id)
        with self._lock:
            _add(self._sums, rows)
            self.batches += 1

    def sums(self) -> Sums:
        """What the pipeline has found so far; a copy."""
        with self._lock:
            return Sums(self._sums.cents.copy(), self._sums.orders.copy())


def updates(rows: pa.Table) -> list[tuple[bytes, bytes]]:
    """The records of the output topic."""
    records = []
    for row in rows.to_pylist():
        minute = minute_text(row["minute"])
        value = {
            "minute": minute,
            "region": row["region"],
            "revenue_cents": row["revenue_cents"],
            "orders": row["orders"],
        }
        records.append((f"{minute} {row['region']}".encode(), json.dumps(value).encode()))
    return records


def read_table(directory: Path) -> Sums:
    """What the Delta table holds; nothing when there is none."""
    from deltalake import DeltaTable

    sums = Sums()
    if DeltaTable.is_deltatable(str(directory)):
        _add(sums, DeltaTable(str(directory)).to_pyarrow_table())
    return sums


def minute_text(minute: datetime) -> str:
    return minute.isoformat()[:MINUTE]


def _open(directory: Path, schema: pa.Schema) -> DeltaTable:
    from deltalake import DeltaTable

    return DeltaTable.create(str(directory), schema=schema, mode="ignore", name="revenue_per_minute")


def _merge(table: DeltaTable, rows: pa.Table, batch_id: int) -> None:
    from deltalake import CommitProperties, Transaction

    (
        table.merge(
            rows,
            predicate="kept.minute = new.minute AND kept.region = new.region",
            source_alias="new",
            target_alias="kept",
            commit_properties=CommitProperties(app_transactions=[Transaction(APP, batch_id)]),
        )
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )


def _add(sums: Sums, rows: pa.Table) -> None:
    for row in rows.to_pylist():
        cell = (minute_text(row["minute"]), row["region"])
        sums.cents[cell] = row["revenue_cents"]
        sums.orders[cell] = row["orders"]
