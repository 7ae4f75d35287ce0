"""What compiled codecs promise beyond agreeing with themselves."""

from __future__ import annotations

import linecache
import random
import traceback
from typing import Annotated, ClassVar, cast

import pytest

from moldau.environment.doors import File, FileSlice, size_of
from moldau.protocol.codec import compiled, decode, encode
from moldau.protocol.errors import Malformed, Unencodable, UnsupportedVersion
from moldau.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from moldau.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    PartitionData,
    ReplicaState,
)
from moldau.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from moldau.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from moldau.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from moldau.protocol.tables import (
    Bytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Message,
    NullableBytes,
    Payload,
    Table,
    Top,
    Uint16,
    Uint32,
    since,
    tag,
)
from tests.protocol.declared import MESSAGES, VERSIONED, flat, name, plain, sample


@pytest.mark.parametrize("case", VERSIONED, ids=name)
def test_filled_and_empty_messages_come_back(case: tuple[type[Top], int]) -> None:
    message, version = case
    chance = random.Random(name(case))
    for filled in (message(), *(sample(message, version, chance) for _ in range(4))):
        data = flat(encode(filled, version))
        again = decode(message, version, data)
        assert plain(again) == plain(filled)
        assert plain(decode(message, version, b"front" + data, 5)) == plain(filled)
        assert flat(encode(again, version)) == data


def test_no_version_before_the_first_or_after_the_last() -> None:
    for message in MESSAGES:
        first, last = message.TABLE.versions
        for version in (first - 1, last + 1):
            with pytest.raises(UnsupportedVersion, match=f"{message.__name__} has versions {first} to {last}"):
                compiled(message, version)


# ------------------------------------------------------------------------------------------- versions


def test_what_a_version_lacks_is_refused_unless_ignorable() -> None:
    epoch = ListOffsetsTopic(name="t", partitions=[ListOffsetsPartition(current_leader_epoch=7)])
    old = decode(ListOffsetsRequest, 3, flat(encode(ListOffsetsRequest(topics=[epoch]), 3)))
    assert old.topics[0].partitions[0].current_leader_epoch == -1

    with pytest.raises(Unencodable, match="replica_state does not exist in this version"):
        encode(FetchRequest(replica_state=ReplicaState(replica_id=1)), 14)
    with pytest.raises(Unencodable, match="allow_auto_topic_creation does not exist"):
        encode(MetadataRequest(allow_auto_topic_creation=False), 3)


def test_null_where_a_version_has_none_is_refused_both_ways() -> None:
    assert decode(MetadataRequest, 1, flat(encode(MetadataRequest(topics=None), 1))).topics is None
    with pytest.raises(Unencodable, match="MetadataRequest v0"):
        encode(MetadataRequest(topics=None), 0)
    with pytest.raises(Malformed, match="topics has length -1"):
        decode(MetadataRequest, 0, b"\xff\xff\xff\xff")
    with pytest.raises(Unencodable, match="MetadataRequest v9"):
        encode(MetadataRequest(topics=[MetadataRequestTopic(name=None)]), 9)
    with pytest.raises(Malformed, match="name has length -1"):
        decode(MetadataRequest, 9, b"\x02\x00\x00\x00\x00\x00\x00")


@pytest.mark.parametrize(
    "message",
    [
        ProduceRequest(acks=40_000),
        ProduceRequest(transactional_id="\ud800"),
        ProduceRequest(topic_data=[TopicProduceData(name=None)]),  # type: ignore[arg-type]
        ProduceRequest(topic_data=[PartitionProduceData()]),  # type: ignore[list-item]
    ],
)
def test_what_cannot_be_said_is_the_callers_fault(message: ProduceRequest) -> None:
    with pytest.raises(Unencodable, match="ProduceRequest v9"):
        encode(message, 9)


def test_an_id_has_sixteen_bytes() -> None:
    with pytest.raises(Unencodable, match="a uuid has 16 bytes, not 3"):
        encode(ProduceRequest(topic_data=[TopicProduceData(topic_id=b"abc")]), 13)


# ------------------------------------------------------------------------------------------- payloads


class OneFile:
    path = "/nowhere"

    def retain(self) -> None: ...

    def read(self, position: int, length: int) -> bytes:
        return b"f" * length


@pytest.mark.parametrize("version", [4, 12])
def test_record_bytes_are_never_copied(version: int) -> None:
    batch, view, piece = b"r" * 5000, memoryview(bytearray(b"v" * 300)), b"head of a file"
    rest = FileSlice(cast("File", OneFile()), 0, 700)
    payloads: list[Payload | None] = [batch, None, view, [piece, rest], b""]
    partitions = [PartitionData(partition_index=index, records=payload) for index, payload in enumerate(payloads)]
    parts = encode(FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)]), version)

    assert [part for part in parts if type(part) is not bytes] == [view, rest]
    for payload in (batch, view, piece):
        assert any(part is payload for part in parts)
    assert isinstance(parts[0], bytes)
    assert size_of(parts) == len(flat(parts))
    read = decode(FetchResponse, version, flat(parts)).responses[0].partitions
    assert [plain(partition.records) for partition in read] == [batch, None, bytes(view), flat([piece, rest]), b""]


