"""What goes over the wire, byte by byte where it matters: versions, order, limits, errors."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from struct import pack, unpack
from typing import Any

import pytest

from moldau.broker.authorization import AUTHORIZATION
from moldau.broker.served import HANDLERS
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.codec import decode
from moldau.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from moldau.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from moldau.protocol.messages.describe_cluster import DescribeClusterRequest
from moldau.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from moldau.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from moldau.protocol.messages.find_coordinator import FindCoordinatorRequest
from moldau.protocol.messages.init_producer_id import InitProducerIdRequest
from moldau.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from moldau.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from moldau.protocol.messages.produce import PartitionProduceData, TopicProduceData
from moldau.protocol.tables import ZERO_UUID
from moldau.records import Codec
from moldau.records import decode as decode_records
from tests.broker.raw import Raw, batch, joined, produce, with_length
from tests.broker.running import Running, running

ME = ApiVersionsRequest(client_software_name="raw", client_software_version="1.0")


def fetch(topic: str, offset: int = 0, topic_id: bytes = ZERO_UUID, partition: int = 0, **more: Any) -> FetchRequest:
    limit = more.pop("partition_max_bytes", 1 << 20)
    epoch = more.pop("current_leader_epoch", -1)
    return FetchRequest(
        topics=[
            FetchTopic(
                topic=topic,
                topic_id=topic_id,
                partitions=[
                    FetchPartition(
                        partition=partition,
                        fetch_offset=offset,
                        partition_max_bytes=limit,
                        current_leader_epoch=epoch,
                    )
                ],
            )
        ],
        **{"max_wait_ms": 0, "min_bytes": 1, **more},
    )


def values(response: Any, topic: int = 0, partition: int = 0) -> list[bytes | None]:
    answer = response.responses[topic].partitions[partition]
    assert answer.error_code == 0, answer
    return [record[3] for record in decode_records(answer.records)]


@pytest.fixture
def raw(broker: Running) -> Any:
    with Raw(broker.address) as connected:
        yield connected


# ---------------------------------------------------------------------------------------- ApiVersions


@pytest.mark.parametrize("version", range(5))
def test_api_versions_are_what_is_served(raw: Raw, version: int) -> None:
    response = raw.ask(ApiKey.API_VERSIONS, version, ME)
    ranges = {one.api_key: (one.min_version, one.max_version) for one in response.api_keys}
    assert sorted(ranges) == sorted(handler.API for handler in HANDLERS)
    assert ranges[ApiKey.PRODUCE] == (0, 13)
    assert ranges[ApiKey.FETCH] == (4, 18)
    assert ranges[ApiKey.INIT_PRODUCER_ID] == (0, 5)
    if version >= 3:
        assert [(one.name, one.max_version_level) for one in response.finalized_features] == [("metadata.version", 30)]
        assert response.finalized_features_epoch >= 0


def test_a_newer_api_versions_request_is_answered_as_version_0_with_the_ranges(raw: Raw) -> None:
    raw.send(with_length(pack(">hhih", 18, 99, 77, 3) + b"raw" + b"\x00" + b"whatever it holds"))
    frame = raw.receive_frame()
    assert unpack(">i", frame[:4]) == (77,)
    response = decode(ApiVersionsResponse, 0, frame, 4)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert (ApiKey.API_VERSIONS, 0, 4) in [(one.api_key, one.min_version, one.max_version) for one in response.api_keys]
    assert raw.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0


def test_a_client_that_names_itself_badly_is_told_so(raw: Raw) -> None:
    wrong = ApiVersionsRequest(client_software_name="no spaces", client_software_version="1")
    assert raw.ask(ApiKey.API_VERSIONS, 3, wrong).error_code == ErrorCode.INVALID_REQUEST


def test_every_api_has_a_row_in_the_authorization_table() -> None:
    assert sorted(AUTHORIZATION) == sorted(handler.API for handler in HANDLERS)


# --------------------------------------------------------------------------------------------- order


def test_answers_keep_the_order_of_requests_behind_a_parked_one(raw: Raw) -> None:
    raw.topic("ordered")
    waiting = raw.frame(ApiKey.FETCH, 12, fetch("ordered", max_wait_ms=600, min_bytes=1))
    after = [raw.frame(ApiKey.API_VERSIONS, 4, ME) for _ in range(3)]
    began = time.monotonic()
    raw.send(waiting, *after)
    ids = [raw.receive()[0] for _ in range(4)]
    assert ids == sorted(ids)
    assert 0.5 < time.monotonic() - began < 3


def test_a_parked_fetch_is_answered_as_soon_as_there_is_something(broker: Running, raw: Raw) -> None:
    raw.topic("woken")
    raw.send(raw.frame(ApiKey.FETCH, 12, fetch("woken", max_wait_ms=5000)))
    with Raw(broker.address) as other:
        other.ask(ApiKey.PRODUCE, 9, produce("woken", batch(b"now")))
        began = time.monotonic()
        _, response = raw.receive()
    assert values(response) == [b"now"]
    assert time.monotonic() - began < 1


def test_a_fetch_waits_for_its_min_bytes(broker: Running, raw: Raw) -> None:
    raw.topic("more")
    with Raw(broker.address) as other:
        other.ask(ApiKey.PRODUCE, 9, produce("more", batch(b"1")))
        raw.send(raw.frame(ApiKey.FETCH, 12, fetch("more", max_wait_ms=5000, min_bytes=200)))
        other.ask(ApiKey.PRODUCE, 9, produce("more", batch(b"2")))
        raw.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            raw.receive()
        raw.socket.settimeout(5)
        other.ask(ApiKey.PRODUCE, 9, produce("more", batch(b"3" * 100)))
    assert values(raw.receive()[1]) == [b"1", b"2", b"3" * 100]


def test_hundreds_of_pipelined_produces_are_answered_in_order(raw: Raw) -> None:
    raw.topic("pipelined")
    raw.send(*(raw.frame(ApiKey.PRODUCE, 9, produce("pipelined", batch(b"%d" % n))) for n in range(800)))
    offsets = [raw.receive()[1].responses[0].partition_responses[0].base_offset for _ in range(800)]
    assert offsets == list(range(800))


# ------------------------------------------------------------------------------------------- produce


@pytest.mark.parametrize("version", range(3, 14))
def test_produce_in_every_version(raw: Raw, version: int) -> None:
    topic_id = raw.topic(f"produce-v{version}")
    response = raw.ask(ApiKey.PRODUCE, version, produce(f"produce-v{version}", batch(b"a", b"b"), topic_id=topic_id))
    answer = response.responses[0].partition_responses[0]
    assert (answer.error_code, answer.base_offset, answer.log_append_time_ms) == (0, 0, -1)
    again = raw.ask(ApiKey.PRODUCE, version, produce(f"produce-v{version}", batch(b"c"), topic_id=topic_id, acks=1))
    assert again.responses[0].partition_responses[0].base_offset == 2


def test_partitions_fail_by_themselves(raw: Raw) -> None:
    raw.topic("partly", 2)
    request = produce("partly", batch(b"a"))
    damaged = bytearray(batch(b"b"))
    damaged[-1] ^= 1
    request.topic_data[0].partition_data += [
        PartitionProduceData(index=1, records=bytes(damaged)),
        PartitionProduceData(index=2, records=batch(b"c")),
    ]
    request.topic_data.append(
        TopicProduceData(name="nowhere", partition_data=[PartitionProduceData(index=0, records=batch(b"d"))])
    )
    response = raw.ask(ApiKey.PRODUCE, 9, request)
    codes = [[one.error_code for one in topic.partition_responses] for topic in response.responses]
    assert codes == [
        [ErrorCode.NONE, ErrorCode.CORRUPT_MESSAGE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
        [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (b"", ErrorCode.INVALID_RECORD),
        (batch(b"a")[:-1], ErrorCode.CORRUPT_MESSAGE),
        (batch(b"x" * 2_000_000), ErrorCode.MESSAGE_TOO_LARGE),
        (batch(b"a", timestamp=int(time.time() * 1000) + 7_200_000), ErrorCode.INVALID_TIMESTAMP),
        (
            batch(b"a", transactional=True, producer_id=1, producer_epoch=0, base_sequence=0),
            ErrorCode.INVALID_TXN_STATE,
        ),
        (batch(b"a", control=True), ErrorCode.INVALID_RECORD),
    ],
)
def test_what_is_refused_and_the_connection_lives(raw: Raw, records: bytes, code: ErrorCode) -> None:
    if not raw.metadata("refusing").topics[0].partitions:
        raw.topic("refusing")
    answer = raw.ask(ApiKey.PRODUCE, 9, produce("refusing", records)).responses[0].partition_responses[0]
    assert (ErrorCode(answer.error_code), answer.base_offset) == (code, -1)
    assert raw.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0


def test_a_compacted_topic_wants_keys_and_says_which_records_have_none(raw: Raw) -> None:
    raw.topic("compacted", cleanup_policy="compact")
    answer = raw.ask(ApiKey.PRODUCE, 9, produce("compacted", batch(b"a", b"b"))).responses[0].partition_responses[0]
    assert answer.error_code == ErrorCode.INVALID_RECORD
    assert [one.batch_index for one in answer.record_errors] == [0, 1]
    keyed = raw.ask(ApiKey.PRODUCE, 9, produce("compacted", batch(b"a", key=b"k"))).responses[0]
    assert keyed.partition_responses[0].error_code == 0


def test_log_append_time_stamps_with_the_brokers_clock(raw: Raw) -> None:
    raw.topic("stamped", message_timestamp_type="LogAppendTime")
    answer = (
        raw.ask(ApiKey.PRODUCE, 9, produce("stamped", batch(b"a", timestamp=5))).responses[0].partition_responses[0]
    )
    assert abs(answer.log_append_time_ms - time.time() * 1000) < 10_000
    response = raw.ask(ApiKey.FETCH, 12, fetch("stamped"))
    assert decode_records(response.responses[0].partitions[0].records)[0][1] == answer.log_append_time_ms


def test_acks_0_is_not_answered_and_an_error_closes_the_connection(broker: Running, raw: Raw) -> None:
    raw.topic("silent")
    raw.send(raw.frame(ApiKey.PRODUCE, 9, produce("silent", batch(b"a"), acks=0)))
    assert raw.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0
    assert values(raw.ask(ApiKey.FETCH, 12, fetch("silent", max_wait_ms=2000))) == [b"a"]
    raw.send(raw.frame(ApiKey.PRODUCE, 9, produce("no such topic", batch(b"a"), acks=0)))
    assert raw.ended()


def test_unknown_acks_are_refused(raw: Raw) -> None:
    raw.topic("acks")
    answer = raw.ask(ApiKey.PRODUCE, 9, produce("acks", batch(b"a"), acks=2)).responses[0].partition_responses[0]
    assert answer.error_code == ErrorCode.INVALID_REQUIRED_ACKS


def test_an_idempotent_producers_repetition_is_told_the_same_offset(raw: Raw) -> None:
    raw.topic("idempotent")
    granted = raw.ask(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest(transactional_id=None))
    assert granted.error_code == 0

    def send(sequence: int) -> tuple[int, int]:
        records = batch(b"x", producer_id=granted.producer_id, producer_epoch=0, base_sequence=sequence)
        answer = raw.ask(ApiKey.PRODUCE, 9, produce("idempotent", records)).responses[0].partition_responses[0]
        return answer.error_code, answer.base_offset

    assert [send(0), send(1), send(0)] == [(0, 0), (0, 1), (0, 0)]
    assert send(5) == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)


def test_producer_ids_are_handed_out_once_and_transactions_refused(raw: Raw) -> None:
    ids = [
        raw.ask(ApiKey.INIT_PRODUCER_ID, version, InitProducerIdRequest(transactional_id=None)).producer_id
        for version in (0, 1, 2, 3, 4, 5) * 3
    ]
    assert len(set(ids)) == len(ids)
    renewed = InitProducerIdRequest(transactional_id=None, producer_id=ids[0], producer_epoch=0)
    answer = raw.ask(ApiKey.INIT_PRODUCER_ID, 4, renewed)
    assert (answer.producer_id, answer.producer_epoch) == (ids[0], 1)
    refused = raw.ask(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest(transactional_id="t"))
    assert refused.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


# --------------------------------------------------------------------------------------------- fetch


@pytest.mark.parametrize("version", range(4, 19))
def test_fetch_in_every_version(raw: Raw, version: int) -> None:
    name = f"fetch-v{version}"
    topic_id = raw.topic(name)
    raw.ask(ApiKey.PRODUCE, 9, produce(name, batch(b"a", b"b", codec=Codec.ZSTD)))
    response = raw.ask(ApiKey.FETCH, version, fetch(name, topic_id=topic_id))
    assert values(response) == [b"a", b"b"]
    assert response.session_id == 0
    assert response.responses[0].partitions[0].high_watermark == 2
    beyond = raw.ask(ApiKey.FETCH, version, fetch(name, 3, topic_id=topic_id))
    assert beyond.responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    unknown = raw.ask(ApiKey.FETCH, version, fetch("nowhere", topic_id=b"x" * 16))
    code = ErrorCode.UNKNOWN_TOPIC_ID if version >= 13 else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert unknown.responses[0].partitions[0].error_code == code


def test_fetch_limits_hold_but_one_batch_always_comes(raw: Raw) -> None:
    raw.topic("limited", 2)
    for partition in (0, 1):
        for _ in range(5):
            raw.ask(ApiKey.PRODUCE, 9, produce("limited", batch(b"x" * 1000), partition=partition))
    size = len(batch(b"x" * 1000))
    assert len(values(raw.ask(ApiKey.FETCH, 12, fetch("limited", partition_max_bytes=3 * size)))) == 3
    assert len(values(raw.ask(ApiKey.FETCH, 12, fetch("limited", partition_max_bytes=1)))) == 1
    both = fetch("limited", max_bytes=1)
    both.topics[0].partitions.append(FetchPartition(partition=1, fetch_offset=0, partition_max_bytes=1 << 20))
    response = raw.ask(ApiKey.FETCH, 12, both)
    assert (len(values(response)), len(values(response, partition=1))) == (1, 0)


def test_leader_epochs_are_checked(raw: Raw) -> None:
    raw.topic("fenced")
    epoch = raw.metadata("fenced").topics[0].partitions[0].leader_epoch
    response = raw.ask(ApiKey.FETCH, 12, fetch("fenced", current_leader_epoch=epoch + 1))
    assert response.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert (
        raw.ask(ApiKey.FETCH, 12, fetch("fenced", current_leader_epoch=epoch)).responses[0].partitions[0].error_code
        == 0
    )


def test_a_fetch_session_is_never_granted_and_an_unknown_one_refused(raw: Raw) -> None:
    raw.topic("sessions")
    assert raw.ask(ApiKey.FETCH, 12, fetch("sessions", session_epoch=0)).session_id == 0
    refused = raw.ask(ApiKey.FETCH, 12, fetch("sessions", session_id=5, session_epoch=1))
    assert refused.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


# --------------------------------------------------------------------------------------- list offsets


@pytest.mark.parametrize("version", range(1, 12))
def test_offsets_by_every_kind_of_time(raw: Raw, version: int) -> None:
    name = f"offsets-v{version}"
    raw.topic(name)
    for timestamp in (100, 300, 200):
        raw.ask(ApiKey.PRODUCE, 9, produce(name, batch(b"a", b"b", timestamp=timestamp)))

    def offset(timestamp: int, topic: str = name) -> tuple[int, int, int]:
        wanted = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
        request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name=topic, partitions=[wanted])])
        answer = raw.ask(ApiKey.LIST_OFFSETS, version, request).topics[0].partitions[0]
        return answer.error_code, answer.offset, answer.timestamp

    assert offset(-1) == (0, 6, -1)
    assert offset(-2) == (0, 0, -1)
    assert offset(-3) == (0, 2, 300)
    assert offset(-4) == (0, 0, -1)
    assert offset(0) == (0, 0, 100)
    assert offset(150) == (0, 2, 300)
    assert offset(301) == (0, -1, -1)
    assert offset(-1, "nowhere")[0] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


# ---------------------------------------------------------------------------------- metadata and topics


@pytest.mark.parametrize("version", range(14))
def test_metadata_in_every_version(broker: Running, raw: Raw, version: int) -> None:
    name = f"metadata-v{version}"
    topic_id = raw.topic(name, 2)
    response = raw.ask(ApiKey.METADATA, version, MetadataRequest(topics=[MetadataRequestTopic(name=name)]))
    assert [f"{one.host}:{one.port}" for one in response.brokers] == [broker.bootstrap]
    assert [(one.leader_id, one.replica_nodes, one.isr_nodes) for one in response.topics[0].partitions] == [
        (1, [1], [1]),
        (1, [1], [1]),
    ]
    everything = MetadataRequest(topics=[] if version == 0 else None)
    assert name in [one.name for one in raw.ask(ApiKey.METADATA, version, everything).topics]
    if version >= 1:
        assert response.controller_id == 1
        assert raw.ask(ApiKey.METADATA, version, MetadataRequest(topics=[])).topics == []
    if version >= 10:
        assert response.topics[0].topic_id == topic_id
    if version >= 12:
        by_id = MetadataRequest(topics=[MetadataRequestTopic(name=None, topic_id=topic_id)])
        assert raw.ask(ApiKey.METADATA, version, by_id).topics[0].name == name
        unknown = MetadataRequest(topics=[MetadataRequestTopic(name=None, topic_id=b"x" * 16)])
        assert raw.ask(ApiKey.METADATA, version, unknown).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_kept_metadata_follows_the_cluster(raw: Raw) -> None:
    everything = MetadataRequest(topics=None)
    before = {one.name for one in raw.ask(ApiKey.METADATA, 12, everything).topics}
    raw.topic("brand-new")
    after = {one.name for one in raw.ask(ApiKey.METADATA, 12, everything).topics}
    assert after - before == {"brand-new"}


@pytest.mark.parametrize("version", range(1, 7))
def test_topics_are_deleted_in_every_version(raw: Raw, version: int) -> None:
    name = f"delete-v{version}"
    topic_id = raw.topic(name)
    if version == 6:
        request = DeleteTopicsRequest(topics=[DeleteTopicState(name=None, topic_id=topic_id)])
    else:
        request = DeleteTopicsRequest(topic_names=[name])
    assert raw.ask(ApiKey.DELETE_TOPICS, version, request).responses[0].error_code == 0
    answer = raw.ask(ApiKey.PRODUCE, 9, produce(name, batch(b"a"))).responses[0].partition_responses[0]
    assert answer.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    raw.topic(name)
    assert values(raw.ask(ApiKey.FETCH, 12, fetch(name))) == []


def test_a_fetch_parked_on_a_deleted_topic_is_told(broker: Running, raw: Raw) -> None:
    raw.topic("going")
    raw.send(raw.frame(ApiKey.FETCH, 12, fetch("going", max_wait_ms=5000)))
    with Raw(broker.address) as other:
        other.ask(ApiKey.DELETE_TOPICS, 5, DeleteTopicsRequest(topic_names=["going"]))
    answer = raw.receive()[1].responses[0].partitions[0]
    assert answer.error_code in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NOT_LEADER_OR_FOLLOWER)


@pytest.mark.parametrize("version", range(7))
def test_there_is_no_coordinator_in_any_version(raw: Raw, version: int) -> None:
    many = FindCoordinatorRequest(coordinator_keys=["g", "h"])
    response = raw.ask(ApiKey.FIND_COORDINATOR, version, many if version >= 4 else FindCoordinatorRequest(key="g"))
    codes = [one.error_code for one in response.coordinators] if version >= 4 else [response.error_code] * 2
    assert codes == [ErrorCode.COORDINATOR_NOT_AVAILABLE] * 2


@pytest.mark.parametrize("version", range(3))
def test_the_cluster_is_described(raw: Raw, version: int) -> None:
    response = raw.ask(ApiKey.DESCRIBE_CLUSTER, version, DescribeClusterRequest())
    assert (response.error_code, len(response.brokers), response.controller_id) == (0, 1, 1)
    if version:
        wrong = raw.ask(ApiKey.DESCRIBE_CLUSTER, version, DescribeClusterRequest(endpoint_type=2))
        assert wrong.error_code == ErrorCode.UNSUPPORTED_ENDPOINT_TYPE


@pytest.mark.parametrize("version", range(1, 5))
def test_configs_are_described(raw: Raw, version: int) -> None:
    name = f"configs-v{version}"
    raw.topic(name, retention_ms="7")
    wanted = [
        DescribeConfigsResource(resource_type=2, resource_name=name, configuration_keys=["retention.ms"]),
        DescribeConfigsResource(resource_type=2, resource_name="nowhere", configuration_keys=None),
        DescribeConfigsResource(resource_type=4, resource_name="1", configuration_keys=["message.max.bytes"]),
    ]
    request = DescribeConfigsRequest(resources=wanted, include_synonyms=True, include_documentation=version >= 3)
    topic, nowhere, own = raw.ask(ApiKey.DESCRIBE_CONFIGS, version, request).results
    (retention,) = topic.configs
    assert (retention.value, retention.config_source) == ("7", 1)
    assert [one.name for one in retention.synonyms] == ["retention.ms", "log.retention.ms"]
    assert nowhere.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert own.configs[0].value == "1048588"
    if version >= 3:
        assert retention.documentation
        assert retention.config_type == 5


# ------------------------------------------------------------------------------------ bad input, limits


@pytest.mark.parametrize(
    "bytes_sent",
    [
        pack(">i", -1),
        pack(">i", 2**31 - 1) + b"x" * 100,
        with_length(b""),
        with_length(b"\x00\x00"),
        with_length(pack(">hhih", 3, 12, 1, 500) + b"short"),
        with_length(pack(">hhih", 3, 12, 1, -1) + b"\x00\xff\xff\xff\xff\x7f"),
        with_length(pack(">hhih", 3, 99, 1, -1)),
        with_length(pack(">hhih", 0, 2, 1, -1)),
        with_length(pack(">hhih", 5, 0, 1, -1)),
        with_length(pack(">hhih", 999, 0, 1, -1)),
        b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n",
    ],
)
def test_what_cannot_be_followed_closes_the_connection(broker: Running, bytes_sent: bytes) -> None:
    with Raw(broker.address) as raw:
        raw.send(bytes_sent)
        assert raw.ended()
    with Raw(broker.address) as raw:
        assert raw.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0


def test_a_null_client_id_and_tagged_header_fields_are_fine(raw: Raw) -> None:
    raw.send(raw.frame(ApiKey.API_VERSIONS, 4, ME, client_id=None))
    assert raw.receive()[1].error_code == 0
    body = joined([encode_body(ME, 4)])
    raw.send(with_length(pack(">hhih", 18, 4, 9, 1) + b"c" + b"\x01\x63\x02hi" + body))
    assert unpack(">i", raw.receive_frame()[:4]) == (9,)


def encode_body(message: Any, version: int) -> bytes:
    from moldau.protocol.codec import encode

    return joined(encode(message, version))


def test_a_frame_larger_than_the_buffer_arrives_whole(raw: Raw) -> None:
    raw.topic("large", max_message_bytes="5000000")
    answer = raw.ask(ApiKey.PRODUCE, 9, produce("large", batch(b"L" * 3_000_000))).responses[0].partition_responses[0]
    assert answer.error_code == 0
    assert values(raw.ask(ApiKey.FETCH, 12, fetch("large", partition_max_bytes=1))) == [b"L" * 3_000_000]


def test_a_reader_that_does_not_read_stops_being_served_and_gets_everything_later(broker: Running) -> None:
    with Raw(broker.address) as raw:
        raw.topic("slow")
        for _ in range(4):
            raw.ask(ApiKey.PRODUCE, 9, produce("slow", batch(b"S" * 900_000)))
        asked = 60
        frames = [raw.frame(ApiKey.FETCH, 12, fetch("slow", partition_max_bytes=10_000_000)) for _ in range(asked)]
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        raw.send(*frames)
        time.sleep(0.2)
        with Raw(broker.address) as other:
            assert other.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0
        for _ in range(asked):
            assert len(values(raw.receive()[1])) == 4


def test_connections_are_limited(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--set", "max.connections=3") as small:
        held = [Raw(small.address) for _ in range(3)]
        for one in held:
            assert one.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0
        with Raw(small.address) as refused:
            assert refused.ended()
        held.pop().socket.close()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with Raw(small.address) as again:
                try:
                    assert again.ask(ApiKey.API_VERSIONS, 4, ME).error_code == 0
                    break
                except (EOFError, ConnectionResetError):
                    time.sleep(0.01)
        else:
            raise AssertionError("the place was not given to another connection")
        for one in held:
            one.socket.close()


def test_a_stop_answers_parked_fetches_and_ends_in_time(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        with Raw(started.address) as raw:
            raw.topic("stopping")
            raw.send(raw.frame(ApiKey.FETCH, 12, fetch("stopping", max_wait_ms=60_000)))
            raw.send(raw.frame(ApiKey.API_VERSIONS, 4, ME))
            time.sleep(0.1)
            began = time.monotonic()
            assert started.stop() == 0
            assert time.monotonic() - began < 3
            assert raw.receive()[1].responses[0].partitions[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()
