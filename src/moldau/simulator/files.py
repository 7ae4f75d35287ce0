"""What the broker's files hold in the end, read from the image without the broker's help.

D1   The CRC of every stored batch is right.
P7   Offsets are dense over all segments of a partition.
P11  Of each producer and epoch every sequence is stored once, in order.
"""

from __future__ import annotations

import posixpath

from moldau.records import crc32c, read_headers
from moldau.simulator.errors import Broken
from moldau.simulator.image import Image

_CRC_COVERS_FROM = 21


def log_files(image: Image, data: str) -> dict[str, bytes]:
    """Every segment of every partition by path, metadata left out: starting a broker may write there."""
    return {
        path: bytes(file.data)
        for path, file in image.files()
        if path.startswith(data + "/") and path.endswith(".log") and not _is_internal(path)
    }


def check_batches(image: Image, data: str) -> None:
    """D1, P7, P11 over all partitions."""
    partitions: dict[str, list[bytes]] = {}
    for path, content in log_files(image, data).items():
        partitions.setdefault(posixpath.dirname(path), []).append(content)
    for directory, segments in partitions.items():
        _check_partition(directory, segments)


def _check_partition(directory: str, segments: list[bytes]) -> None:
    next_offset = 0
    next_sequence: dict[tuple[int, int], int] = {}
    for content in segments:
        position = 0
        for header in read_headers(content):
            place = f"{directory} at offset {header.base_offset}"
            if crc32c(content[position + _CRC_COVERS_FROM : position + header.size]) != header.crc:
                raise Broken(f"D1: the CRC is wrong in {place}")
            if header.base_offset != next_offset:
                raise Broken(f"P7: {place} comes where {next_offset} should")
            producer = header.producer_id, header.producer_epoch
            if header.producer_id >= 0 and header.base_sequence != next_sequence.get(producer, 0):
                raise Broken(f"P11: {place} has sequence {header.base_sequence}, not {next_sequence.get(producer, 0)}")
            next_sequence[producer] = header.base_sequence + header.record_count
            next_offset = header.last_offset + 1
            position += header.size
        if position != len(content):
            raise Broken(f"D6: {directory} ends with {len(content) - position} bytes that are no batch")


def _is_internal(path: str) -> bool:
    return posixpath.basename(posixpath.dirname(path)).startswith("__")
