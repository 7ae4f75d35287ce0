"""A client of one socket that says exactly what a test wants it to say."""

from __future__ import annotations

import socket
from struct import pack, unpack
from typing import Any

from moldau.environment.doors import Part
from moldau.protocol.apis import ApiKey
from moldau.protocol.headers import decode_response, encode_request
from moldau.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from moldau.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from moldau.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from moldau.protocol.tables import ZERO_UUID
from moldau.records import Codec, build


class Raw:
    """One connection."""

    def __init__(self, address: tuple[str, int], timeout: float = 5.0) -> None:
        self.socket = socket.create_connection(address, timeout=timeout)
        self._next_id = 0
        self._asked: dict[int, tuple[ApiKey, int]] = {}

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def frame(self, key: ApiKey, version: int, request: Any, client_id: str | None = "raw") -> bytes:
        """A request as bytes, with the next correlation id."""
        self._next_id += 1
        self._asked[self._next_id] = (key, version)
        return joined(encode_request(key, version, self._next_id, client_id, request))

    def send(self, *frames: bytes) -> None:
        self.socket.sendall(b"".join(frames))

    def receive(self) -> tuple[int, Any]:
        """The next answer and the correlation id that it carries."""
        frame = self.receive_frame()
        (correlation_id,) = unpack(">i", frame[:4])
        key, version = self._asked.pop(correlation_id)
        return decode_response(key, version, frame)

    def receive_frame(self) -> bytes:
        (size,) = unpack(">i", self._exactly(4))
        return self._exactly(size)

    def ask(self, key: ApiKey, version: int, request: Any) -> Any:
        """One request and its answer."""
        self.send(self.frame(key, version, request))
        correlation_id, response = self.receive()
        assert correlation_id == self._next_id
        return response

    def ended(self) -> bool:
        """Whether the broker has closed the connection, after whatever it still sends."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        return True

    def topic(self, name: str, partitions: int = 1, **configs: str) -> bytes:
        """Make a topic; its id."""
        wanted = CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=1,
            configs=[CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()],
        )
        made = self.ask(ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest(topics=[wanted])).topics[0]
        assert made.error_code == 0, made
        return bytes(made.topic_id)

    def metadata(self, *names: str) -> Any:
        return self.ask(
            ApiKey.METADATA, 12, MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in names])
        )

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError(f"closed after {len(data)} of {count} bytes")
            data += piece
        return bytes(data)


def joined(parts: list[Part]) -> bytes:
    return b"".join(bytes(part) for part in parts)  # type: ignore[arg-type]


def batch(*values: bytes, **more: Any) -> bytes:
    """A record batch of these values."""
    timestamp = more.pop("timestamp", 1_700_000_000_000)
    keys = more.pop("key", None)
    return build([(timestamp, keys, value, ()) for value in values], codec=more.pop("codec", Codec.NONE), **more)


def produce(
    topic: str, *batches: bytes, acks: int = -1, partition: int = 0, topic_id: bytes = ZERO_UUID
) -> ProduceRequest:
    """A request that produces these batches to one partition."""
    return ProduceRequest(
        acks=acks,
        timeout_ms=5000,
        topic_data=[
            TopicProduceData(
                name=topic,
                topic_id=topic_id,
                partition_data=[PartitionProduceData(index=partition, records=b"".join(batches))],
            )
        ],
    )


def with_length(body: bytes) -> bytes:
    return pack(">i", len(body)) + body
