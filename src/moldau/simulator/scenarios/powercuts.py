"""One log and its committer on a machine whose power goes again and again, without network or broker.

What the committer said to be on disk must be there after every cut, byte for byte; the rest must be a prefix of what
was written, in whole batches, without a hole. What was given up at the beginning, and written down, stays away, and
nothing else goes. Each life recovers, is compared, and writes on.
"""

from __future__ import annotations

import random

from moldau.environment.doors import Environment
from moldau.model import ApiError
from moldau.records import BatchHeader, build_values, read_headers, stamp
from moldau.simulator.errors import Broken
from moldau.simulator.network import Weather
from moldau.simulator.world import World
from moldau.storage.committer import Committer
from moldau.storage.log import Log
from moldau.storage.settings import LogSettings

MACHINE = "store"
DIRECTORY = "/data/t-0"
START = "/data/start"
LIVES = 10
PRODUCER = 7


class PowerCuts:
    """Ten lives of one log in each run."""

    name = "powercuts"
    sometimes = (
        "write torn",
        "tail cut by recovery",
        "segment rolled",
        "power cut inside a disk call",
        "power cut during recovery",
        "power cut with unsynced writes",
        "duplicate known after recovery",
        "recovered from a recovery point",
        "segment retired",
        "recovered from a later start",
    )
    limit_s = 600

    def weather(self, draw: random.Random) -> Weather:
        return Weather()

    async def play(self, world: World) -> None:
        world.machine(MACHINE).image.lay_out("/data")
        draw = world.draw("lives")
        story = _Story(world, draw)
        for _ in range(LIVES):
            await story.live()
        await story.live(last=True)


