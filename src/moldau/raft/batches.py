"""Batches of the metadata log as record batches, and back: what lies on disk and what a fetch carries.

Called by the driver between `Ready.append` and the log, and by its `LogView`. Encoding is deterministic, so every
voter's log is the leader's byte for byte. A batch's epoch stands in the header's partition leader epoch.
"""

from __future__ import annotations

import struct

from moldau.environment.doors import Buffer
from moldau.model import ErrorCode
from moldau.protocol.codec import encode as encode_message
from moldau.protocol.messages.control_records import LeaderChangeMessage, LeaderChangeMessageVoter
from moldau.raft.quorum import Batch
from moldau.records import HEADER_BYTES, BatchHeader, InvalidBatch, build, decode, read_headers, verified_headers

_LEADER_CHANGE_KEY = struct.pack(">hh", 0, 2)
_LEADER_CHANGE_VERSION = 0


def leader_change(leader: int, voters: tuple[int, ...], granting: tuple[int, ...]) -> bytes:
    """What the first batch of an epoch holds."""
    message = LeaderChangeMessage(
        version=_LEADER_CHANGE_VERSION,
        leader_id=leader,
        voters=[LeaderChangeMessageVoter(voter_id=voter) for voter in voters],
        granting_voters=[LeaderChangeMessageVoter(voter_id=voter) for voter in granting],
    )
    return b"".join(bytes(part) for part in encode_message(message, _LEADER_CHANGE_VERSION))  # type: ignore[arg-type]


def encode_batch(batch: Batch, wall_ms: int) -> bytes:
    """The record batch; one that has no time yet gets this one."""
    timestamp = batch.timestamp_ms if batch.timestamp_ms >= 0 else wall_ms
    key = _LEADER_CHANGE_KEY if batch.control else None
    return build(
        [(timestamp, key, value, ()) for value in batch.values],
        base_offset=batch.base_offset,
        leader_epoch=batch.epoch,
        control=batch.control,
    )


def decode_batches(buffer: Buffer) -> list[Batch]:
    """All whole batches in the buffer; InvalidBatch when one is damaged."""
    view = memoryview(buffer)
    batches, position = [], 0
    for header in read_headers(view):
        data = view[position : position + header.size]
        position += header.size
        if header.is_control:
            values: tuple[bytes, ...] = (_control_value(header, bytes(data)),)
        else:
            values = tuple(value or b"" for _, _, _, value, _ in decode(data))
        batches.append(Batch(header.base_offset, header.leader_epoch, header.is_control, values, header.base_timestamp))
    return batches


def _control_value(header: BatchHeader, data: bytes) -> bytes:
    """The value of the one record that a control batch holds."""
    if not verified_headers(data):
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"the control batch at {header.base_offset} is damaged")
    if header.record_count != 1:
        raise InvalidBatch(
            ErrorCode.CORRUPT_MESSAGE, f"a control batch of {header.record_count} records, one is expected"
        )
    _, position = _varint(data, HEADER_BYTES)
    _, position = _varint(data, position + 1)
    _, position = _varint(data, position)
    key_size, position = _varint(data, position)
    value_size, position = _varint(data, position + key_size)
    return data[position : position + value_size]


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position
        shift += 7
