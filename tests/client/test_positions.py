"""Where a consumer stands: fetching ahead, handing out, seeking, stopping (scenarios)."""

from __future__ import annotations

import pytest

from moldau.client.positions import EARLIEST, LATEST, Positions
from moldau.records import build, build_values


def batch(first: int, *values: str) -> bytes:
    return build([(1_000 + first, None, value.encode(), ()) for value in values], base_offset=first)


def transactional(first: int, producer: int, *values: str) -> bytes:
    records = [(0, None, value.encode(), ()) for value in values]
    return build(
        records, base_offset=first, producer_id=producer, producer_epoch=0, base_sequence=0, transactional=True
    )


def marker(offset: int, producer: int) -> bytes:
    records = [(0, b"\0\0\0\0", b"\0\0\0\0\0\0", ())]
    return build(
        records, base_offset=offset, producer_id=producer, producer_epoch=0, base_sequence=-1, transactional=True,
        control=True,
    )  # fmt: skip


def started(partitions: int = 1, partition_bytes: int = 1_000, prefetch_bytes: int = 10_000) -> Positions:
    positions = Positions("t", range(partitions), partition_bytes=partition_bytes, prefetch_bytes=prefetch_bytes)
    for index in range(partitions):
        positions.seek(index, 0)
    return positions


def leader(index: int) -> int:
    return index % 2


def asked(positions: Positions, now_ms: int = 0) -> dict[int, list[int]]:
    return {node: [p.index for p in some] for node, some in positions.fetchable(now_ms, leader).items()}


def receive(positions: Positions, index: int, data: bytes, **more: object) -> bool:
    position = positions.at(index)
    position.fetching = True
    return positions.received(index, position.term, data, 100, **more)  # type: ignore[arg-type]


def values(positions: Positions, max_records: int = 100) -> str | None:
    taken = positions.take(max_records)
    return None if taken is None else " ".join((value or b"-").decode() for value in taken.values())


def test_records_come_out_in_order_and_the_next_fetch_begins_behind_them() -> None:
    positions = started()
    assert receive(positions, 0, batch(0, "a", "b") + batch(2, "c"))
    assert positions.at(0).fetch_offset == 3
    assert positions.at(0).offset == 0
    assert receive(positions, 0, batch(3, "d"))
    assert values(positions) == "a b c d"
    assert positions.at(0).offset == 4
    assert values(positions) is None


def test_what_lies_before_the_position_is_left_out() -> None:
    positions = started()
    positions.seek(0, 1)
    receive(positions, 0, batch(0, "a", "b", "c"))
    taken = positions.take(10)
    assert taken is not None
    assert (taken.start_offset, taken.next_offset) == (1, 3)
    assert [record.offset for record in taken.records()] == [1, 2]
    assert taken.to_arrow().column("offset").to_pylist() == [1, 2]


def test_a_batch_holds_at_most_so_many_records() -> None:
    positions = started()
    receive(positions, 0, batch(0, "a", "b") + batch(2, "c", "d") + batch(4, *"efghi"))
    assert values(positions, 3) == "a b"
    assert values(positions, 3) == "c d"
    assert values(positions, 3) == "e f g"
    assert positions.at(0).offset == 7
    assert values(positions, 3) == "h i"
    assert values(positions, 3) is None
    assert positions.at(0).waiting_bytes == 0


def test_partitions_take_turns() -> None:
    positions = started(2)
    for index in (1, 0):
        receive(positions, index, batch(0, f"{index}a", f"{index}b") + batch(2, f"{index}c"))
    assert [values(positions, 2) for _ in range(4)] == ["1a 1b", "0a 0b", "1c", "0c"]


def test_a_seek_drops_what_was_fetched_before_and_what_is_under_way() -> None:
    positions = started()
    receive(positions, 0, batch(0, "a"))
    old = positions.at(0).term
    positions.at(0).fetching = True
    positions.seek(0, 50)
    assert values(positions) is None
    assert asked(positions) == {}, "the old fetch is still under way"
    assert not positions.received(0, old, batch(1, "b"), 100)
    assert asked(positions) == {0: [0]}
    assert positions.at(0).fetch_offset == 50


