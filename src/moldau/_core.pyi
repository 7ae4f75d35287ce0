"""The native core, compiled from `rust/`: pure functions on buffers, described where `records` offers them."""

from collections.abc import Sequence
from typing import final

from moldau.records.columns import Columns
from moldau.records.headers import BatchHeader, Buffer, Codec, DecodedRecord, HeaderPair, Record

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

def crc32c(buffer: Buffer) -> int: ...
def read_header(buffer: Buffer, position: int = 0) -> BatchHeader: ...
def read_headers(buffer: Buffer) -> list[BatchHeader]: ...
def verified_headers(buffer: Buffer) -> list[BatchHeader]: ...
def stamp(buffer: bytearray | memoryview, position: int, base_offset: int, leader_epoch: int) -> None: ...
def stamp_append_time(buffer: bytearray | memoryview, position: int, timestamp: int) -> None: ...
def validate(
    buffer: Buffer, *, max_batch_bytes: int, max_decompressed_bytes: int, require_keys: bool = False
) -> list[BatchHeader]: ...
def decode(buffer: Buffer, start_offset: int = 0, *, max_decompressed_bytes: int = ...) -> list[DecodedRecord]: ...
def decode_columns(buffer: Buffer, start_offset: int = 0, *, max_decompressed_bytes: int = ...) -> Columns: ...
def build(
    records: Sequence[Record],
    *,
    codec: Codec = ...,
    base_offset: int = 0,
    leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    compression_level: int | None = None,
) -> bytes: ...
def build_values(
    values: Sequence[Buffer | None],
    timestamp: int,
    *,
    codec: Codec = ...,
    base_offset: int = 0,
    leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    compression_level: int | None = None,
) -> bytes: ...

@final
class BatchBuilder:
    def __new__(cls, codec: Codec, limit_bytes: int, compression_level: int | None = None) -> BatchBuilder: ...
    @property
    def size(self) -> int: ...
    @property
    def count(self) -> int: ...
    def append(
        self, timestamp: int, key: Buffer | None, value: Buffer | None, headers: Sequence[HeaderPair] = ()
    ) -> bool: ...
    def finish(
        self,
        *,
        base_offset: int = 0,
        leader_epoch: int = -1,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        transactional: bool = False,
    ) -> bytes: ...