def test_decoded_records_are_a_view_of_the_frame() -> None:
    partition = PartitionProduceData(index=1, records=b"batch")
    message = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=[partition])])
    frame = bytearray(flat(encode(message, 9)))
    records = decode(ProduceRequest, 9, memoryview(frame)).topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert not records.readonly
    records[0:1] = b"B"
    assert b"Batch" in frame


# --------------------------------------------------------------------------------------- tagged fields


def test_a_message_at_its_defaults_has_an_empty_tagged_section() -> None:
    assert flat(encode(FetchRequest(), 17))[-1:] == b"\x00"
    small = flat(encode(FetchRequest(cluster_id="c"), 17))
    assert small.endswith(b"\x01" + b"\x00" + b"\x02" + b"\x02c")


def test_unknown_tags_are_kept_and_sent_on() -> None:
    kept = {9: b"later", 300: b""}
    leader = LeaderIdAndEpoch(leader_id=1, leader_epoch=2, unknown_tags={4: b"x"})
    partition = PartitionData(records=b"r", current_leader=leader, unknown_tags=dict(kept))
    message = FetchResponse(responses=[FetchableTopicResponse(partitions=[partition])], unknown_tags={7: b"end"})
    data = flat(encode(message, 12))
    read = decode(FetchResponse, 12, data)
    assert read.unknown_tags == {7: b"end"}
    assert read.responses[0].partitions[0].unknown_tags == kept
    assert read.responses[0].partitions[0].current_leader == leader
    assert flat(encode(read, 12)) == data


def test_unknown_tags_are_not_dropped_silently() -> None:
    with pytest.raises(Unencodable, match="tagged fields were kept"):
        encode(FetchResponse(unknown_tags={7: b"end"}), 11)


def test_more_than_127_tags_come_back() -> None:
    message = MetadataRequest(unknown_tags={number: bytes([number % 256]) for number in range(500)})
    assert decode(MetadataRequest, 12, flat(encode(message, 12))) == message
    fetch = FetchRequest(cluster_id="c", unknown_tags=dict.fromkeys(range(10, 500), b"."))
    assert decode(FetchRequest, 12, flat(encode(fetch, 12))) == fetch


def test_a_tagged_field_must_be_as_long_as_it_says() -> None:
    data = flat(encode(CreateTopicsResponse(topics=[CreatableTopicResult(topic_config_error_code=3)]), 5))
    at = data.index(b"\x01\x00\x02\x00\x03")
    for size in (0, 1, 3, 100):
        broken = data[: at + 2] + bytes([size]) + data[at + 3 :]
        with pytest.raises(Malformed):
            decode(CreateTopicsResponse, 5, broken)


# ------------------------------------------------------------------------- kinds no message here has


class Inner(Message):
    number: Int32 = -1


class Odd(Top):
    TABLE: ClassVar[Table] = Table("data", versions=(0, 2), flexible=1)

    inner: Inner | None = None
    floating: Float64 = 0.0
    unsigned: Uint32 = 0
    raw: Bytes = b""
    maybe: NullableBytes = None
    ports: list[Uint16] = []
    bits: list[Int8] | None = None
    late: Annotated[Inner | None, since(1), tag(3)] = None
    shorts: Annotated[list[Int16] | None, since(1), tag(4)] = []


@pytest.mark.parametrize("version", [0, 1, 2])
def test_nullable_structs_floats_and_bytes(version: int) -> None:
    full = Odd(
        inner=Inner(number=5), floating=-0.5, unsigned=2**32 - 1, raw=b"raw", maybe=b"", ports=[65535], bits=[-1] * 40
    )
    if version:
        full.late = Inner(number=7)
        full.shorts = None
    for message in (Odd(), full):
        assert decode(Odd, version, flat(encode(message, version))) == message


# -------------------------------------------------------------------------------------------- looking in


def test_generated_sources_can_be_read() -> None:
    codec = compiled(ProduceRequest, 9)
    assert "def encode(message)" in codec.source
    assert "def decode(buffer, position=0)" in codec.source
    try:
        codec.decode(b"\x05")
    except Malformed as broken:
        shown = "".join(traceback.format_tb(broken.__traceback__))
        assert "<decode ProduceRequest v9>" in shown
        assert "raise Malformed" in shown
    assert linecache.getline("<encode ProduceRequest v9>", 1) == "def encode(message):\n"


def test_a_codec_is_compiled_once() -> None:
    assert compiled(ProduceRequest, 9) is compiled(ProduceRequest, 9)
