"""What Spark registers under the name `moldau`: makes readers and writers from options.

Made anew by Spark for every query. All options are checked here, so a mistake is told where the query is written and
not in a worker's log. Spark imports this file in several short-lived processes for each query, most of which neither
read nor write: what only a reader or a writer needs is imported when one is made.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from pyspark_moldau.options import for_reading, parse

if TYPE_CHECKING:
    from pyspark_moldau.readers import BatchReader, StreamReader
    from pyspark_moldau.writers import BatchWriter, StreamWriter


class DefaultSource(DataSource):
    """`format("moldau")`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._options = parse(options)

    @classmethod
    def name(cls) -> str:
        return "moldau"

    def schema(self) -> StructType:
        from pyspark_moldau.schema import spark_schema

        return spark_schema(self._options.include_headers)

    def reader(self, schema: StructType) -> BatchReader:
        from pyspark_moldau.readers import BatchReader

        return BatchReader(for_reading(self._options, stream=False))

    def streamReader(self, schema: StructType) -> StreamReader:  # noqa: N802 - Spark's name
        from pyspark_moldau.readers import StreamReader

        return StreamReader(for_reading(self._options, stream=True))

    def writer(self, schema: StructType, overwrite: bool) -> BatchWriter:
        from pyspark_moldau.writers import BatchWriter, columns_of

        return BatchWriter(self._options, columns_of(schema, self._options, overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> StreamWriter:  # noqa: N802
        from pyspark_moldau.writers import StreamWriter, columns_of

        # For a stream, `overwrite` only says that the output mode is not append; each row is a record either way.
        return StreamWriter(self._options, columns_of(schema, self._options, overwrite=False))
