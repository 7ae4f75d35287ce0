"""How the offsets of a read are shared out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pyspark_moldau.ranges import ROWS_PER_TASK, Offsets, Range, between, from_json, limited, tasks, to_json

PAIRS = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 5))
SPANS = st.dictionaries(PAIRS, st.tuples(st.integers(0, 50), st.integers(0, 60_000)), max_size=8)


def offsets(spans: dict[tuple[str, int], tuple[int, int]]) -> tuple[Offsets, Offsets]:
    return {pair: first for pair, (first, _) in spans.items()}, {pair: sum(span) for pair, span in spans.items()}


def test_offsets_survive_the_checkpoint() -> None:
    told = {("b", 1): 7, ("a", 10): 3, ("a", 9): 4}
    assert to_json(told) == {"a": {"9": 4, "10": 3}, "b": {"1": 7}}
    assert from_json(to_json(told)) == told


def test_a_new_partition_is_read_from_its_first_record() -> None:
    assert between({("a", 0): 5}, {("a", 0): 5, ("a", 1): 3}) == [Range("a", 1, 0, 3)]


def test_a_limit_is_shared_in_proportion_and_used_up() -> None:
    latest = {("a", 0): 100, ("a", 1): 300, ("a", 2): 0}
    assert limited({}, latest, 10) == {("a", 0): 3, ("a", 1): 7, ("a", 2): 0}
    assert limited({}, latest, 1) == {("a", 0): 0, ("a", 1): 1, ("a", 2): 0}
    assert limited({}, latest, 400) == latest


def test_small_partitions_share_a_task_and_large_ones_do_not() -> None:
    small = [Range("a", partition, 0, 100) for partition in range(8)]
    assert tasks(small, 1) == [small]
    large = [Range("a", partition, 0, ROWS_PER_TASK) for partition in range(3)]
    assert tasks(large, 1) == [[piece] for piece in large]


def test_more_tasks_than_partitions_cut_the_ranges() -> None:
    assert tasks([Range("a", 0, 10, 20)], 3) == [
        [Range("a", 0, 10, 13)],
        [Range("a", 0, 13, 16)],
        [Range("a", 0, 16, 20)],
    ]
    assert tasks([Range("a", 0, 0, 2)], 5) == [[Range("a", 0, 0, 1)], [Range("a", 0, 1, 2)]]
    assert tasks([], 5) == []


@given(SPANS, st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_the_tasks_are_exactly_the_ranges(spans: dict[tuple[str, int], tuple[int, int]], min_partitions: int) -> None:
    start, end = offsets(spans)
    ranges = between(start, end)
    shared = tasks(ranges, min_partitions)
    assert shared == tasks(list(ranges), min_partitions)  # I1
    joined: dict[tuple[str, int], list[Range]] = {}
    for piece in sorted(piece for task in shared for piece in task):  # I2
        assert piece.size > 0
        joined.setdefault((piece.topic, piece.partition), []).append(piece)
    for whole in ranges:
        pieces = joined.pop((whole.topic, whole.partition))
        assert pieces[0].start == whole.start
        assert pieces[-1].end == whole.end
        assert all(before.end == after.start for before, after in pairwise(pieces))
    assert not joined
    assert len(shared) >= min(min_partitions, sum(piece.size for piece in ranges))
    if min_partitions <= len(ranges):
        assert all(piece in ranges for task in shared for piece in task)  # I3


@given(SPANS, st.integers(1, 100_000))
@settings(max_examples=150, deadline=None)
def test_a_limit_never_takes_more_nor_goes_back(spans: dict[tuple[str, int], tuple[int, int]], most: int) -> None:
    start, latest = offsets(spans)
    end = limited(start, latest, most)
    taken = [end[pair] - start[pair] for pair in spans]
    assert all(0 <= size <= latest[pair] - start[pair] for size, pair in zip(taken, spans, strict=True))
    assert sum(taken) == min(most, sum(latest.values()) - sum(start.values()))
