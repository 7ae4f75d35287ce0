"""Whole requests and answers."""

from __future__ import annotations

import struct
import tracemalloc
from typing import cast

import pytest

from moldau.environment.doors import Part
from moldau.protocol.apis import API, RETIRED, ApiKey
from moldau.protocol.codec import decode, encode
from moldau.protocol.errors import Malformed, Unencodable
from moldau.protocol.headers import decode_request_header, decode_response, encode_request, encode_response
from moldau.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from moldau.protocol.messages.header import RequestHeader, ResponseHeader
from moldau.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from moldau.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.protocol.declared import flat


def unframed(parts: list[Part]) -> bytes:
    data = flat(parts)
    (length,) = struct.unpack_from(">i", data)
    assert length == len(data) - 4
    return data[4:]


@pytest.mark.parametrize("client_id", [None, "", "rdkafka", "ä" * 100])
@pytest.mark.parametrize("version", [1, 9, 12])
def test_a_request_there_and_back(client_id: str | None, version: int) -> None:
    message = MetadataRequest(topics=[MetadataRequestTopic(name="orders")])
    frame = unframed(encode_request(ApiKey.METADATA, version, 77, client_id, message))
    header = decode_request_header(memoryview(frame))
    assert header[:4] == (ApiKey.METADATA, version, 77, client_id)
    assert decode(MetadataRequest, version, frame, header[4]) == message


def test_the_client_id_is_laid_out_the_old_way_in_flexible_headers() -> None:
    frame = unframed(encode_request(ApiKey.METADATA, 12, 1, "me", MetadataRequest()))
    assert frame.startswith(struct.pack(">hhih", 3, 12, 1, 2) + b"me" + b"\x00")


def test_tagged_fields_of_a_header_are_skipped() -> None:
    frame = struct.pack(">hhih", 18, 3, 5, -1) + b"\x01\x07\x02ab" + b"body"
    header = decode_request_header(frame)
    assert header[3] is None
    assert frame[header[4] :] == b"body"


def test_the_header_of_a_version_yet_to_come_is_read() -> None:
    frame = struct.pack(">hhih", 18, 99, 5, 1) + b"x" + b"\x00" + b"whatever"
    assert decode_request_header(frame)[:4] == (ApiKey.API_VERSIONS, 99, 5, "x")


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00\x12",
        struct.pack(">hhih", 999, 0, 1, -1),
        struct.pack(">hhih", -1, 0, 1, -1),
        struct.pack(">hhih", 4, 0, 1, -1),
        struct.pack(">hhih", 18, -1, 1, -1),
        struct.pack(">hhih", 18, 0, 1, 5) + b"abc",
        struct.pack(">hhih", 18, 0, 1, -2),
        struct.pack(">hhih", 18, 0, 1, 2) + b"\xff\xff",
        struct.pack(">hhih", 18, 3, 1, -1) + b"\x05",
    ],
)
def test_a_header_that_cannot_be_read(frame: bytes) -> None:
    with pytest.raises(Malformed):
        decode_request_header(frame)


@pytest.mark.parametrize("client_id", [None, "me"])
def test_headers_are_laid_out_as_declared(client_id: str | None) -> None:
    for version in (8, 9):
        frame = unframed(encode_request(ApiKey.METADATA, version, 7, client_id, MetadataRequest()))
        header = RequestHeader(request_api_key=3, request_api_version=version, correlation_id=7, client_id=client_id)
        assert frame.startswith(flat(encode(header, 2 if version == 9 else 1)))
        answer = unframed(encode_response(ApiKey.METADATA, version, 7, MetadataResponse()))
        assert answer.startswith(flat(encode(ResponseHeader(correlation_id=7), 1 if version == 9 else 0)))


def test_a_client_id_that_is_too_long() -> None:
    with pytest.raises(Unencodable, match="at most 32767 bytes"):
        encode_request(ApiKey.METADATA, 1, 7, "x" * 40_000, MetadataRequest())


def test_a_large_frame_is_not_copied_for_its_header() -> None:
    frame = memoryview(bytearray(struct.pack(">hhih", 0, 9, 1, -1) + b"\x00" + bytes(10_000_000)))
    tracemalloc.start()
    try:
        assert decode_request_header(frame)[4] == 11
        assert tracemalloc.get_traced_memory()[1] < 10_000
    finally:
        tracemalloc.stop()


def test_record_bytes_pass_through_a_request_uncopied() -> None:
    batch = b"b" * 4000
    partition = PartitionProduceData(index=0, records=batch)
    message = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=[partition])])
    parts = encode_request(ApiKey.PRODUCE, 9, 1, "me", message)
    assert any(part is batch for part in parts)
    assert len(parts) == 3
    unframed(parts)


@pytest.mark.parametrize("version", [0, 8, 9, 13])
def test_an_answer_there_and_back(version: int) -> None:
    message = MetadataResponse(controller_id=-1)
    frame = unframed(encode_response(ApiKey.METADATA, version, 41, message))
    assert frame[4:5] == b"\x00"
    assert decode_response(ApiKey.METADATA, version, memoryview(frame)) == (41, message)
    with pytest.raises(Malformed):
        decode_response(ApiKey.METADATA, version, frame + b"\x00")
    with pytest.raises(Malformed):
        decode_response(ApiKey.METADATA, version, frame[:3])


@pytest.mark.parametrize("version", range(5))
def test_api_versions_is_always_answered_under_the_oldest_header(version: int) -> None:
    message = ApiVersionsResponse(api_keys=[ApiVersion(api_key=18, min_version=0, max_version=4)])
    frame = unframed(encode_response(ApiKey.API_VERSIONS, version, 3, message))
    assert frame[:6] == struct.pack(">ih", 3, 0)
    assert decode_response(ApiKey.API_VERSIONS, version, frame) == (3, message)
    assert API[ApiKey.API_VERSIONS].request_header_version(version) == (2 if version >= 3 else 1)


def test_what_the_table_of_requests_says() -> None:
    produce, init = API[ApiKey.PRODUCE], API[ApiKey.INIT_PRODUCER_ID]
    assert (produce.min_version, produce.max_version, produce.advertised_min, produce.flexible_from) == (3, 13, 0, 9)
    assert (init.max_version, init.stable_version) == (6, 5)
    assert API[ApiKey.LIST_OFFSETS].name == "ListOffsets"
    assert {int(key) for key in RETIRED} == {4, 5, 6, 7}
    for key, api in API.items():
        assert api.request.TABLE.key == api.response.TABLE.key == key
        assert api.request.TABLE.versions == api.response.TABLE.versions
        assert api.request.TABLE.flexible == api.response.TABLE.flexible
        assert api.advertised_min <= api.min_version <= api.stable_version <= api.max_version
    assert cast("type[object]", API[ApiKey.API_VERSIONS].request) is ApiVersionsRequest