class _Story:
    """What is known from outside: every batch written at its offset, and how far the committer went."""

    def __init__(self, world: World, draw: random.Random) -> None:
        self._world = world
        self._draw = draw
        self._written: dict[int, bytes] = {}
        self._promised = self._point = 0
        self._sequence = 0
        self._given_up = self._kept_start = 0
        """Below the one nobody is to be shown anything, if it was written down; below the other it was."""
        self._settings = LogSettings(
            segment_bytes=draw.choice((600, 3_000, 1 << 20)), index_interval_bytes=draw.choice((0, 200, 4096))
        )

    async def live(self, *, last: bool = False) -> None:
        """Boot, recover, compare, write until the power goes."""
        world, draw = self._world, self._draw
        node, environment = world.boot(MACHINE)
        faults = world.machine(MACHINE).faults
        if not last and draw.random() < 0.5:
            faults.cut_in = draw.randrange(40)
        working = world.start(node, self._work(environment, last=last))
        if last:
            await working
            return
        await environment.clock.sleep(draw.randrange(1, 30))
        if world.machine(MACHINE).alive:
            world.cut_power(MACHINE)

    async def _work(self, environment: Environment, *, last: bool) -> None:
        log = self._open(environment)
        self._compare(log)
        if last or self._draw.random() < 0.3:
            self._compare_with_recovery_of_recovered(environment, log)
        if last:
            return
        await self._write(environment, log)

    def _open(self, environment: Environment) -> Log:
        point = self._point = self._draw.choice((self._point, self._promised))  # checkpoints come late, never go back
        self._world.counters["power cut during recovery"] += 1
        start = self._start(environment)
        log = Log.open(environment.disk, DIRECTORY, self._settings, start_offset=start, recovery_point=point)
        self._world.counters["power cut during recovery"] -= 1
        self._world.counters["recovered from a later start"] += start > 0
        self._world.counters["recovered from a recovery point"] += bool(point)
        self._world.counters["tail cut by recovery"] += log.recovered.cut_bytes > 0
        return log

    def _start(self, environment: Environment) -> int:
        """Where the log begins, as it was written down last; D5 when that is not what was asked for."""
        start = int(environment.disk.read_file(START)) if environment.disk.exists(START) else 0
        if not self._kept_start <= start <= self._given_up:
            raise Broken(f"D5: {self._kept_start} to {self._given_up} was given up, the start on disk is {start}")
        return start

    def _compare(self, log: Log) -> None:
        """D5, D6, P7, P10: a prefix of what was written and kept, with everything that was promised."""
        if not self._kept_start <= log.start_offset <= self._given_up:
            raise Broken(
                f"D5: {self._kept_start} to {self._given_up} was given up, the log begins at {log.start_offset}"
            )
        held = contents(log, self._draw.choice((1, 1 << 20)))
        expected = b"".join(batch for base, batch in self._written.items() if base >= log.start_offset)
        if not expected.startswith(held):
            raise Broken(f"D6: the log holds other bytes than were written: {_parting(held, expected)}")
        if log.end_offset < self._promised:
            raise Broken(f"P10: the log ends at {log.end_offset}, but {self._promised} was said to be on disk")
        self._written = {base: batch for base, batch in self._written.items() if base < log.end_offset}
        self._check_producer(log)

    def _check_producer(self, log: Log) -> None:
        """P11: the last batch is still known as a duplicate, and the next sequence is the right one."""
        headers = [read_headers(batch)[0] for batch in self._written.values()]
        self._sequence = headers[-1].base_sequence + headers[-1].record_count if headers else 0
        for header in headers[-5:]:
            try:
                duplicate = log.producers.check(header)
            except ApiError as error:
                raise Broken(f"P11: the batch at {header.base_offset} is refused after recovery: {error}") from error
            if duplicate is None or duplicate.base_offset != header.base_offset:
                raise Broken(f"P11: the batch at {header.base_offset} is not known any more: {duplicate}")
            self._world.counters["duplicate known after recovery"] += 1

    def _compare_with_recovery_of_recovered(self, environment: Environment, log: Log) -> None:
        """D3: opening once more changes nothing."""
        files = self._files()
        log.abandon()
        start = self._start(environment)
        again = Log.open(environment.disk, DIRECTORY, self._settings, start_offset=start, recovery_point=self._point)
        after = self._files()
        if after != files:
            changed = [path for path in files | after if files.get(path) != after.get(path)]
            raise Broken(f"D3: recovering what was recovered changed {changed}")
        self._compare(again)
        again.abandon()

    def _files(self) -> dict[str, bytes]:
        return {path: bytes(file.data) for path, file in self._world.machine(MACHINE).image.files()}

    async def _write(self, environment: Environment, log: Log) -> None:
        if log.health.error is not None:
            log = self._open(environment)
        committer = Committer(environment.offload)
        draw = self._draw
        while True:
            for _ in range(draw.randint(1, 4)):
                self._append(log)
            self._ask(committer, log)
            if draw.random() < 0.1:
                self._give_up(environment, log)
            await environment.clock.sleep(draw.choice((0, 0, 1, 3)))

    def _append(self, log: Log) -> None:
        values = [self._draw.randbytes(self._draw.randrange(60)) for _ in range(self._draw.randint(1, 4))]
        batch = bytearray(
            build_values(values, 1_000, producer_id=PRODUCER, producer_epoch=0, base_sequence=self._sequence)
        )
        headers: list[BatchHeader] = read_headers(batch)
        stamp(batch, 0, log.end_offset, 3)
        base = log.end_offset
        self._written[base] = bytes(batch)
        self._sequence += len(values)
        segments = len(log._segments)
        log.append(batch, headers)
        self._world.counters["segment rolled"] += len(log._segments) - segments

    def _ask(self, committer: Committer, log: Log) -> None:
        end = log.end_offset

        def done(error: OSError | None) -> None:
            if error is not None:
                raise Broken(f"a sync failed on a faultless disk: {error}")
            self._promised = max(self._promised, end)

        committer.request(log, end, done)

    def _give_up(self, environment: Environment, log: Log) -> None:
        """Some of the oldest batches, or all: the start is written down, names go, and perhaps files."""
        bases = [base for base in (*self._written, log.end_offset) if base <= log.synced_offset]
        log.advance_start(self._draw.choice(bases[-20:]) if bases else log.start_offset)
        self._given_up = max(self._given_up, log.start_offset)
        kept = min(log.start_offset, log.synced_offset)
        environment.disk.replace_file(START, b"%d" % kept)
        self._kept_start = kept
        aside = log.retire(kept)
        self._world.counters["segment retired"] += bool(aside)
        for path in aside[: self._draw.randrange(len(aside) + 1)]:
            environment.disk.remove(path)


def contents(log: Log, max_bytes: int) -> bytes:
    """Every byte of the log, read as readers do: so many bytes at a time, one batch at least."""
    pieces: list[bytes] = []
    offset = log.start_offset
    while offset < log.end_offset:
        slices = log.read(offset, log.end_offset, max_bytes)
        piece = b"".join(part.read() for part in slices)
        for part in slices:
            part.release()
        headers = read_headers(piece)
        if not headers or headers[0].base_offset != offset:
            raise Broken(f"P7: reading at {offset} gave {[header.base_offset for header in headers]}")
        pieces.append(piece)
        offset = headers[-1].last_offset + 1
    return b"".join(pieces)


def _parting(held: bytes, expected: bytes) -> str:
    for place, (have, want) in enumerate(zip(held, expected, strict=False)):
        if have != want:
            return f"from byte {place} of {len(held)} on"
    return f"{len(held)} bytes where {len(expected)} were written"
