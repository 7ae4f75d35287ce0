"""Batches of the metadata log, and the quorum state, survive the way to bytes and back."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moldau.protocol.codec import decode
from moldau.protocol.messages.control_records import LeaderChangeMessage
from moldau.raft import Batch, QuorumState, Raft, RaftConfig
from moldau.raft.batches import decode_batches, encode_batch, leader_change
from moldau.raft.quorum_state import decode_state, encode_state
from moldau.records import InvalidBatch, read_header
from tests.raft.voters import Disk

BATCHES = st.builds(
    Batch,
    st.integers(0, 2**40),
    st.integers(0, 2**31 - 1),
    st.just(False),
    st.lists(st.binary(max_size=200), min_size=1, max_size=20).map(tuple),
    st.integers(0, 2**44),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(BATCHES, max_size=4))
def test_there_and_back(batches: list[Batch]) -> None:
    assert decode_batches(b"".join(encode_batch(batch, 0) for batch in batches)) == batches


def test_a_leader_change_is_a_control_batch_of_its_epoch() -> None:
    value = leader_change(2, (1, 2, 3), (2, 3))
    data = encode_batch(Batch(10, 7, True, (value,)), 1_700_000_000_000)
    header = read_header(data)
    assert (header.base_offset, header.leader_epoch, header.is_control, header.record_count) == (10, 7, True, 1)
    assert decode_batches(data) == [Batch(10, 7, True, (value,), 1_700_000_000_000)]
    message = decode(LeaderChangeMessage, 0, value)
    assert message.leader_id == 2
    assert [voter.voter_id for voter in message.voters] == [1, 2, 3]
    assert [voter.voter_id for voter in message.granting_voters] == [2, 3]


def test_the_leader_stamps_the_time_once() -> None:
    first = encode_batch(Batch(0, 1, False, (b"a", b"b")), 5_000)
    assert encode_batch(decode_batches(first)[0], 9_000) == first


def test_damage_is_found() -> None:
    data = bytearray(encode_batch(Batch(0, 1, False, (b"some value",)), 5_000))
    data[-3] ^= 1
    with pytest.raises(InvalidBatch):
        decode_batches(data)


@pytest.mark.parametrize(
    "state", [QuorumState(), QuorumState(3, 1, 1), QuorumState(4, None, 2), QuorumState(9, 0, None)]
)
def test_the_quorum_state_there_and_back(state: QuorumState) -> None:
    assert decode_state(encode_state(state)) == state


def test_the_quorum_state_as_kafka_writes_it() -> None:
    content = (
        b'{"leaderId":1,"leaderEpoch":7,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
    )
    assert decode_state(content) == QuorumState(7, 1, None)
    assert encode_state(QuorumState(7, 1, None)) == content


def test_a_forgotten_vote_is_not_passed_over() -> None:
    disk = Disk([Batch(0, 5, True, (b"",))], 1)
    with pytest.raises(ValueError, match="Restore quorum-state"):
        Raft(RaftConfig(1, (1,)), QuorumState(4), disk, random.Random(0), 0)
