"""The twin of the native core in plain Python: same names, same results, same refusals.

Chosen by `records` where the native module is not installed, or when MOLDAU_TWINS=1 asks for it.
"""

from moldau.records.twin.batches import (
    crc32c,
    read_header,
    read_headers,
    stamp,
    stamp_append_time,
    verified_headers,
)
from moldau.records.twin.building import BatchBuilder, build, build_values
from moldau.records.twin.columnar import decode_columns
from moldau.records.twin.decoding import decode
from moldau.records.twin.validation import validate

__all__ = [
    "BatchBuilder",
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
