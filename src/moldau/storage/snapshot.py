"""The producers of a partition at one offset, in Kafka's `.snapshot` files (version 1).

Who calls: log at roll, on closing and after truncation; opening. Every remembered batch has an entry, the last one of a
producer last: Kafka's own entry is that one, and it takes the last of several. So a retry is known as one after a
crash, however the log was rolled. A file that is not whole counts as not there. What it never does: sync (whoever
writes one syncs it).
"""

from __future__ import annotations

import posixpath
import struct

from moldau.environment import Disk
from moldau.model import NO_SEQUENCE
from moldau.records import crc32c
from moldau.storage import names
from moldau.storage.producers import NO_OFFSET, Batch, Producer, ProducerTable

_VERSION = 1
_HEAD = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
_ENTRY = struct.Struct(">qhiqiqiq")
_SEQUENCES = 2**31


def write(disk: Disk, directory: str, offset: int, producers: ProducerTable) -> str:
    """Keep the producers as they stand before an offset; the path, to be synced."""
    path = posixpath.join(directory, names.numbered(offset, names.SNAPSHOT))
    file = disk.open(path, create=True)
    try:
        file.truncate(0)
        file.append((encode(producers),))
    finally:
        file.release()
    return path


def latest(disk: Disk, directory: str, at_most: int) -> tuple[int, ProducerTable] | None:
    """The last whole snapshot at or below an offset."""
    for offset in reversed(offsets(disk, directory)):
        if offset <= at_most:
            producers = decode(disk.read_file(posixpath.join(directory, names.numbered(offset, names.SNAPSHOT))))
            if producers is not None:
                return offset, producers
    return None


def remove_above(disk: Disk, directory: str, offset: int) -> None:
    """Drop what tells of records that are no more."""
    for above in offsets(disk, directory):
        if above > offset:
            disk.remove(posixpath.join(directory, names.numbered(above, names.SNAPSHOT)))


def set_aside_below(disk: Disk, directory: str, offset: int) -> list[str]:
    """Rename what no log that begins there needs, to be removed later; the paths it has now."""
    return [
        names.set_aside(disk, posixpath.join(directory, names.numbered(below, names.SNAPSHOT)))
        for below in offsets(disk, directory)
        if below < offset
    ]


def offsets(disk: Disk, directory: str) -> list[int]:
    """Which snapshots there are, ascending."""
    found = (names.offset_of(name, names.SNAPSHOT) for name in disk.list(directory))
    return sorted(offset for offset in found if offset is not None)


def encode(producers: ProducerTable) -> bytes:
    """The whole file."""
    entries = [
        _ENTRY.pack(
            producer_id,
            producer.epoch,
            batch.last_sequence,
            batch.last_offset,
            max(0, batch.last_offset - batch.base_offset),
            producer.timestamp if batch is batches[-1] else batch.timestamp,
            producer.coordinator_epoch,
            producer.transaction_start,
        )
        for producer_id, producer in producers
        for batches in [producer.batches or [_no_batch(producer)]]
        for batch in batches
    ]
    body = b"".join((_COUNT.pack(len(entries)), *entries))
    return _HEAD.pack(_VERSION, crc32c(body)) + body


def decode(data: bytes) -> ProducerTable | None:
    """What `encode` wrote, None when it is not whole."""
    if len(data) < _HEAD.size + _COUNT.size:
        return None
    version, crc = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    (count,) = _COUNT.unpack_from(body)
    if version != _VERSION or crc32c(body) != crc or len(body) != _COUNT.size + count * _ENTRY.size:
        return None
    producers = ProducerTable()
    for entry in _ENTRY.iter_unpack(body[_COUNT.size :]):
        producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, transaction_start = entry
        producer = producers.get(producer_id) or Producer(epoch, timestamp)
        producer.timestamp = timestamp
        producer.coordinator_epoch = coordinator_epoch
        producer.transaction_start = transaction_start
        if offset != NO_OFFSET:
            first = (sequence - delta) % _SEQUENCES if sequence != NO_SEQUENCE else NO_SEQUENCE
            producer.batches.append(Batch(first, sequence, offset - delta, offset, timestamp))
        producers.put(producer_id, producer)
    return producers


def _no_batch(producer: Producer) -> Batch:
    """The entry of a producer that only ended transactions."""
    return Batch(NO_SEQUENCE, NO_SEQUENCE, NO_OFFSET, NO_OFFSET, producer.timestamp)
