"""The requests that only read, each in every version, and with clients of other makes where these send them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tests.broker.raw import Raw, batch, produce
from tests.broker.running import Running, running


@pytest.fixture
def raw(broker: Running) -> Iterator[Raw]:
    with Raw(broker.address) as connected:
        yield connected


# ------------------------------------------------------------------------------ offset for leader epoch


def epoch_end(
    raw: Raw, version: int, topic: str, epoch: int, *, current: int = -1, partition: int = 0
) -> tuple[int, int, int]:
    """Error, epoch and end offset."""
    wanted = OffsetForLeaderPartition(partition=partition, current_leader_epoch=current, leader_epoch=epoch)
    request = OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic(topic=topic, partitions=[wanted])])
    if version >= 3:
        request.replica_id = -1
    (answered,) = raw.ask(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, request).topics
    (answer,) = answered.partitions
    assert (answered.topic, answer.partition) == (topic, partition)
    return answer.error_code, answer.leader_epoch, answer.end_offset


def leader_epoch(raw: Raw, topic: str) -> int:
    return int(raw.metadata(topic).topics[0].partitions[0].leader_epoch)


@pytest.mark.parametrize("version", range(2, 5))
def test_the_current_epoch_ends_where_the_log_ends(raw: Raw, version: int) -> None:
    name = f"epoch-end-v{version}"
    raw.topic(name)
    epoch = leader_epoch(raw, name)
    assert epoch_end(raw, version, name, epoch) == (0, epoch, 0)
    raw.ask(ApiKey.PRODUCE, 9, produce(name, batch(b"a", b"b")))
    assert epoch_end(raw, version, name, epoch, current=epoch) == (0, epoch, 2)
    assert epoch_end(raw, version, name, epoch + 1) == (0, -1, -1)
    assert epoch_end(raw, version, name, -1) == (0, -1, -1)
    assert epoch_end(raw, version, name, epoch, current=epoch + 1) == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1, -1)
    unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)
    assert epoch_end(raw, version, name, epoch, partition=1) == unknown
    assert epoch_end(raw, version, "nowhere", epoch) == unknown


def test_an_epoch_ends_where_that_of_the_next_leader_begins(tmp_path: Path) -> None:
    epochs = []
    for number in range(2):
        with running(tmp_path / "data") as started, Raw(started.address) as raw:
            if number == 0:
                raw.topic("kept")
            epochs.append(leader_epoch(raw, "kept"))
            raw.ask(ApiKey.PRODUCE, 9, produce("kept", batch(b"a", b"b", b"c")))
            if number == 1:
                first, second = epochs
                assert second > first
                assert epoch_end(raw, 4, "kept", first) == (0, first, 3)
                assert epoch_end(raw, 4, "kept", second - 1) == (0, first, 3)
                assert epoch_end(raw, 4, "kept", second) == (0, second, 6)
                assert epoch_end(raw, 4, "kept", second, current=first)[0] == ErrorCode.FENCED_LEADER_EPOCH
            assert started.stop() == 0
