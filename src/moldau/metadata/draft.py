"""The next picture of the cluster in the making: one draft for each run of committed records.

`apply` is called with what has been committed (every node) or proposed (the controller); `Draft.replay` is the only
place where metadata changes. A record that contradicts the picture is a broken log or a bug of ours, and raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from moldau.metadata.image import Broker, Delta, Endpoint, Image, PartitionState, Resource, ResourceType, Topic
from moldau.model import format_uuid
from moldau.protocol.messages.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
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

T = TypeVar("T")

_SAME_LEADER = -2


class BrokenMetadata(Exception):  # noqa: N818  (it names the log, not the error)
    """A record that cannot follow the ones before it."""


def apply(image: Image, records: Iterable[Top], offset: int) -> tuple[Image, Delta]:
    """The picture after these records, the last of which has this offset, and what has changed."""
    draft = Draft(image)
    for record in records:
        draft.replay(record)
    return draft.finish(offset)


class _Sketch:
    """A topic whose partitions are changing."""

    __slots__ = ("before", "name", "partitions", "topic_id")

    def __init__(self, name: str, topic_id: bytes, before: Topic | None) -> None:
        self.name = name
        self.topic_id = topic_id
        self.before = before
        self.partitions = list(before.partitions) if before is not None else []

    def finish(self) -> Topic:
        return Topic(self.name, self.topic_id, tuple(self.partitions))


class Draft:
    """A picture that may still change. Tables are copied when they are first written to."""

    def __init__(self, image: Image) -> None:
        self._before = image
        self._sketches: dict[bytes, _Sketch] = {}
        self._ids: dict[str, bytes] = {}
        """Names made in this draft."""
        self._deleted: dict[bytes, Topic] = {}
        self._brokers: dict[int, Broker | None] = {}
        self._configs: dict[Resource, dict[str, str]] = {}
        self._features: dict[str, int] = {}
        self._next_producer_id = image.next_producer_id

    def replay(self, record: Top) -> None:
        """Take one record."""
        replayer = _REPLAYERS.get(type(record))
        if replayer is None:
            raise BrokenMetadata(f"no meaning is known for a {type(record).__name__}")
        replayer(self, record)

    def finish(self, offset: int) -> tuple[Image, Delta]:
        """The new picture, and what is new in it."""
        before = self._before
        assert offset >= before.offset, (offset, before.offset)
        created = [sketch.finish() for sketch in self._sketches.values() if sketch.before is None]
        changed = [(sketch.before, sketch.finish()) for sketch in self._sketches.values() if sketch.before is not None]
        deleted = list(self._deleted.values())
        by_name, by_id = before.topics_by_name, before.topics_by_id
        if created or changed or deleted:
            names, ids = dict(by_name), dict(by_id)
            for topic in deleted:
                del names[topic.name], ids[topic.id]
            for topic in [*created, *(after for _, after in changed)]:
                names[topic.name] = ids[topic.id] = topic
            by_name, by_id = names, ids
        brokers = before.brokers
        if self._brokers:
            merged = {**brokers, **self._brokers}
            brokers = {number: broker for number, broker in merged.items() if broker is not None}
        configs = before.configs
        if self._configs:
            configs = {name: values for name, values in {**configs, **self._configs}.items() if values}
        features = before.features
        if self._features:
            features = {name: level for name, level in {**features, **self._features}.items() if level > 0}
        after = Image(before.cluster_id, offset, by_name, by_id, brokers, configs, features, self._next_producer_id)
        return after, Delta(
            before,
            after,
            tuple(created),
            tuple(deleted),
            tuple(changed),
            tuple(self._brokers),
            tuple(self._configs),
            tuple(self._features),
        )

    # --------------------------------------------------------------------------------------------- topics

    def _topic(self, record: TopicRecord) -> None:
        existing = self._before.topics_by_name.get(record.name)
        if record.name in self._ids or (existing is not None and existing.id not in self._deleted):
            raise BrokenMetadata(f"topic {record.name} is made twice")
        self._ids[record.name] = record.topic_id
        self._sketches[record.topic_id] = _Sketch(record.name, record.topic_id, None)

    def _remove_topic(self, record: RemoveTopicRecord) -> None:
        sketch = self._sketch(record.topic_id)
        del self._sketches[record.topic_id]
        if sketch.before is not None:
            self._deleted[record.topic_id] = sketch.before
        else:
            del self._ids[sketch.name]
        resource = Resource(ResourceType.TOPIC, sketch.name)
        if self._config(resource):
            self._configs[resource] = {}

    def _partition(self, record: PartitionRecord) -> None:
        partitions = self._sketch(record.topic_id).partitions
        if record.partition_id != len(partitions):
            raise BrokenMetadata(f"partition {record.partition_id} is made where {len(partitions)} is next")
        partitions.append(
            PartitionState(
                replicas=tuple(record.replicas),
                isr=tuple(record.isr),
                leader=record.leader,
                leader_epoch=record.leader_epoch,
                partition_epoch=record.partition_epoch,
                directories=tuple(record.directories),
                adding=tuple(record.adding_replicas),
                removing=tuple(record.removing_replicas),
                elr=tuple(record.eligible_leader_replicas or ()),
                last_known_elr=tuple(record.last_known_elr or ()),
                recovering=record.leader_recovery_state == 1,
            )
        )

    def _partition_change(self, record: PartitionChangeRecord) -> None:
        partitions = self._sketch(record.topic_id).partitions
        if not 0 <= record.partition_id < len(partitions):
            raise BrokenMetadata(f"partition {record.partition_id} changes where there are {len(partitions)}")
        old = partitions[record.partition_id]
        elects = record.leader != _SAME_LEADER
        partitions[record.partition_id] = PartitionState(
            replicas=_either(record.replicas, old.replicas),
            isr=_either(record.isr, old.isr),
            leader=record.leader if elects else old.leader,
            leader_epoch=old.leader_epoch + elects,
            partition_epoch=old.partition_epoch + 1,
            directories=_either(record.directories, old.directories),
            adding=_either(record.adding_replicas, old.adding),
            removing=_either(record.removing_replicas, old.removing),
            elr=_either(record.eligible_leader_replicas, old.elr),
            last_known_elr=_either(record.last_known_elr, old.last_known_elr),
            recovering=old.recovering if record.leader_recovery_state < 0 else record.leader_recovery_state == 1,
        )

    def _sketch(self, topic_id: bytes) -> _Sketch:
        sketch = self._sketches.get(topic_id)
        if sketch is None:
            topic = self._before.topics_by_id.get(topic_id)
            if topic is None or topic_id in self._deleted:
                raise BrokenMetadata(f"there is no topic {format_uuid(topic_id)}")
            sketch = self._sketches[topic_id] = _Sketch(topic.name, topic_id, topic)
        return sketch

    # -------------------------------------------------------------------------------------------- brokers

    def _register_broker(self, record: RegisterBrokerRecord) -> None:
        self._brokers[record.broker_id] = Broker(
            id=record.broker_id,
            epoch=record.broker_epoch,
            incarnation_id=record.incarnation_id,
            endpoints=tuple(
                Endpoint(point.name, point.host, point.port, point.security_protocol) for point in record.end_points
            ),
            features={
                feature.name: (feature.min_supported_version, feature.max_supported_version)
                for feature in record.features
            },
            rack=record.rack,
            fenced=record.fenced,
            in_controlled_shutdown=record.in_controlled_shutdown,
            log_dirs=tuple(record.log_dirs),
            cordoned_log_dirs=tuple(record.cordoned_log_dirs or ()),
        )

    def _unregister_broker(self, record: UnregisterBrokerRecord) -> None:
        self._broker(record.broker_id, record.broker_epoch)
        self._brokers[record.broker_id] = None

    def _change_broker(self, record: BrokerRegistrationChangeRecord) -> None:
        broker = self._broker(record.broker_id, record.broker_epoch)
        self._brokers[broker.id] = replace(
            broker,
            fenced={1: True, -1: False}.get(record.fenced, broker.fenced),
            in_controlled_shutdown=broker.in_controlled_shutdown or record.in_controlled_shutdown == 1,
            log_dirs=tuple(record.log_dirs) or broker.log_dirs,
            cordoned_log_dirs=_either(record.cordoned_log_dirs, broker.cordoned_log_dirs),
        )

    def _fence_broker(self, record: FenceBrokerRecord) -> None:
        self._brokers[record.id] = replace(self._broker(record.id, record.epoch), fenced=True)

    def _unfence_broker(self, record: UnfenceBrokerRecord) -> None:
        self._brokers[record.id] = replace(self._broker(record.id, record.epoch), fenced=False)

    def _broker(self, number: int, epoch: int) -> Broker:
        broker = self._brokers[number] if number in self._brokers else self._before.brokers.get(number)
        if broker is None or broker.epoch != epoch:
            raise BrokenMetadata(f"there is no broker {number} of epoch {epoch}")
        return broker

    # ------------------------------------------------------------------------------------- everything else

    def _config_record(self, record: ConfigRecord) -> None:
        resource = Resource(record.resource_type, record.resource_name)
        values = dict(self._config(resource))
        if record.value is None:
            values.pop(record.name, None)
        else:
            values[record.name] = record.value
        self._configs[resource] = values

    def _config(self, resource: Resource) -> Mapping[str, str]:
        drafted = self._configs.get(resource)
        return self._before.configs.get(resource, {}) if drafted is None else drafted

    def _feature_level(self, record: FeatureLevelRecord) -> None:
        self._features[record.name] = record.feature_level

    def _producer_ids(self, record: ProducerIdsRecord) -> None:
        if record.next_producer_id <= self._next_producer_id:
            raise BrokenMetadata(f"producer ids go back from {self._next_producer_id} to {record.next_producer_id}")
        self._next_producer_id = record.next_producer_id

    def _nothing(self, record: NoOpRecord) -> None:
        """It only moves the log on."""


def _either(changed: list[T] | None, old: tuple[T, ...]) -> tuple[T, ...]:
    return old if changed is None else tuple(changed)


_REPLAYERS: Mapping[type[Top], Callable[[Draft, Any], None]] = {
    TopicRecord: Draft._topic,
    RemoveTopicRecord: Draft._remove_topic,
    PartitionRecord: Draft._partition,
    PartitionChangeRecord: Draft._partition_change,
    RegisterBrokerRecord: Draft._register_broker,
    UnregisterBrokerRecord: Draft._unregister_broker,
    BrokerRegistrationChangeRecord: Draft._change_broker,
    FenceBrokerRecord: Draft._fence_broker,
    UnfenceBrokerRecord: Draft._unfence_broker,
    ConfigRecord: Draft._config_record,
    FeatureLevelRecord: Draft._feature_level,
    ProducerIdsRecord: Draft._producer_ids,
    NoOpRecord: Draft._nothing,
}
