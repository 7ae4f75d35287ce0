"""Record batches as bytes: read, check, stamp, build, decode.

The native core does the work where it is installed; otherwise, or with MOLDAU_TWINS=1, its twin in plain Python
does, with the same results. Nothing here waits, logs or keeps anything.
"""

from typing import TYPE_CHECKING

from moldau.native import NATIVE
from moldau.records.columns import BinaryColumn, Columns, HeaderColumn
from moldau.records.errors import InvalidBatch, RecordError
from moldau.records.headers import (
    HEADER_BYTES,
    MAX_DECOMPRESSED_BYTES,
    BatchHeader,
    Codec,
    DecodedRecord,
    HeaderPair,
    Record,
)

if TYPE_CHECKING or not NATIVE:
    from moldau.records.twin import (
        BatchBuilder,
        build,
        build_values,
        crc32c,
        decode,
        decode_columns,
        read_header,
        read_headers,
        stamp,
        stamp_append_time,
        validate,
        verified_headers,
    )
else:
    from moldau._core import (
        BatchBuilder,
        build,
        build_values,
        crc32c,
        decode,
        decode_columns,
        read_header,
        read_headers,
        stamp,
        stamp_append_time,
        validate,
        verified_headers,
    )

__all__ = [
    "HEADER_BYTES",
    "MAX_DECOMPRESSED_BYTES",
    "NATIVE",
    "BatchBuilder",
    "BatchHeader",
    "BinaryColumn",
    "Codec",
    "Columns",
    "DecodedRecord",
    "HeaderColumn",
    "HeaderPair",
    "InvalidBatch",
    "Record",
    "RecordError",
    "build",
    "build_values",
    "crc32c",
    "decode",
    "decode_columns",
    "read_header",
    "read_headers",
    "stamp",
    "stamp_append_time",
    "validate",
    "verified_headers",
]
