"""The demonstration: a shop's orders, a Spark pipeline over them, and a recount that does not trust it.

`moldau demo` runs it; nothing else imports it. The parts: `orders` makes records, `feed` sends them, `query` is the
pipeline, `sink` writes its results, `recount` counts again without Spark, `view` shows it all, `run` puts it together.
"""

ORDERS = "orders"
REVENUE = "revenue-per-minute"
REJECTED = "orders-rejected"
"""The three topics."""

PARTITIONS = 4