def test_offsets_are_found_for_times_and_the_end_when_nothing_is_as_late() -> None:
    positions = Positions("t", [0, 1], partition_bytes=10, prefetch_bytes=10)
    positions.seek(0, None, EARLIEST)
    positions.seek(1, None, 123_456)
    assert [p.index for p in positions.to_find(0)] == [0, 1]
    assert asked(positions) == {}
    positions.found(0, positions.at(0).term, 7)
    positions.found(1, positions.at(1).term, -1)
    assert positions.at(0).offset == 7
    assert positions.at(1).wanted == LATEST
    positions.seek(1, 3)
    positions.found(1, 0, 99)
    assert positions.at(1).offset == 3, "an answer to an older question changes nothing"


def test_each_partition_is_in_one_fetch_and_each_leader_is_asked_for_all_of_its_own() -> None:
    positions = started(4)
    assert asked(positions) == {0: [0, 2], 1: [1, 3]}
    positions.at(2).fetching = True
    assert asked(positions) == {0: [0], 1: [1, 3]}
    positions.at(1).paused = True
    positions.failed(3, positions.at(3).term, not_before_ms=50)
    assert asked(positions) == {0: [0]}
    assert positions.wake_at(0) == 50
    assert asked(positions, 50) == {0: [0], 1: [3]}


def test_a_leader_is_not_asked_while_one_of_its_partitions_has_enough() -> None:
    positions = started(3, partition_bytes=50)
    receive(positions, 0, batch(0, "x" * 100))
    assert asked(positions) == {1: [1]}, "I4: quiet partition 2 would hold up partition 0"
    values(positions)
    assert asked(positions) == {0: [2, 0], 1: [1]}


def test_nothing_is_fetched_while_the_buffer_is_full() -> None:
    positions = started(2, partition_bytes=1_000, prefetch_bytes=150)
    receive(positions, 0, batch(0, "x" * 100))
    assert asked(positions) == {}
    assert positions.ready(1_000)
    values(positions)
    assert asked(positions) == {0: [0], 1: [1]}


def test_paused_partitions_keep_what_they_have() -> None:
    positions = started(2)
    receive(positions, 0, batch(0, "a"))
    receive(positions, 1, batch(0, "b"))
    positions.at(0).paused = True
    assert values(positions) == "b"
    assert not positions.ready(1)
    assert values(positions) is None
    positions.at(0).paused = False
    assert values(positions) == "a"


def test_a_stop_ends_the_partition_in_the_middle_of_a_batch() -> None:
    positions = started(2)
    positions.at(0).stop = 2
    positions.at(1).stop = 0
    assert not positions.finished
    assert asked(positions) == {0: [0]}
    receive(positions, 0, batch(0, "a", "b", "c") + batch(3, "d"))
    assert asked(positions) == {}
    taken = positions.take(100)
    assert taken is not None
    assert [record.value for record in taken.records()] == [b"a", b"b"]
    assert taken.to_arrow().num_rows == 2
    assert positions.finished
    assert values(positions) is None


def test_a_stop_behind_a_marker_is_reached() -> None:
    positions = started()
    positions.at(0).stop = 2
    receive(positions, 0, transactional(0, 5, "a") + marker(1, 5))
    assert values(positions) == "a"
    assert positions.finished
    other = started()
    other.at(0).stop = 1
    receive(other, 0, marker(0, 5))
    assert other.finished


def test_records_of_aborted_transactions_are_left_out() -> None:
    positions = started()
    data = b"".join(
        (
            transactional(0, 5, "lost"),
            transactional(1, 6, "kept"),
            batch(2, "plain"),
            marker(3, 5),
            transactional(4, 5, "good"),
            marker(5, 6),
            marker(6, 5),
        )
    )
    receive(positions, 0, data, aborted=[(5, 0)])
    assert values(positions) == "kept plain good"
    assert positions.at(0).offset == 7


def test_a_gap_in_the_offsets_is_nothing_special() -> None:
    positions = started()
    receive(positions, 0, batch(10, "a") + batch(20, "b"))
    taken = positions.take(10)
    assert taken is not None
    assert [record.offset for record in taken.records()] == [10, 20]
    assert positions.at(0).offset == 21


def test_large_values_only_come_in_whole_batches() -> None:
    positions = started()
    data = build_values([b"v"] * 1_000, 0)
    receive(positions, 0, data)
    counts = []
    while (taken := positions.take(300)) is not None:
        counts.append(len(taken.rows()))
    assert counts == [300, 300, 300, 100]


def test_a_partition_that_is_not_assigned_is_named() -> None:
    with pytest.raises(ValueError, match=r"partition 9 of 't' is not assigned; assigned are \[0, 1\]"):
        started(2).seek(9, 0)
