"""The demonstration's pipeline in a real Spark, against the recount: two judges that share no code."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]

from moldau.pipelines.demo import query
from moldau.pipelines.demo.orders import orders
from moldau.pipelines.demo.recount import Sums, dead_letters, last_updates, recount
from moldau.pipelines.demo.sink import RevenueSink, minute_text, read_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOMENT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
GOOD = {"region": "north", "amount_cents": 1299, "ordered_at": "2026-03-02T08:01:59.999Z"}
ODD: list[bytes | None] = [
    None,
    b"",
    b"null",
    b"[1]",
    b"12",
    b"\xff\xfe",
    json.dumps(GOOD).encode()[:-2],
    *(
        json.dumps(GOOD | changed).encode()
        for changed in (
            {"amount_cents": "1299"},
            {"amount_cents": 12.0},
            {"amount_cents": True},
            {"amount_cents": [1]},
            {"amount_cents": None},
            {"amount_cents": -5},
            {"amount_cents": 10**18},
            {"region": None},
            {"ordered_at": "yesterday"},
            {"ordered_at": None},
        )
    ),
]


def records(spark: SparkSession, values: list[bytes | None]) -> DataFrame:
    count = len(values)
    return spark.createDataFrame(
        pa.table(
            {
                "key": pa.array([None] * count, pa.binary()),
                "value": pa.array(values, pa.binary()),
                "partition": pa.array([number % 4 for number in range(count)], pa.int32()),
                "offset": pa.array(range(count), pa.int64()),
            }
        )
    )


def sums_of(rows: list[Any]) -> Sums:
    sums = Sums()
    for row in rows:
        cell = (minute_text(row["minute"]), row["region"])
        sums.cents[cell], sums.orders[cell] = row["revenue_cents"], row["orders"]
    return sums


def test_spark_and_the_recount_judge_alike(spark: SparkSession) -> None:
    values = ODD + [value for _, value in orders(3, 0, 4_000)]
    judged = query.judged(records(spark, values))
    counted = recount(values)
    assert sums_of(query.revenue_per_minute(judged).collect()) == counted.sums
    letters = query.dead_letters(judged).collect()
    assert dead_letters({name: bytes(text) for name, text in row["headers"]} for row in letters) == counted.rejected
    assert len(letters) == counted.rejected.total()


class Batch:
    """What Spark hands to the sink, as far as the sink looks at it."""

    def __init__(self, *rows: tuple[str, int]) -> None:
        self._table = pa.table(
            {
                "minute": pa.array([MOMENT] * len(rows), pa.timestamp("us", tz="UTC")),
                "region": pa.array([region for region, _ in rows], pa.string()),
                "revenue_cents": pa.array([cents for _, cents in rows], pa.int64()),
                "orders": pa.array([1] * len(rows), pa.int64()),
            }
        )

    def toArrow(self) -> pa.Table:  # noqa: N802 - Spark's name
        return self._table


def test_a_repeated_batch_leaves_the_table_as_it_was(tmp_path: Path) -> None:
    sent: list[tuple[bytes, bytes]] = []
    sink: Any = RevenueSink(tmp_path / "table", sent.extend)
    sink(Batch(("a", 5), ("b", 6)), 0)
    sink(Batch(("b", 7)), 1)
    sink(Batch(("b", 999)), 1)
    again: Any = RevenueSink(tmp_path / "table", sent.extend)
    again(Batch(("b", 999)), 0)
    again(Batch(), 2)
    expected = Counter({(minute_text(MOMENT), "a"): 5, (minute_text(MOMENT), "b"): 7})
    assert read_table(tmp_path / "table").cents == sink.sums().cents == again.sums().cents == expected
    assert last_updates(sent).cents == expected
    assert len(sent) == 3
