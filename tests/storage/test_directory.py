from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable

import pytest

from moldau.environment import Disk
from moldau.model import TopicPartition, format_uuid
from moldau.storage import CorruptLog, DirectoryInUse, ForeignDirectory, Identity, LogDirectory
from moldau.storage.checkpoints import (
    UnreadableCheckpoint,
    decode_epochs,
    decode_offsets,
    decode_partition_metadata,
    encode_epochs,
    encode_offsets,
    encode_partition_metadata,
)
from tests.storage.stored import TINY, append, fill, values

Place = tuple[Disk, str]
ORDERS = TopicPartition("orders", 0)
DASHED = TopicPartition("a-b.c_d", 12)


def ids() -> Callable[[], bytes]:
    counter = itertools.count(1)
    return lambda: next(counter).to_bytes(16, "big")


def opened(place: Place, node_id: int = 1, cluster_id: str | None = None) -> LogDirectory:
    disk, root = place
    return LogDirectory.open(disk, os.path.join(root, "logs"), Identity(node_id, cluster_id), new_id=ids())


def content(place: Place, name: str) -> str:
    return place[0].read_file(os.path.join(place[1], "logs", name)).decode()


def test_a_new_directory_gets_its_papers(place: Place) -> None:
    directory = opened(place)
    assert directory.identity == Identity(1, format_uuid(bytes(15) + b"\1"), bytes(15) + b"\2")
    assert directory.clean is None
    lines = content(place, "meta.properties").splitlines()
    assert {"version=1", "node.id=1", "cluster.id=AAAAAAAAAAAAAAAAAAAAAQ", "directory.id=AAAAAAAAAAAAAAAAAAAAAg"} <= {
        *lines
    }
    directory.close(broker_epoch=42)
    again = opened(place)
    assert again.identity == directory.identity
    assert again.clean is not None
    assert again.clean.broker_epoch == 42


def test_papers_as_kafka_writes_them_are_read(place: Place) -> None:
    disk, root = place
    disk.make_directory(os.path.join(root, "logs"))
    disk.replace_file(
        os.path.join(root, "logs", "meta.properties"),
        b"#\n#Thu Nov 19 05:00:00 UTC 2026\ncluster.id=kVy3nQkYR6e0a7Yw1v4N0g\nversion=1\n"
        b"directory.id=CAECAwQFBgcICQoLDA0ODw\nnode.id=1\n",
    )
    found = opened(place).identity
    assert (found.node_id, found.cluster_id) == (1, "kVy3nQkYR6e0a7Yw1v4N0g")
    assert found.directory_id == bytes([8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])


@pytest.mark.parametrize(("node_id", "cluster_id"), [(2, None), (1, "another"), (2, "another")])
def test_a_directory_of_somebody_else_is_refused(place: Place, node_id: int, cluster_id: str | None) -> None:
    opened(place, cluster_id="mine").close()
    with pytest.raises(ForeignDirectory, match=r"belongs to"):
        opened(place, node_id, cluster_id)
    assert opened(place, cluster_id="mine").clean is not None, "and nothing was changed"


@pytest.mark.parametrize("text", ["", "version=0\nnode.id=1\ncluster.id=x", "version=1\nnode.id=one\ncluster.id=x"])
def test_unreadable_papers_are_refused(place: Place, text: str) -> None:
    disk, root = place
    disk.make_directory(os.path.join(root, "logs"))
    disk.replace_file(os.path.join(root, "logs", "meta.properties"), text.encode())
    with pytest.raises(ForeignDirectory):
        opened(place)


def test_one_process_at_a_time(place: Place) -> None:
    directory = opened(place)
    with pytest.raises(DirectoryInUse, match="another process"):
        opened(place)
    directory.close()
    opened(place).close()


def test_a_clean_end_is_told_from_a_crash(place: Place) -> None:
    directory = opened(place)
    fill(directory.open_log(ORDERS, TINY), 30)
    end = directory.logs[ORDERS].end_offset
    directory.close(broker_epoch=7, high_watermarks={ORDERS: end})
    assert json.loads(content(place, ".kafka_cleanshutdown")) == {"version": 0, "brokerEpoch": 7}
    assert content(place, "recovery-point-offset-checkpoint") == f"0\n1\norders 0 {end}\n"
    assert content(place, "replication-offset-checkpoint") == f"0\n1\norders 0 {end}\n"

    clean = opened(place)
    assert not place[0].exists(os.path.join(clean.path, ".kafka_cleanshutdown")), "the next crash is a crash"
    assert clean.high_watermarks == {ORDERS: end}
    log = clean.open_log(ORDERS, TINY)
    assert log.recovered.scanned_bytes == 0
    append(log, b"after")
    log.flush()
    clean.checkpoint()
    append(log, b"unsynced")
    log.abandon()
    clean._unlock()  # as the end of the process does

    crashed = opened(place)
    assert crashed.clean is None
    log = crashed.open_log(ORDERS, TINY)
    assert log.recovered.scanned_bytes > 0
    assert [value for _, value in values(log, end)] == [b"after", b"unsynced"]


