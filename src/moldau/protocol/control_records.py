"""Control records of the metadata log: what the quorum writes for itself, between the metadata records.

Raft writes and reads them. The key holds a version and the kind; the value is a message that begins with its own
version.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from struct import error as struct_error

from moldau.environment.doors import Buffer
from moldau.protocol.codec import decode, encode
from moldau.protocol.errors import Malformed
from moldau.protocol.messages.control_records import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)

_KEY = Struct(">hh")
_VERSION = Struct(">h")
KEY_VERSION = 0

ControlRecord = LeaderChangeMessage | SnapshotHeaderRecord | SnapshotFooterRecord | KRaftVersionRecord | VotersRecord


class ControlType(IntEnum):
    """What a control record is, as it stands in its key; the first two end transactions in ordinary logs."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    VOTERS = 6


_CLASSES: dict[ControlType, type[ControlRecord]] = {
    ControlType.LEADER_CHANGE: LeaderChangeMessage,
    ControlType.SNAPSHOT_HEADER: SnapshotHeaderRecord,
    ControlType.SNAPSHOT_FOOTER: SnapshotFooterRecord,
    ControlType.KRAFT_VERSION: KRaftVersionRecord,
    ControlType.VOTERS: VotersRecord,
}
_TYPES = {record: kind for kind, record in _CLASSES.items()}


def encode_control_record(record: ControlRecord) -> tuple[bytes, bytes]:
    """Key and value; the record's own `version` says in which one it is written."""
    (value,) = encode(record, record.version)
    assert isinstance(value, bytes)
    return _KEY.pack(KEY_VERSION, _TYPES[type(record)]), value


def control_type(key: Buffer) -> ControlType:
    """What kind of control record has this key; raises `Malformed`."""
    try:
        version, kind = _KEY.unpack_from(key)
        if version < KEY_VERSION:
            raise ValueError(f"version {version}")
        return ControlType(kind)
    except (ValueError, struct_error) as wrong:
        raise Malformed(f"a control record's key of {len(key)} bytes: {wrong}") from wrong


def decode_control_record(key: Buffer, value: Buffer) -> ControlRecord:
    """The record behind key and value; raises `Malformed`."""
    kind = control_type(key)
    record = _CLASSES.get(kind)
    if record is None or len(value) < _VERSION.size:
        raise Malformed(f"a {kind.name} record of {len(value)} bytes does not belong into a metadata log")
    (version,) = _VERSION.unpack_from(value)
    first, last = record.TABLE.versions
    if not first <= version <= last:
        raise Malformed(f"{record.__name__} has versions {first} to {last}, not {version}")
    return decode(record, version, value)
