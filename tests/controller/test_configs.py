"""IncrementalAlterConfigs and AlterConfigs: what changes, what is refused, and how it is told."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.controller import Outcome, alter_configs, create_topics, incremental_alter_configs
from moldau.controller.incremental_alter_configs import Operation
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages import alter_configs as replacing
from moldau.protocol.messages import incremental_alter_configs as changing
from moldau.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from tests.controller.cluster import DEFAULTS, KnownConfigs, after, cluster, ids

SET, DELETE, APPEND, SUBTRACT = Operation
TOPIC, BROKER = 2, 4
Change = tuple[str, int, str | None]


@pytest.fixture
def image() -> Image:
    """Topics a, with a retention, and b, with nothing set, on broker 1."""
    before = cluster(1)
    wanted = [
        CreatableTopic(name="a", num_partitions=1, configs=[CreatableTopicConfig(name="retention.ms", value="5")]),
        CreatableTopic(name="b", num_partitions=1),
    ]
    for topic in wanted:
        topic.replication_factor = 1
    request = CreateTopicsRequest(topics=wanted)
    outcome = create_topics(request, before, new_id=ids(), configs=KnownConfigs(), defaults=DEFAULTS)
    return after(before, outcome.records)


def of(name: str, *changes: Change, kind: int = TOPIC) -> changing.AlterConfigsResource:
    return changing.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[changing.AlterableConfig(name=one, config_operation=what, value=to) for one, what, to in changes],
    )


def change(image: Image, *resources: changing.AlterConfigsResource, validate_only: bool = False) -> Outcome[Any]:
    request = changing.IncrementalAlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    return incremental_alter_configs(request, image, configs=KnownConfigs())


def all_of(name: str, *, kind: int = TOPIC, **values: str | None) -> replacing.AlterConfigsResource:
    return replacing.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[replacing.AlterableConfig(name=one.replace("_", "."), value=value) for one, value in values.items()],
    )


def replace(image: Image, *resources: replacing.AlterConfigsResource, validate_only: bool = False) -> Outcome[Any]:
    request = replacing.AlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    return alter_configs(request, image, configs=KnownConfigs())


def told(outcome: Outcome[Any]) -> list[tuple[str, int]]:
    return [(one.resource_name, one.error_code) for one in outcome.response.responses]


class TestIncremental:
    def test_set_changes_one_and_leaves_the_others(self, image: Image) -> None:
        outcome = change(image, of("a", ("cleanup.policy", SET, "compact")))
        assert told(outcome) == [("a", 0)]
        assert outcome.response.responses[0].error_message is None
        changed = after(image, outcome.records)
        assert changed.topic_configs("a") == {"retention.ms": "5", "cleanup.policy": "compact"}
        assert changed.topic_configs("b") == {}

    def test_delete_unsets_and_a_second_time_changes_nothing(self, image: Image) -> None:
        outcome = change(image, of("a", ("retention.ms", DELETE, None)))
        image = after(image, outcome.records)
        assert image.topic_configs("a") == {}
        again = change(image, of("a", ("retention.ms", DELETE, None)))
        assert (told(again), again.records) == ([("a", 0)], ())

    def test_the_same_value_again_writes_no_record(self, image: Image) -> None:
        outcome = change(image, of("a", ("retention.ms", SET, "5")))
        assert (told(outcome), outcome.records) == ([("a", 0)], ())

    def test_items_come_and_go_beginning_with_the_default(self, image: Image) -> None:
        for operation, items, expected in (
            (APPEND, "compact", "delete,compact"),
            (APPEND, " compact , ,delete", "delete,compact"),
            (SUBTRACT, "delete,unheard-of", "compact"),
            (SUBTRACT, "compact", ""),
            (APPEND, "delete", "delete"),
        ):
            outcome = change(image, of("b", ("cleanup.policy", operation, items)))
            image = after(image, outcome.records)
            assert image.topic_configs("b") == {"cleanup.policy": expected}

    def test_resources_stand_by_themselves(self, image: Image) -> None:
        outcome = change(
            image,
            of("a", ("retention.ms", SET, "7")),
            of("nowhere", ("retention.ms", SET, "7")),
            of("b", ("cleanup.policy", SET, "compact"), ("retention.ms", SET, "soon")),
        )
        assert told(outcome) == [
            ("a", 0),
            ("nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("b", ErrorCode.INVALID_CONFIG),
        ]
        changed = after(image, outcome.records)
        assert changed.topic_configs("a") == {"retention.ms": "7"}
        assert changed.topic_configs("b") == {}

    def test_only_validated(self, image: Image) -> None:
        outcome = change(image, of("a", ("retention.ms", SET, "7")), of("b", ("no.such", SET, "1")), validate_only=True)
        assert told(outcome) == [("a", 0), ("b", ErrorCode.INVALID_CONFIG)]
        assert outcome.records == ()

    def test_a_resource_twice_is_refused_each_time(self, image: Image) -> None:
        outcome = change(
            image,
            of("a", ("retention.ms", SET, "7")),
            of("b", ("retention.ms", SET, "7")),
            of("a", ("retention.ms", DELETE, None)),
        )
        assert told(outcome) == [("a", ErrorCode.INVALID_REQUEST), ("b", 0), ("a", ErrorCode.INVALID_REQUEST)]
        assert after(image, outcome.records).topic_configs("a") == {"retention.ms": "5"}

    @pytest.mark.parametrize(
        ("resource", "code", "says"),
        [
            (of("a", ("no.such", SET, "1")), ErrorCode.INVALID_CONFIG, "no.such"),
            (of("a", ("retention.ms", SET, "x")), ErrorCode.INVALID_CONFIG, "retention.ms"),
            (of("a", ("retention.ms", SET, None)), ErrorCode.INVALID_REQUEST, "delete it"),
            (of("a", ("cleanup.policy", APPEND, None)), ErrorCode.INVALID_REQUEST, "has no value"),
            (of("a", ("retention.ms", APPEND, "6")), ErrorCode.INVALID_CONFIG, "not a list"),
            (of("a", ("retention.ms", SUBTRACT, "5")), ErrorCode.INVALID_CONFIG, "not a list"),
            (of("a", ("retention.ms", 9, "5")), ErrorCode.INVALID_REQUEST, "3 (SUBTRACT)"),
            (of("a", ("retention.ms", SET, "1"), ("retention.ms", SET, "2")), ErrorCode.INVALID_REQUEST, "twice"),
            (of("a", ("cleanup.policy", SET, "x" * 32_768)), ErrorCode.INVALID_CONFIG, "32767"),
            (of("1", ("num.partitions", SET, "2"), kind=BROKER), ErrorCode.INVALID_REQUEST, "restart the broker"),
            (of("", ("num.partitions", SET, "2"), kind=BROKER), ErrorCode.INVALID_REQUEST, "restart the broker"),
            (of("9", ("num.partitions", SET, "2"), kind=BROKER), ErrorCode.BROKER_ID_NOT_REGISTERED, "no broker 9"),
            (of("9" * 5_000, kind=BROKER), ErrorCode.BROKER_ID_NOT_REGISTERED, "no broker"),
            (of("one", kind=BROKER), ErrorCode.INVALID_REQUEST, "number"),
            (of("a", kind=8), ErrorCode.INVALID_REQUEST, "4 (broker)"),
        ],
    )
    def test_refused(self, image: Image, resource: changing.AlterConfigsResource, code: ErrorCode, says: str) -> None:
        outcome = change(image, resource)
        (answer,) = outcome.response.responses
        assert (answer.error_code, answer.resource_type, outcome.records) == (code, resource.resource_type, ())
        assert says in answer.error_message

    def test_too_many_refuse_the_request(self, image: Image) -> None:
        with pytest.raises(ApiError) as refused:
            change(image, of("a", *((f"c{number}", SET, "1") for number in range(10_000))))
        assert refused.value.code is ErrorCode.POLICY_VIOLATION


class TestReplacing:
    def test_what_is_not_named_is_unset(self, image: Image) -> None:
        outcome = replace(image, all_of("a", cleanup_policy="compact"), all_of("b", retention_ms="9"))
        assert told(outcome) == [("a", 0), ("b", 0)]
        image = after(image, outcome.records)
        assert image.topic_configs("a") == {"cleanup.policy": "compact"}
        assert image.topic_configs("b") == {"retention.ms": "9"}
        image = after(image, replace(image, all_of("a")).records)
        assert image.topic_configs("a") == {}

    def test_what_stays_the_same_is_not_written_again(self, image: Image) -> None:
        outcome = replace(image, all_of("a", retention_ms="5", cleanup_policy="compact"))
        assert [(record.name, record.value) for record in outcome.records] == [("cleanup.policy", "compact")]  # type: ignore[attr-defined]

    def test_only_validated(self, image: Image) -> None:
        outcome = replace(image, all_of("a"), all_of("b", retention_ms="soon"), validate_only=True)
        assert (told(outcome), outcome.records) == ([("a", 0), ("b", ErrorCode.INVALID_CONFIG)], ())

    def test_a_broker_of_which_nothing_is_to_be_set_is_as_it_was(self, image: Image) -> None:
        outcome = replace(image, all_of("1", kind=BROKER))
        assert (told(outcome), outcome.records) == ([("1", 0)], ())

    @pytest.mark.parametrize(
        ("resource", "code", "says"),
        [
            (all_of("a", no_such="1"), ErrorCode.INVALID_CONFIG, "no.such"),
            (all_of("a", retention_ms=None), ErrorCode.INVALID_REQUEST, "leave it out"),
            (all_of("nowhere", retention_ms="1"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "nowhere"),
            (all_of("1", num_partitions="2", kind=BROKER), ErrorCode.INVALID_REQUEST, "restart the broker"),
        ],
    )
    def test_refused(self, image: Image, resource: replacing.AlterConfigsResource, code: ErrorCode, says: str) -> None:
        outcome = replace(image, resource)
        (answer,) = outcome.response.responses
        assert (answer.error_code, outcome.records) == (code, ())
        assert says in answer.error_message

    def test_a_resource_twice_is_refused_each_time(self, image: Image) -> None:
        outcome = replace(image, all_of("a"), all_of("a", retention_ms="1"))
        assert told(outcome) == [("a", ErrorCode.INVALID_REQUEST)] * 2
        assert outcome.records == ()
