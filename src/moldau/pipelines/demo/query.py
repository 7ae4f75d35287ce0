"""The pipeline itself: orders in; revenue per minute and region, and rejected orders, out.

Called by `run`, in the thread that owns the Spark session. Amounts are whole cents and sums are integers, so that the
result can be compared with a recount to the last cent. Two queries read the topic: one keeps sums, one keeps none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines.demo import ORDERS, REJECTED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

ORDER = "region STRING, amount_cents BIGINT, ordered_at STRING, malformed STRING"
"""What the pipeline needs of an order; `malformed` takes the text of one that does not fit."""

WATERMARK = "1 hour"
"""Of the shop's time: far more than an order may be late, so the sums of a minute are never closed too early."""

MAX_OFFSETS = 100_000
TRIGGER = "500 milliseconds"


def start_revenue(
    spark: SparkSession, bootstrap: str, checkpoints: Path, write: Callable[[DataFrame, int], None]
) -> StreamingQuery:
    """The query that keeps sums, going on from its checkpoint."""
    return (
        revenue_per_minute(judged(read(spark, bootstrap)))
        .writeStream.queryName("revenue")
        .outputMode("update")
        .option("checkpointLocation", str(checkpoints / "revenue"))
        .trigger(processingTime=TRIGGER)
        .foreachBatch(write)
        .start()
    )


def start_rejected(spark: SparkSession, bootstrap: str, checkpoints: Path) -> StreamingQuery:
    """The query that copies what is malformed, going on from its checkpoint."""
    return (
        dead_letters(judged(read(spark, bootstrap)))
        .writeStream.queryName("rejected")
        .format("moldau")
        .option("bootstrap", bootstrap)
        .option("topic", REJECTED)
        .option("checkpointLocation", str(checkpoints / "rejected"))
        .trigger(processingTime=TRIGGER)
        .start()
    )


def read(spark: SparkSession, bootstrap: str) -> DataFrame:
    """The orders topic, from its first record on."""
    return (
        spark.readStream.format("moldau")
        .option("bootstrap", bootstrap)
        .option("subscribe", ORDERS)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", str(MAX_OFFSETS))
        .load()
    )


def judged(records: DataFrame) -> DataFrame:
    """Each record with the fields of its order, and the reason why it is rejected, or NULL."""
    from pyspark.sql import functions as F  # noqa: N812 - the name every Spark user knows

    text = F.col("value").cast("string")
    order = F.from_json(text, ORDER, {"columnNameOfCorruptRecord": "malformed"})
    return (
        records.withColumn("order", order)
        .withColumn("at", F.col("order.ordered_at").try_cast("timestamp"))
        .withColumn("reason", _reason(text))
        .select("key", "value", "partition", "offset", "order.region", "order.amount_cents", "at", "reason")
    )


def revenue_per_minute(orders: DataFrame) -> DataFrame:
    """Sums of the good orders."""
    from pyspark.sql import functions as F  # noqa: N812

    return (
        orders.where(F.col("reason").isNull())
        .withWatermark("at", WATERMARK)
        .groupBy(F.window("at", "1 minute").alias("window"), "region")
        .agg(F.sum("amount_cents").alias("revenue_cents"), F.count("*").alias("orders"))
        .select(F.col("window.start").alias("minute"), "region", "revenue_cents", "orders")
    )


def dead_letters(orders: DataFrame) -> DataFrame:
    """The rejected orders as they came, with headers that say why and where they stood."""
    from pyspark.sql import functions as F  # noqa: N812

    def header(name: str, value: Column) -> Column:
        return F.struct(F.lit(name).alias("key"), value.cast("string").cast("binary").alias("value"))

    return orders.where(F.col("reason").isNotNull()).select(
        "key",
        "value",
        F.array(
            header("error.reason", F.col("reason")),
            header("error.topic", F.lit(ORDERS)),
            header("error.partition", F.col("partition")),
            header("error.offset", F.col("offset")),
        ).alias("headers"),
    )


def _reason(text: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    malformed = F.col("order.malformed").isNotNull()
    region, amount, ordered_at = (F.col(f"order.{name}") for name in ("region", "amount_cents", "ordered_at"))
    return (
        F.when(F.col("order").isNull() | (malformed & F.json_object_keys(text).isNull()), "not JSON")
        .when(malformed, "wrong type")
        .when(region.isNull() | amount.isNull() | ordered_at.isNull(), "missing field")
        .when(F.col("at").isNull(), "wrong type")
        .when(amount < 0, "negative amount")
    )
