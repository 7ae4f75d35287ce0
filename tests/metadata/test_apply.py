"""Records make the picture, the delta tells what is new in it, and nothing old is touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moldau.metadata import NO_LEADER, BrokenMetadata, Image, PartitionState, Resource, ResourceType, apply
from moldau.protocol.messages.metadata_records import (
    BrokerEndpoint,
    BrokerFeature,
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    EndTransactionRecord,
    FeatureLevelRecord,
    FenceBrokerRecord,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from moldau.protocol.tables import Top

EMPTY = Image("a-cluster")


def topic_id(number: int) -> bytes:
    return number.to_bytes(16, "big")


def topic(number: int, partitions: int = 1) -> list[Top]:
    records: list[Top] = [TopicRecord(name=f"t{number}", topic_id=topic_id(number))]
    records += [
        PartitionRecord(
            partition_id=index,
            topic_id=topic_id(number),
            replicas=[1, 2],
            isr=[1, 2],
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
        )
        for index in range(partitions)
    ]
    return records


def broker(number: int, epoch: int) -> RegisterBrokerRecord:
    return RegisterBrokerRecord(
        broker_id=number,
        incarnation_id=topic_id(900 + epoch),
        broker_epoch=epoch,
        end_points=[BrokerEndpoint(name="PLAIN", host="localhost", port=9092)],
        features=[BrokerFeature(name="metadata.version", min_supported_version=7, max_supported_version=30)],
        rack=None,
        log_dirs=[topic_id(500)],
    )


def made(*records: Top, image: Image = EMPTY) -> Image:
    return apply(image, records, image.offset + len(records))[0]


class TestTopics:
    def test_made(self) -> None:
        image, delta = apply(EMPTY, topic(1, 2), 2)
        found = image.topics_by_name["t1"]
        assert found is image.topics_by_id[topic_id(1)]
        assert found.partitions[1] == PartitionState((1, 2), (1, 2), 1, 0, 0)
        assert delta.topics_created == (found,)
        assert (delta.before, delta.after, image.offset) == (EMPTY, image, 2)
        assert EMPTY.topics_by_name == {}

    def test_a_change_tells_only_what_changed(self) -> None:
        before = made(*topic(1), *topic(2))
        change = PartitionChangeRecord(partition_id=0, topic_id=topic_id(1), leader=2, isr=[2])
        after, delta = apply(before, [change], 5)
        assert after.topics_by_name["t1"].partitions == (PartitionState((1, 2), (2,), 2, 1, 1),)
        assert after.topics_by_name["t2"] is before.topics_by_name["t2"]
        assert after.brokers is before.brokers
        assert after.configs is before.configs
        assert delta.topics_changed == ((before.topics_by_name["t1"], after.topics_by_name["t1"]),)
        assert delta.topics_created == delta.topics_deleted == ()

    def test_a_change_without_a_leader_keeps_the_leader_epoch(self) -> None:
        before = made(*topic(1))
        after = made(PartitionChangeRecord(partition_id=0, topic_id=topic_id(1), isr=[1]), image=before)
        assert after.topics_by_name["t1"].partitions == (PartitionState((1, 2), (1,), 1, 0, 1),)
        lost = made(PartitionChangeRecord(partition_id=0, topic_id=topic_id(1), leader=NO_LEADER), image=after)
        assert lost.topics_by_name["t1"].partitions == (PartitionState((1, 2), (1,), -1, 1, 2),)

    def test_deleted_with_its_configs(self) -> None:
        config = ConfigRecord(resource_type=2, resource_name="t1", name="retention.ms", value="1")
        before = made(*topic(1), *topic(2), config)
        after, delta = apply(before, [RemoveTopicRecord(topic_id=topic_id(1))], 9)
        assert list(after.topics_by_name) == ["t2"]
        assert after.configs == {}
        assert delta.topics_deleted == (before.topics_by_name["t1"],)
        assert delta.configs_changed == (Resource(ResourceType.TOPIC, "t1"),)

    def test_deleted_and_made_again_at_once(self) -> None:
        before = made(*topic(1))
        again: list[Top] = [TopicRecord(name="t1", topic_id=topic_id(7))]
        after, delta = apply(before, [RemoveTopicRecord(topic_id=topic_id(1)), *again], 9)
        assert after.topics_by_name["t1"].id == topic_id(7)
        assert list(after.topics_by_id) == [topic_id(7)]
        assert [one.id for one in delta.topics_deleted] == [topic_id(1)]
        assert [one.id for one in delta.topics_created] == [topic_id(7)]

    def test_made_and_deleted_at_once_leaves_no_trace(self) -> None:
        after, delta = apply(EMPTY, [*topic(1), RemoveTopicRecord(topic_id=topic_id(1)), *topic(2)], 9)
        assert list(after.topics_by_name) == ["t2"]
        assert [one.name for one in delta.topics_created] == ["t2"]
        assert delta.topics_deleted == ()


class TestBrokers:
    def test_registered_changed_and_gone(self) -> None:
        image = made(broker(1, 10))
        assert image.brokers[1].fenced
        assert image.brokers[1].features == {"metadata.version": (7, 30)}
        assert image.brokers[1].endpoints[0].port == 9092
        assert image.active_brokers() == []
        image, delta = apply(
            image, [BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=10, fenced=-1)], image.offset + 1
        )
        assert [one.id for one in image.active_brokers()] == [1]
        assert delta.brokers_changed == (1,)
        image = made(
            BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=10, in_controlled_shutdown=1), image=image
        )
        assert not image.brokers[1].active
        assert not image.brokers[1].fenced
        image = made(FenceBrokerRecord(id=1, epoch=10), image=image)
        assert image.brokers[1].fenced
        image = made(UnfenceBrokerRecord(id=1, epoch=10), image=image)
        assert not image.brokers[1].fenced
        assert made(UnregisterBrokerRecord(broker_id=1, broker_epoch=10), image=image).brokers == {}

    def test_another_epoch_is_another_broker(self) -> None:
        image = made(broker(1, 10))
        with pytest.raises(BrokenMetadata, match="no broker 1 of epoch 9"):
            made(FenceBrokerRecord(id=1, epoch=9), image=image)


class TestTheRest:
    def test_configs(self) -> None:
        image = made(
            ConfigRecord(resource_type=2, resource_name="t", name="a", value="1"),
            ConfigRecord(resource_type=2, resource_name="t", name="b", value="2"),
            ConfigRecord(resource_type=4, resource_name="", name="c", value="3"),
        )
        assert image.topic_configs("t") == {"a": "1", "b": "2"}
        assert image.broker_configs(None) == {"c": "3"}
        assert image.broker_configs(1) == {}
        image = made(ConfigRecord(resource_type=2, resource_name="t", name="a", value=None), image=image)
        assert image.topic_configs("t") == {"b": "2"}
        image = made(ConfigRecord(resource_type=2, resource_name="t", name="b", value=None), image=image)
        assert Resource(2, "t") not in image.configs

    def test_features_and_producer_ids(self) -> None:
        image, delta = apply(
            EMPTY,
            [
                FeatureLevelRecord(name="metadata.version", feature_level=30),
                FeatureLevelRecord(name="group.version", feature_level=1),
                ProducerIdsRecord(broker_id=1, broker_epoch=1, next_producer_id=1000),
                NoOpRecord(),
            ],
            3,
        )
        assert image.features == {"metadata.version": 30, "group.version": 1}
        assert delta.features_changed == ("metadata.version", "group.version")
        assert image.next_producer_id == 1000
        image = made(FeatureLevelRecord(name="group.version", feature_level=0), image=image)
        assert image.features == {"metadata.version": 30}
        with pytest.raises(BrokenMetadata, match="go back"):
            made(ProducerIdsRecord(next_producer_id=1000), image=image)

    @pytest.mark.parametrize(
        "records",
        [
            [*topic(1), *topic(1)],
            [RemoveTopicRecord(topic_id=topic_id(1))],
            [TopicRecord(name="t", topic_id=topic_id(1)), PartitionRecord(partition_id=1, topic_id=topic_id(1))],
            [*topic(1), PartitionChangeRecord(partition_id=1, topic_id=topic_id(1))],
            [EndTransactionRecord()],
        ],
    )
    def test_what_cannot_follow_is_refused(self, records: list[Top]) -> None:
        with pytest.raises(BrokenMetadata):
            made(*records)


@st.composite
def histories(draw: st.DrawFn) -> list[Top]:
    """Records that follow from each other."""
    records: list[Top] = []
    alive: list[int] = []
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.integers(0, 3))
        if kind == 0 or not alive:
            records += topic(number, draw(st.integers(1, 3)))
            alive.append(number)
        elif kind == 1:
            gone = alive.pop(draw(st.integers(0, len(alive) - 1)))
            records.append(RemoveTopicRecord(topic_id=topic_id(gone)))
        elif kind == 2:
            chosen = draw(st.sampled_from(alive))
            records.append(PartitionChangeRecord(partition_id=0, topic_id=topic_id(chosen), leader=2))
        else:
            name = f"t{draw(st.sampled_from(alive))}"
            value = draw(st.sampled_from(["1", "2", None]))
            records.append(ConfigRecord(resource_type=2, resource_name=name, name="retention.ms", value=value))
    return records


@settings(max_examples=80, deadline=None)
@given(histories())
def test_it_does_not_matter_how_records_are_grouped(records: list[Top]) -> None:
    at_once, _ = apply(EMPTY, records, len(records) - 1)
    image = EMPTY
    for offset, record in enumerate(records):
        image, _ = apply(image, [record], offset)
    assert image == at_once
