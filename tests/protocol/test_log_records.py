"""What the metadata log and the quorum's file hold, byte by byte."""

from __future__ import annotations

import pytest

from moldau.protocol.control_records import (
    ControlRecord,
    ControlType,
    control_type,
    decode_control_record,
    encode_control_record,
)
from moldau.protocol.errors import Malformed, UnsupportedVersion
from moldau.protocol.messages.control_records import (
    Endpoint,
    KRaftVersionFeature,
    KRaftVersionRecord,
    LeaderChangeMessage,
    LeaderChangeMessageVoter,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
    VotersRecordVoter,
)
from moldau.protocol.messages.metadata_records import (
    FeatureLevelRecord,
    NoOpRecord,
    PartitionChangeRecord,
    RegisterBrokerRecord,
    TopicRecord,
)
from moldau.protocol.messages.quorum_state import QuorumStateData, Voter
from moldau.protocol.metadata_records import METADATA_RECORDS, decode_record, encode_record
from moldau.protocol.quorum_state import decode_quorum_state, encode_quorum_state

ID = bytes(range(16))


# --------------------------------------------------------------------------------------- metadata records


def test_the_bytes_of_a_metadata_record() -> None:
    feature = FeatureLevelRecord(name="metadata.version", feature_level=30)
    assert encode_record(feature) == b"\x01\x0c\x00" + b"\x11metadata.version" + b"\x00\x1e" + b"\x00"
    assert encode_record(NoOpRecord()) == b"\x01\x14\x00\x00"
    assert encode_record(TopicRecord(name="t", topic_id=ID)) == b"\x01\x02\x00\x02t" + ID + b"\x00"


@pytest.mark.parametrize("kind", METADATA_RECORDS.values(), ids=lambda kind: kind.__name__)
def test_every_metadata_record_comes_back(kind: type) -> None:
    for version in range(kind.TABLE.versions[0], kind.TABLE.versions[1] + 1):  # type: ignore[attr-defined]
        value = encode_record(kind(), version)
        assert value[0] == 1
        assert decode_record(memoryview(value)) == kind()


def test_a_change_record_holds_only_what_changed() -> None:
    change = PartitionChangeRecord(partition_id=3, topic_id=ID, leader=-1, isr=[])
    value = encode_record(change)
    assert len(value) == 3 + 4 + 16 + 1 + 3 + 6
    assert decode_record(value) == change


def test_the_version_of_a_record_can_be_chosen() -> None:
    broker = RegisterBrokerRecord(broker_id=1, log_dirs=[ID])
    assert encode_record(broker)[2] == 4
    assert encode_record(broker, 3)[2] == 3


@pytest.mark.parametrize(
    "value",
    [b"", b"\x01", b"\x00\x0c\x00\x00", b"\x02\x0c\x00\x00", b"\x01\x63\x00\x00", b"\x01\x14\x01\x00", b"\xff" * 9],
)
def test_a_metadata_record_that_is_not_known(value: bytes) -> None:
    with pytest.raises(Malformed):
        decode_record(value)


def test_bytes_behind_a_metadata_record_are_refused() -> None:
    with pytest.raises(Malformed, match="ends at byte 4"):
        decode_record(encode_record(NoOpRecord()) + b"\x00")


# ---------------------------------------------------------------------------------------- control records

VOTER = VotersRecordVoter(
    voter_id=1,
    voter_directory_id=ID,
    endpoints=[Endpoint(name="CONTROLLER", host="localhost", port=65535)],
    kraft_version_feature=KRaftVersionFeature(min_supported_version=0, max_supported_version=1),
)


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (LeaderChangeMessage(leader_id=1, voters=[LeaderChangeMessageVoter(voter_id=1)]), 2),
        (
            LeaderChangeMessage(
                version=1, leader_id=1, granting_voters=[LeaderChangeMessageVoter(voter_directory_id=ID)]
            ),
            2,
        ),
        (SnapshotHeaderRecord(last_contained_log_timestamp=123456), 3),
        (SnapshotFooterRecord(), 4),
        (KRaftVersionRecord(kraft_version=1), 5),
        (VotersRecord(voters=[VOTER]), 6),
    ],
)
def test_control_records_come_back(record: ControlRecord, kind: int) -> None:
    key, value = encode_control_record(record)
    assert key == bytes([0, 0, 0, kind])
    assert value[:2] == bytes([0, record.version])
    assert decode_control_record(key, value) == record
    with pytest.raises(Malformed):
        decode_control_record(key, value[:-1])


def test_the_bytes_of_a_leader_change() -> None:
    _, value = encode_control_record(LeaderChangeMessage(leader_id=1, voters=[LeaderChangeMessageVoter(voter_id=1)]))
    assert value == b"\x00\x00" + b"\x00\x00\x00\x01" + b"\x02\x00\x00\x00\x01\x00" + b"\x01" + b"\x00"


def test_control_records_that_do_not_belong_here() -> None:
    assert control_type(b"\x00\x00\x00\x01") is ControlType.COMMIT
    for key, value in (
        (b"", b"\x00\x00"),
        (b"\x00\x00\x00\x09", b"\x00\x00"),
        (b"\xff\xff\x00\x02", b"\x00\x00"),
        (b"\x00\x00\x00\x01", b"\x00\x00\x00\x00\x00\x00"),
        (b"\x00\x00\x00\x02", b"\x00"),
        (b"\x00\x00\x00\x02", b"\x00\x07"),
    ):
        with pytest.raises(Malformed):
            decode_control_record(key, value)


# ------------------------------------------------------------------------------------------ quorum state


def test_the_text_of_a_quorum_state() -> None:
    state = QuorumStateData(leader_id=1, leader_epoch=4, voted_id=2, voted_directory_id=ID)
    text = encode_quorum_state(state, 1)
    assert text == (
        b'{"leaderId":1,"leaderEpoch":4,"votedId":2,"votedDirectoryId":"AAECAwQFBgcICQoLDA0ODw","data_version":1}'
    )
    assert decode_quorum_state(text) == state


def test_the_older_text_names_the_voters() -> None:
    state = QuorumStateData(
        cluster_id="c", leader_id=-1, leader_epoch=0, voted_id=-1, current_voters=[Voter(voter_id=7)]
    )
    text = encode_quorum_state(state, 0)
    assert b'"currentVoters":[{"voterId":7}],"data_version":0' in text
    assert decode_quorum_state(text) == state
    state.current_voters = None
    assert decode_quorum_state(encode_quorum_state(state, 0)) == state


def test_quorum_states_that_cannot_be_read() -> None:
    good = encode_quorum_state(QuorumStateData(), 1).decode()
    for text in (
        "",
        "[]",
        "{}",
        "null",
        good[:-1],
        good.replace('"data_version":1', '"data_version":2'),
        good.replace('"leaderEpoch":-1', '"leaderEpoch":"one"'),
        good.replace('"leaderId":-1,', ""),
        good.replace("AAAA", "A"),
        "[" * 100_000,
    ):
        with pytest.raises(Malformed):
            decode_quorum_state(text.encode())
    with pytest.raises(Malformed):
        decode_quorum_state(b"\xff\xfe")
    with pytest.raises(UnsupportedVersion):
        encode_quorum_state(QuorumStateData(), 2)
