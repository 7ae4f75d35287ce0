"""Does on this broker what a new picture of the cluster asks for: opens, configures, leads and deletes partitions.

The first subscriber of the quorum driver, so that clients are shown a topic only once its partitions can take
requests. Opening and deleting wait for the disk and go through offload, many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moldau.broker.hosting import HostedTopic, Hosting
from moldau.broker.journal import Journal
from moldau.broker.settings import FSYNC, BrokerSettings
from moldau.broker.topic_settings import TopicSettings, topic_settings
from moldau.environment.doors import Chance, Clock, Offload
from moldau.metadata import Delta, Image, PartitionState, ResourceType, Topic
from moldau.model import TopicPartition
from moldau.replication import Durability, Partition, PartitionSettings
from moldau.storage import Committer, Log, LogDirectory, LogSettings


class PartitionDriver:
    """The one that changes `Hosting`."""

    def __init__(
        self,
        settings: BrokerSettings,
        directory: LogDirectory,
        hosting: Hosting,
        committer: Committer,
        clock: Clock,
        chance: Chance,
        offload: Offload,
        journal: Journal,
    ) -> None:
        self._settings = settings
        self._directory = directory
        self._hosting = hosting
        self._committer = committer
        self._clock = clock
        self._chance = chance
        self._offload = offload
        self._journal = journal

    def take_in(self, image: Image, delta: Delta, done: Callable[[], None]) -> None:
        """Delete, configure, open, lead, in this order; `done` once all of it is in effect."""

        def deleted() -> None:
            work = _Work(done)
            for kind, name in delta.configs_changed:  # first: what is opened below takes the new settings
                if kind == ResourceType.TOPIC and name in self._hosting.by_name:
                    self._configure(self._hosting.by_name[name], self._topic_settings(image, name))
            for topic in delta.topics_created:
                hosted = HostedTopic(topic.name, topic.id, self._topic_settings(image, topic.name))
                self._host(topic, hosted, work)
                self._hosting.add(hosted)
            for _, topic in delta.topics_changed:
                self._host(topic, self._hosting.by_id[topic.id], work)
            work.finish()

        names = [name for topic in delta.topics_deleted for name in self._let_go(topic)]
        if not names:
            deleted()
        elif self._committer.idle:
            self._set_aside(names, deleted)
        else:
            self._committer.when_idle(lambda: self._set_aside(names, deleted))

    def _topic_settings(self, image: Image, name: str) -> TopicSettings:
        return topic_settings(self._settings.given, image.topic_configs(name))

    def _host(self, topic: Topic, hosted: HostedTopic, work: _Work) -> None:
        for index, state in enumerate(topic.partitions):
            if self._settings.node_id not in state.replicas:
                continue
            partition = hosted.partitions.get(index)
            if partition is not None:
                self._lead(partition, state)
            else:
                self._open(hosted, index, state, work)

    def _open(self, hosted: HostedTopic, index: int, state: PartitionState, work: _Work) -> None:
        name = TopicPartition(hosted.name, index)
        settings = log_settings(hosted.settings)
        work.begin()

        def opened(log: Log | None, error: BaseException | None) -> None:
            if log is None:
                self._journal.tell("partition failed", f"{name} cannot be served: {error}")
            else:
                partition = Partition(
                    name,
                    hosted.id,
                    self._settings.node_id,
                    log,
                    self._committer,
                    self._clock,
                    self._partition_settings(hosted.settings),
                )
                hosted.partitions[index] = partition
                self._lead(partition, state)
                if log.recovered.cut_bytes:
                    self._journal.tell(
                        "recovered", f"{name} was not closed cleanly: {log.recovered.cut_bytes} torn bytes were cut"
                    )
            work.end()

        self._offload.submit(lambda: self._directory.open_log(name, settings, topic_id=hosted.id), opened)

    def _lead(self, partition: Partition, state: PartitionState) -> None:
        if state.leader == self._settings.node_id and state.leader_epoch > partition.leader_epoch:
            partition.lead(state.leader_epoch, state.isr)
        elif state.leader != self._settings.node_id:
            partition.close()

    def _configure(self, hosted: HostedTopic, settings: TopicSettings) -> None:
        hosted.settings = settings
        for partition in hosted.partitions.values():
            partition.configure(self._partition_settings(settings))
            partition.log.configure(log_settings(settings))

    def _partition_settings(self, settings: TopicSettings) -> PartitionSettings:
        return PartitionSettings(
            durability=Durability.FSYNC if self._settings.durability == FSYNC else Durability.PAGE_CACHE,
            min_insync_replicas=settings.min_insync_replicas,
            append_time=settings.append_time,
        )

    def _let_go(self, topic: Topic) -> list[TopicPartition]:
        """Serve a deleted topic no more; the partitions whose files are still there."""
        hosted = self._hosting.by_id.get(topic.id)
        if hosted is None:
            return []
        self._hosting.remove(hosted)
        for partition in hosted.partitions.values():
            partition.close()
        return [TopicPartition(hosted.name, index) for index in hosted.partitions]

    def _set_aside(self, names: Sequence[TopicPartition], then: Callable[[], None]) -> None:
        """Out of the way of a topic that is made anew under the same name; no sync holds their files now."""
        for name in names:
            self._directory.delete_log(name, self._chance.uuid())
        self._offload.submit(self._directory.remove_set_aside, self._removed)
        then()

    def _removed(self, _: None, error: BaseException | None) -> None:
        if error is not None:
            self._journal.tell("removal failed", f"files of deleted topics could not be removed: {error}")


class _Work:
    """Things under way, and whom to tell when all have ended."""

    def __init__(self, done: Callable[[], None]) -> None:
        self._done = done
        self._open = 1

    def begin(self) -> None:
        self._open += 1

    def end(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._done()

    finish = end


def log_settings(settings: TopicSettings) -> LogSettings:
    """What the log of a topic with these settings is told."""
    return LogSettings(
        segment_bytes=min(settings.segment_bytes, 2**31 - 1),
        segment_ms=settings.segment_ms,
        index_interval_bytes=settings.index_interval_bytes,
        segment_index_bytes=max(settings.segment_index_bytes, 24),
        max_message_bytes=settings.max_message_bytes,
        dense=not settings.compacted,
    )
