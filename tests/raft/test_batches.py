"""Batches of the metadata log survive the way to bytes and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moldau.protocol.codec import decode
from moldau.protocol.messages.control_records import LeaderChangeMessage
from moldau.raft import Batch
from moldau.raft.batches import decode_batches, encode_batch, leader_change
from moldau.records import InvalidBatch, read_header

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