def test_partitions_are_found_by_their_names(place: Place) -> None:
    disk, _ = place
    directory = opened(place)
    for partition in (DASHED, ORDERS, TopicPartition("orders", 10)):
        directory.open_log(partition, TINY)
    disk.make_directory(f"{directory.path}/lost+found")
    disk.make_directory(f"{directory.path}/orders-1.{'0' * 32}-delete")
    disk.make_directory(f"{directory.path}/orders-x")
    assert directory.partitions() == [DASHED, ORDERS, TopicPartition("orders", 10)]


def test_a_topic_is_deleted_and_comes_back_at_once(place: Place) -> None:
    disk, _ = place
    directory = opened(place)
    log = directory.open_log(ORDERS, TINY, topic_id=b"1" * 16)
    fill(log, 10)
    log.flush()
    directory.checkpoint()
    directory.delete_log(ORDERS, b"\xab" * 16)
    aside = f"orders-0.{'ab' * 16}-delete"
    assert aside in disk.list(directory.path)
    again = directory.open_log(ORDERS, TINY, topic_id=b"2" * 16)
    assert again.end_offset == 0
    append(again, b"x")
    directory.remove_set_aside()
    assert directory.partitions() == [ORDERS]
    assert aside not in disk.list(directory.path)
    again.abandon()
    directory._unlock()
    assert opened(place).open_log(ORDERS, TINY).end_offset == 1, "the recovery point of the old one is forgotten"


def test_the_recovery_point_is_lowered_before_a_log_is_cut(place: Place) -> None:
    directory = opened(place)
    log = directory.open_log(ORDERS, TINY)
    fill(log, 30)
    log.flush()
    directory.checkpoint()
    directory.truncate_log(ORDERS, 9)
    assert decode_offsets(content(place, "recovery-point-offset-checkpoint").encode())[ORDERS] == 9
    log.abandon()
    directory._unlock()
    assert opened(place).open_log(ORDERS, TINY).end_offset <= 9


def test_a_replica_that_was_removed_by_hand_begins_anew(place: Place) -> None:
    directory = opened(place)
    fill(directory.open_log(ORDERS, TINY), 30)
    directory.close()
    place[0].remove_tree(f"{directory.path}/orders-0")
    assert opened(place).open_log(ORDERS, TINY).end_offset == 0


def test_a_restarted_log_keeps_its_start(place: Place) -> None:
    directory = opened(place)
    log = directory.open_log(ORDERS, TINY)
    fill(log, 30)
    log.flush()
    directory.checkpoint()
    directory.restart_log(ORDERS, 500)
    append(log, b"x")
    directory.close()
    again = opened(place).open_log(ORDERS, TINY)
    assert (again.start_offset, again.end_offset) == (500, 501)


def test_a_failed_directory_ends_uncleanly(place: Place) -> None:
    directory = opened(place)
    append(directory.open_log(ORDERS, TINY), b"x")
    directory.health.fail(OSError(5, "broken"))
    directory.close()
    assert opened(place).clean is None


def test_an_unreadable_checkpoint_is_refused(place: Place) -> None:
    opened(place).close()
    place[0].replace_file(os.path.join(place[1], "logs", "recovery-point-offset-checkpoint"), b"0\n1\n")
    with pytest.raises(CorruptLog, match="1 entries announced"):
        opened(place)


def test_checkpoints_go_round() -> None:
    offsets = {DASHED: 0, ORDERS: 2**62}
    assert decode_offsets(encode_offsets(offsets)) == offsets
    assert encode_offsets(offsets) == b"0\n2\na-b.c_d 12 0\norders 0 4611686018427387904\n"
    assert decode_epochs(encode_epochs([(0, 0), (3, 17)])) == [(0, 0), (3, 17)]
    assert encode_partition_metadata(bytes(range(16))) == b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert decode_partition_metadata(b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw\n") == bytes(range(16))


@pytest.mark.parametrize(
    "data", [b"", b"0", b"1\n0\n", b"0\nx\n", b"0\n1\na b c\n", b"0\n1\na 1\n", b"0\n2\na 1 1\n", b"\xff"]
)
def test_no_checkpoint_is_taken_for_one(data: bytes) -> None:
    with pytest.raises(UnreadableCheckpoint):
        decode_offsets(data)


@pytest.mark.parametrize("data", [b"0\n2\n3 0\n3 5\n", b"0\n2\n3 9\n4 5\n", b"0\n1\n3\n"])
def test_epochs_must_grow(data: bytes) -> None:
    with pytest.raises(UnreadableCheckpoint):
        decode_epochs(data)
