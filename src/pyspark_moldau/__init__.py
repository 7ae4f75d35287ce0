"""Spark's way to Moldau and any other Kafka: `spark.readStream.format("moldau")` and `df.writeStream.format("moldau")`.

Spark looks for top-level packages whose names begin with `pyspark_` and registers their `DefaultSource`, so nothing
has to be imported or registered. Uses the public, synchronous client only; no Java library is needed.
"""

from pyspark_moldau.source import DefaultSource

__all__ = ["DefaultSource"]
