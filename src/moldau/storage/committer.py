"""Group commit: what gathered while one round of syncs ran is synced in the next.

Who calls: replication and raft ask for an offset of a log to be on disk; the broker owns the one committer. What it
never does: wait for a timer, retry, or call back inside the call that asked.

C1 One round at a time. A round syncs every log that was asked for since the last one began, all at once.
C2 Whoever asked is called exactly once: with None when everything below the offset is on disk, else with the error.
C3 A failed sync fails its log directory: everyone who asked for a log in it gets the error, then and later.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from functools import partial

from moldau.environment import Offload
from moldau.storage.log import Log
from moldau.storage.sync import SyncJob

Done = Callable[[OSError | None], None]

PARALLEL_SYNCS = 16
"""How many threads a round may occupy: devices gain from a few at once, and no more."""


class Committer:
    """One for all logs of a process."""

    def __init__(self, offload: Offload, parallel: int = PARALLEL_SYNCS) -> None:
        self._offload = offload
        self._parallel = parallel
        self._waiting: dict[Log, list[tuple[int, Done]]] = {}
        self._round: _Round | None = None
        self._when_idle: list[Callable[[], None]] = []

    @property
    def idle(self) -> bool:
        """Whether no round is under way."""
        return self._round is None

    def request(self, log: Log, offset: int, done: Done) -> None:
        """Call back when everything of the log below the offset is on disk."""
        assert offset <= log.end_offset, f"offset {offset} is not written yet, the log ends at {log.end_offset}"
        self._waiting.setdefault(log, []).append((offset, done))
        if self._round is None:
            self._begin()

    def when_idle(self, done: Callable[[], None]) -> None:
        """Call back after the last round; at once belongs to whoever finds it `idle`."""
        assert self._round is not None, "already idle"
        self._when_idle.append(done)

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, {}
        jobs = [(log, log.begin_sync()) for log in waiting if log.health.error is None]
        packages = [package for place in range(self._parallel) if (package := jobs[place :: self._parallel])]
        self._round = _Round(waiting, open_packages=max(1, len(packages)))
        for package in packages or [[]]:
            self._offload.submit(partial(_sync, [job for _, job in package]), partial(self._synced, package))

    def _synced(
        self,
        package: Sequence[tuple[Log, SyncJob]],
        outcomes: Sequence[OSError | None] | None,
        failure: BaseException | None,
    ) -> None:
        assert self._round is not None  # C1
        for place, (log, job) in enumerate(package):
            error = _unrun(failure) if outcomes is None else outcomes[place]
            if log.end_sync(job, error):
                self._round.synced[log] = job.end_offset
        self._round.open_packages -= 1
        if self._round.open_packages == 0:
            self._finish(self._round)

    def _finish(self, finished: _Round) -> None:
        """The next round begins before this one's answers are given, so that the device does not wait for them."""
        self._round = None
        if self._waiting:
            self._begin()
        for log, asked in finished.waiting.items():
            reached = finished.synced.get(log)
            for offset, done in asked:
                done(None if reached is not None and reached >= offset else _reason(log))  # C2, C3
        if self._round is None:
            told, self._when_idle = self._when_idle, []
            for idle in told:
                idle()


class _Round:
    """Who asked before it began, and what has come back."""

    __slots__ = ("open_packages", "synced", "waiting")

    def __init__(self, waiting: dict[Log, list[tuple[int, Done]]], open_packages: int) -> None:
        self.waiting = waiting
        self.open_packages = open_packages
        self.synced: dict[Log, int] = {}


def _sync(jobs: Sequence[SyncJob]) -> list[OSError | None]:
    """On a thread: each job's error."""
    outcomes: list[OSError | None] = []
    for job in jobs:
        try:
            job.run()
        except OSError as error:
            outcomes.append(error)
        else:
            outcomes.append(None)
    return outcomes


def _unrun(failure: BaseException | None) -> OSError:
    return failure if isinstance(failure, OSError) else OSError(errno.EIO, f"the sync could not be run: {failure!r}")


def _reason(log: Log) -> OSError:
    return log.health.error or OSError(errno.ECANCELED, "the log was cut while it was synced", log.directory)
