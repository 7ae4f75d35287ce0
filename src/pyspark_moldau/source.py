"""What Spark registers under the name `moldau`: makes readers and writers from options.

Made anew by Spark for every query. All options are checked here, so a mistake is told where the query is written and
not in a worker's log.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from pyspark_moldau.options import for_reading, parse
from pyspark_moldau.readers import BatchReader, StreamReader
from pyspark_moldau.schema import spark_schema
from pyspark_moldau.writers import BatchWriter, StreamWriter, columns_of


class DefaultSource(DataSource):
    """`format("moldau")`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._options = parse(options)

    @classmethod
    def name(cls) -> str:
        return "moldau"

    def schema(self) -> StructType:
        return spark_schema(self._options.include_headers)

    def reader(self, schema: StructType) -> BatchReader:
        return BatchReader(for_reading(self._options, stream=False))

    def streamReader(self, schema: StructType) -> StreamReader:  # noqa: N802 - Spark's name
        return StreamReader(for_reading(self._options, stream=True))

    def writer(self, schema: StructType, overwrite: bool) -> BatchWriter:
        return BatchWriter(self._options, columns_of(schema, self._options, overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> StreamWriter:  # noqa: N802
        # For a stream, `overwrite` only says that the output mode is not append; each row is a record either way.
        return StreamWriter(self._options, columns_of(schema, self._options, overwrite=False))
