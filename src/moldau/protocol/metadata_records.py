"""Metadata records as values in the metadata log: frame version, kind, version, then the record itself.

The controller encodes them, every node decodes them when it replays the log. Which version of a record may be written
follows from the level of `metadata.version`; at the newest level it is the newest version.
"""

from __future__ import annotations

from moldau.environment.doors import Buffer
from moldau.protocol.codec import decode, encode
from moldau.protocol.errors import Malformed
from moldau.protocol.messages.metadata_records import (
    AbortTransactionRecord,
    AccessControlEntryRecord,
    BeginTransactionRecord,
    BrokerRegistrationChangeRecord,
    ClearElrRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    FenceBrokerRecord,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveTopicRecord,
    RemoveUserScramCredentialRecord,
    TopicRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
    UserScramCredentialRecord,
    ZkMigrationStateRecord,
)
from moldau.protocol.tables import Top
from moldau.protocol.wire import read_uvarint, uvarint

FRAME_VERSION = 1

METADATA_RECORDS: dict[int, type[Top]] = {
    record.TABLE.key: record
    for record in (
        RegisterBrokerRecord,
        UnregisterBrokerRecord,
        TopicRecord,
        PartitionRecord,
        ConfigRecord,
        PartitionChangeRecord,
        FenceBrokerRecord,
        UnfenceBrokerRecord,
        RemoveTopicRecord,
        FeatureLevelRecord,
        ProducerIdsRecord,
        BrokerRegistrationChangeRecord,
        NoOpRecord,
        BeginTransactionRecord,
        EndTransactionRecord,
        AbortTransactionRecord,
        RegisterControllerRecord,
        AccessControlEntryRecord,
        RemoveAccessControlEntryRecord,
        ClearElrRecord,
        ClientQuotaRecord,
        DelegationTokenRecord,
        RemoveDelegationTokenRecord,
        UserScramCredentialRecord,
        RemoveUserScramCredentialRecord,
        ZkMigrationStateRecord,
    )
    if record.TABLE.key is not None
}
"""Every kind of record there is, by the number that stands for it in the log."""


def encode_record(record: Top, version: int | None = None) -> bytes:
    """The value of one metadata record, in its newest version unless told otherwise."""
    table = type(record).TABLE
    assert table.key is not None, f"{type(record).__name__} is no metadata record"
    version = table.versions[1] if version is None else version
    (body,) = encode(record, version)
    assert isinstance(body, bytes)
    return uvarint(FRAME_VERSION) + uvarint(table.key) + uvarint(version) + body


def decode_record(value: Buffer) -> Top:
    """The record behind a value; raises `Malformed`, also for a kind or version that this release does not know."""
    try:
        frame, position = read_uvarint(value, 0)
        key, position = read_uvarint(value, position)
        version, position = read_uvarint(value, position)
    except IndexError as short:
        raise Malformed(f"a metadata record of {len(value)} bytes has no frame") from short
    record = METADATA_RECORDS.get(key)
    if frame != FRAME_VERSION or record is None or not record.TABLE.versions[0] <= version <= record.TABLE.versions[1]:
        raise Malformed(f"a metadata record with frame {frame}, kind {key} and version {version} is not known here")
    return decode(record, version, value, position)
