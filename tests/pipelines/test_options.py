"""What `format("moldau")` may be told, and what it says when it is told something else."""

from __future__ import annotations

import pytest

from pyspark_moldau.options import OptionError, Options, for_reading, parse

GIVEN = {"bootstrap": "here:9092", "subscribe": "orders"}


def test_sparks_own_names_are_understood_in_any_case() -> None:
    options = parse(
        {
            "kafka.bootstrap.servers": "here:9092",
            "SUBSCRIBE": "b, a,a",
            "startingoffsets": "Earliest",
            "maxOffsetsPerTrigger": "500",
            "minPartitions": "3",
            "includeHeaders": "TRUE",
            "failondataloss": "false",
        }
    )
    assert options == Options(
        bootstrap="here:9092",
        topics=("a", "b"),
        assigned=(),
        starting="earliest",
        ending=None,
        max_offsets=500,
        min_partitions=3,
        include_headers=True,
        fail_on_data_loss=False,
        topic=None,
        compression="none",
    )


def test_offsets_and_partitions_as_json() -> None:
    options = parse(
        {
            "bootstrap": "here:1",
            "assign": '{"orders": [2, 0], "returns": [1]}',
            "startingOffsets": '{"orders": {"0": 5, "2": -2}, "returns": {"1": -1}}',
        }
    )
    assert options.assigned == (("orders", 0), ("orders", 2), ("returns", 1))
    assert options.starting == {"orders": {0: 5, 2: -2}, "returns": {1: -1}}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"startingOfsets": "earliest"}, "did you mean 'startingOffsets'"),
        ({"zzz": "1"}, "there are bootstrap, subscribe"),
        ({"bootstrap": ""}, "'bootstrap' is missing"),
        ({"assign": '{"orders": [0]}'}, "not both"),
        ({"startingOffsets": "soon"}, "neither earliest nor latest nor JSON"),
        ({"startingOffsets": '{"orders": {"0": -3}}'}, "neither earliest nor latest nor JSON"),
        ({"startingOffsets": '{"orders": {"0": true}}'}, "neither earliest nor latest nor JSON"),
        ({"startingOffsets": '{"orders": [1]}'}, "neither earliest nor latest nor JSON"),
        ({"maxOffsetsPerTrigger": "0"}, "above 0"),
        ({"minPartitions": "many"}, "above 0"),
        ({"includeHeaders": "yes"}, "true or false"),
        ({"compression": "rar"}, "none, gzip, snappy, lz4, zstd"),
    ],
)
def test_mistakes_are_told_with_what_would_do(given: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        parse(GIVEN | given)


@pytest.mark.parametrize("given", ['["orders"]', '{"orders": 0}', '{"orders": [-1]}', '{"orders": ["0"]}', "orders"])
def test_an_assignment_that_is_none(given: str) -> None:
    with pytest.raises(OptionError, match=r"option 'assign' is not JSON like"):
        parse({"bootstrap": "here:1", "assign": given})


@pytest.mark.parametrize(
    ("stream", "given", "said"),
    [
        (True, {"endingOffsets": "latest"}, "a stream has no end"),
        (False, {"startingOffsets": "latest"}, "a batch would be empty"),
        (False, {"endingOffsets": "earliest"}, "the read would be empty"),
        (False, {"endingOffsets": '{"orders": {"0": -2}}'}, "-2 .earliest. for topic 'orders'"),
        (False, {"subscribe": " "}, "nothing to read"),
    ],
)
def test_what_makes_no_sense_for_a_read(stream: bool, given: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        for_reading(parse(GIVEN | given), stream=stream)
