from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import pytest

from moldau.environment.memory.disk import MemoryDisk, MemoryFile
from moldau.model import ApiError, ErrorCode
from moldau.storage import Committer, Health, Log, LogSettings
from tests.storage.stored import TINY, append, fill

T = TypeVar("T")


class Threads:
    """Offload whose work is done when the test says so."""

    def __init__(self) -> None:
        self.submitted: list[tuple[Callable[[], Any], Callable[[Any, BaseException | None], None]]] = []

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        self.submitted.append((work, done))

    async def run(self, work: Callable[[], T]) -> T:
        return work()

    def work(self) -> int:
        """Do what is there now; how much it was."""
        batch, self.submitted = self.submitted, []
        results = [(work(), done) for work, done in batch]
        for result, done in results:
            done(result, None)
        return len(batch)


class WatchedDisk(MemoryDisk):
    """Counts syncs, and fails those it is told to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.synced: list[str] = []
        self.failing = ""
        self.make_directory("/data")

    def open(self, path: str, *, create: bool = False, writable: bool = True) -> MemoryFile:
        if not self.exists(path) and not create:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        super().open(path, create=create, writable=writable)
        return WatchedFile(path, self._files[path], writable, self)

    def sync_directory(self, path: str) -> None:
        self.note(path)

    def note(self, path: str) -> None:
        if self.failing and self.failing in path:
            raise OSError(errno.EIO, "sync failed", path)
        self.synced.append(path)


class WatchedFile(MemoryFile):
    def __init__(self, path: str, contents: bytearray, writable: bool, disk: WatchedDisk) -> None:
        super().__init__(path, contents, writable)
        self.disk = disk

    def append(self, parts: Any) -> int:
        if self.disk.failing == "write":
            raise OSError(errno.ENOSPC, "no space left", self.path)
        return super().append(parts)

    def sync(self) -> None:
        self.disk.note(self.path)


@pytest.fixture
def disk() -> WatchedDisk:
    return WatchedDisk()


def note(answers: list[tuple[Log, OSError | None]], log: Log, error: OSError | None) -> None:
    answers.append((log, error))


def note_progress(answers: list[tuple[Log, OSError | None, int]], log: Log, error: OSError | None) -> None:
    answers.append((log, error, log.synced_offset))


def log_of(disk: WatchedDisk, name: str, settings: LogSettings = TINY, health: Health | None = None) -> Log:
    return Log.open(disk, f"/data/{name}", settings, health=health)


def test_a_lone_request_is_synced_at_once(disk: WatchedDisk) -> None:
    threads = Threads()
    answers: list[OSError | None] = []
    committer = Committer(threads)
    log = log_of(disk, "a-0")
    append(log, b"x")
    committer.request(log, 1, answers.append)
    assert (len(threads.submitted), answers, committer.idle) == (1, [], False)
    threads.work()
    assert (answers, log.synced_offset, committer.idle) == ([None], 1, True)


def test_what_gathers_during_a_round_goes_into_the_next_one(disk: WatchedDisk) -> None:
    threads = Threads()
    answers: list[tuple[Log, OSError | None, int]] = []
    committer = Committer(threads)
    logs = [log_of(disk, f"a-{place}") for place in range(3)]
    for log in logs:
        append(log, b"x")
        committer.request(log, 1, partial(note_progress, answers, log))
    append(logs[0], b"y")
    assert threads.work() == 1, "the first round is of the first log alone"
    assert answers == [(logs[0], None, 1)]
    assert threads.work() == 2, "the second of the others, side by side"
    assert answers[1:] == [(logs[1], None, 1), (logs[2], None, 1)]
    assert (logs[0].synced_offset, logs[0].end_offset) == (1, 2), "what came during its round is not claimed"


def test_a_round_uses_a_bounded_number_of_threads(disk: WatchedDisk) -> None:
    threads = Threads()
    answers: list[OSError | None] = []
    committer = Committer(threads, parallel=4)
    logs = [log_of(disk, f"a-{place}") for place in range(11)]
    for log in logs:
        append(log, b"x")
        committer.request(log, 1, answers.append)
    assert [threads.work(), threads.work(), threads.work()] == [1, 4, 0]
    assert answers == [None] * 11
    assert all(log.synced_offset == 1 for log in logs)


def test_the_names_of_a_new_segment_are_synced_before_the_first_answer_in_it(disk: WatchedDisk) -> None:
    threads = Threads()
    committer = Committer(threads)
    log = log_of(disk, "a-0")
    fill(log, 2)
    committer.request(log, log.end_offset, lambda error: None)
    threads.work()
    assert disk.synced[-3:] == ["/data/a-0/00000000000000000000.log", "/data/a-0", "/data"]
    disk.synced.clear()
    while len(found := [name for name in disk.list(log.directory) if name.endswith(".log")]) == 1:
        fill(log, 1)
    seen: list[list[str]] = []
    committer.request(log, log.end_offset, lambda error: seen.append(list(disk.synced)))
    threads.work()
    first, second = found
    names = [os.path.basename(path) for path in seen[0]]
    base = second[:20]
    assert names[:2] == [first, second]
    assert sorted(names[2:5]) == [f"{first[:20]}.index", f"{first[:20]}.timeindex", f"{base}.snapshot"]
    assert names[5:] == ["a-0"]


def test_a_failed_sync_is_everybodys_error_and_not_retried(disk: WatchedDisk) -> None:
    told: list[OSError] = []
    threads = Threads()
    answers: list[tuple[Log, OSError | None]] = []
    committer = Committer(threads)
    health = Health(told.append)
    bad, good = log_of(disk, "bad-0", health=health), log_of(disk, "good-0", health=health)
    other = log_of(disk, "other-0")
    append(bad, b"x"), append(good, b"x"), append(other, b"x")
    committer.request(other, 1, lambda error: None)
    disk.failing = "bad-0"
    for log in (bad, good, other):
        committer.request(log, 1, partial(note, answers, log))
    append(bad, b"y")
    threads.work()
    committer.request(bad, 2, partial(note, answers, bad))
    threads.work()
    disk.failing = ""
    threads.work()
    assert [(log, error is None) for log, error in answers] == [
        (bad, False),
        (good, False),
        (other, True),
        (bad, False),
    ]
    assert told == [health.error]
    assert bad.synced_offset == 0
    assert not any("bad-0" in path for path in disk.synced), "never synced again"
    with pytest.raises(ApiError) as refused:
        append(good, b"z")
    assert refused.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    with pytest.raises(ApiError):
        good.flush()


def test_a_failed_write_fails_the_log(disk: WatchedDisk) -> None:
    log = log_of(disk, "a-0")
    append(log, b"x")
    disk.failing = "write"
    with pytest.raises(ApiError) as refused:
        append(log, b"y")
    assert refused.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    disk.failing = ""
    assert log.end_offset == 1
    with pytest.raises(ApiError):
        append(log, b"y")


def test_cutting_a_log_while_it_is_synced(disk: WatchedDisk) -> None:
    threads = Threads()
    answers: list[OSError | None] = []
    committer = Committer(threads)
    log = log_of(disk, "a-0")
    fill(log, 20)
    committer.request(log, log.end_offset, answers.append)
    log.truncate_to(3)
    fill(log, 20)
    threads.work()
    assert isinstance(answers[0], OSError)
    assert answers[0].errno == errno.ECANCELED
    assert log.synced_offset <= 3
    assert log.health.error is None
    committer.request(log, log.end_offset, answers.append)
    threads.work()
    assert answers[1] is None
    assert log.synced_offset == log.end_offset


def test_a_deleted_log_answers_with_an_error(disk: WatchedDisk) -> None:
    threads = Threads()
    answers: list[OSError | None] = []
    committer = Committer(threads)
    log, other = log_of(disk, "a-0"), log_of(disk, "b-0")
    append(log, b"x"), append(other, b"x")
    committer.request(log, 1, answers.append)
    committer.request(other, 1, answers.append)
    log.abandon()
    other.abandon()
    idle: list[bool] = []
    committer.when_idle(lambda: idle.append(committer.idle))
    while threads.work():
        pass
    assert [isinstance(answer, OSError) for answer in answers] == [True, True]
    assert idle == [True]
