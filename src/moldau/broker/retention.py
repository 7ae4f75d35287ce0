"""Has old records go: looks over the logs again and again, and takes the wish of a client to delete records.

Made by the assembly, driven by its timer and by the handler of DeleteRecords. What is too old or too much is decided in
`storage`; this file brings it about in one order:

R1 The start rises in memory, at once; it never passes the high watermark.
R2 The log is synced, then the start is written down; one write serves all who wait for one.
R3 Only then whoever asked is answered, and whole segments below that start are renamed.
R4 The renamed files are removed off the loop, `file.delete.delay.ms` later; after a stop the next start removes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from moldau.broker.hosting import HostedTopic, Hosting
from moldau.broker.journal import Journal
from moldau.broker.settings import BrokerSettings
from moldau.environment.doors import Clock, Offload, Timer
from moldau.model import ApiError, ErrorCode, TopicPartition
from moldau.replication import Partition
from moldau.storage import Committer, LogDirectory
from moldau.storage import Retention as Limits

Done = Callable[[ErrorCode], None]


class _Risen:
    """One log whose start has risen, and whom to tell when that is on disk."""

    __slots__ = ("done", "name", "partition", "topic")

    def __init__(self, topic: HostedTopic, partition: Partition, done: Done) -> None:
        self.topic = topic
        self.partition = partition
        self.name = TopicPartition(partition.topic, partition.index)
        self.done = done


class Retention:
    """One for all partitions of a broker."""

    def __init__(
        self,
        settings: BrokerSettings,
        directory: LogDirectory,
        hosting: Hosting,
        committer: Committer,
        clock: Clock,
        offload: Offload,
        journal: Journal,
    ) -> None:
        self._settings = settings
        self._directory = directory
        self._hosting = hosting
        self._committer = committer
        self._clock = clock
        self._offload = offload
        self._journal = journal
        self._look_timer: Timer | None = None
        self._removals: dict[int, Timer] = {}
        self._next_removal = 0
        self._risen: list[_Risen] = []
        self._looked_at: dict[Partition, None] = {}
        """What a look has found to retire, until that is done: a slow disk gathers no more of them."""
        self._writing = False
        self._when_idle: list[Callable[[], None]] = []

    def start(self) -> None:
        """Look for the first time soon, then at every interval."""
        self._look_in(self._settings.log_initial_task_delay_ms)

    def stop(self) -> None:
        """Look no more and remove no more."""
        for timer in (self._look_timer, *self._removals.values()):
            if timer is not None:
                timer.cancel()
        self._look_timer = None
        self._removals.clear()

    @property
    def idle(self) -> bool:
        """Whether no start is being written down."""
        return not self._writing

    def when_idle(self, done: Callable[[], None]) -> None:
        """Call back once no start is being written down; at once belongs to whoever finds it `idle`."""
        assert self._writing, "already idle"
        self._when_idle.append(done)

    def delete_before(self, topic: HostedTopic, partition: Partition, offset: int, done: Done) -> None:
        """Have the records below an offset go; `done` once that outlasts a crash. ApiError when it may not be."""
        if not topic.settings.deletes:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION,
                f"records of {topic.name} are not deleted: its cleanup.policy is "
                f"{','.join(topic.settings.cleanup_policy)}; add delete to it",
            )
        partition.delete_before(offset)  # R1
        self._sync(_Risen(topic, partition, done))

    # -------------------------------------------------------------------------------------------- looking

    def _look_in(self, delay_ms: int) -> None:
        self._look_timer = self._clock.call_at(self._clock.monotonic_ms() + delay_ms, self._look)

    def _look(self) -> None:
        now_ms = self._clock.wall_ms()
        for topic in self._hosting.by_id.values():
            for partition in topic.partitions.values():
                self._look_at(topic, partition, now_ms)
        self._look_in(self._settings.log_retention_check_interval_ms)

    def _look_at(self, topic: HostedTopic, partition: Partition, now_ms: int) -> None:
        settings = topic.settings
        limits = Limits(settings.retention_ms, settings.retention_bytes) if settings.deletes else Limits()
        try:
            reasons = partition.expire(limits, now_ms)  # R1
        except ApiError as refused:
            self._journal.tell("retention failed", f"{topic.name}-{partition.index} keeps its records: {refused}")
            return
        if reasons:
            why = ", ".join(sorted({reason.value for reason in reasons}))
            self._journal.tell(
                "retention", f"{topic.name}-{partition.index} begins at {partition.log.start_offset} now: {why}"
            )
        if partition.log.retirable and partition not in self._looked_at:
            self._looked_at[partition] = None
            self._sync(_Risen(topic, partition, partial(self._looked, partition)))

    def _looked(self, partition: Partition, _: ErrorCode) -> None:
        """What failed was told of; what is left to do the next look finds."""
        del self._looked_at[partition]

    # -------------------------------------------------------------------------------------- writing down

    def _sync(self, risen: _Risen) -> None:
        """R2."""
        log = risen.partition.log

        def synced(error: OSError | None) -> None:
            if error is not None:
                risen.done(ErrorCode.KAFKA_STORAGE_ERROR)
                return
            self._risen.append(risen)
            if not self._writing:
                self._write()

        self._committer.request(log, log.end_offset, synced)

    def _write(self) -> None:
        waiting, self._risen = self._risen, []
        self._writing = True

        def written(starts: dict[TopicPartition, int] | None, error: BaseException | None) -> None:
            if starts is None:
                self._journal.tell("retention failed", f"where logs begin could not be written down: {error}")
            for risen in waiting:
                if starts is not None:
                    self._retire(risen, starts.get(risen.name, 0))
                risen.done(ErrorCode.NONE if starts is not None else ErrorCode.KAFKA_STORAGE_ERROR)  # R3
            if self._risen:
                self._write()
            else:
                self._rest()

        self._offload.submit(self._directory.keep_starts, written)

    def _rest(self) -> None:
        self._writing = False
        told, self._when_idle = self._when_idle, []
        for done in told:
            done()

    def _retire(self, risen: _Risen, start: int) -> None:
        log = risen.partition.log
        if self._directory.logs.get(risen.name) is not log:  # the topic was deleted meanwhile
            return
        try:
            paths = log.retire(start)
        except ApiError as refused:
            self._journal.tell("retention failed", f"{risen.name} keeps its files: {refused}")
            return
        if paths:
            self._remove_later(paths, risen.topic.settings.file_delete_delay_ms)

    # ------------------------------------------------------------------------------------------ removing

    def _remove_later(self, paths: list[str], delay_ms: int) -> None:
        """R4."""
        if self._look_timer is None:  # stopped
            return
        self._next_removal += 1
        number = self._next_removal

        def remove() -> None:
            del self._removals[number]
            self._offload.submit(partial(self._directory.remove_files, paths), self._removed)

        self._removals[number] = self._clock.call_at(self._clock.monotonic_ms() + delay_ms, remove)

    def _removed(self, _: None, error: BaseException | None) -> None:
        if error is not None:
            self._journal.tell("removal failed", f"files of deleted records could not be removed: {error}")
