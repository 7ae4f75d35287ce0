"""The log against a list: whatever is done to it, it holds what the list holds."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from moldau import records
from moldau.environment.memory.disk import MemoryDisk
from moldau.model import ApiError
from moldau.storage import Log, LogSettings
from tests.storage.stored import batch, joined

Stored = tuple[int, int, bytes]
"""First offset, offset after, bytes."""


class LogAgainstList(RuleBasedStateMachine):
    @initialize(
        segment_bytes=st.sampled_from([200, 700, 5000]),
        interval=st.sampled_from([0, 100, 500]),
        index_bytes=st.sampled_from([48, 4096]),
        start=st.sampled_from([0, 1000]),
    )
    def begin(self, segment_bytes: int, interval: int, index_bytes: int, start: int) -> None:
        self.settings = LogSettings(
            segment_bytes=segment_bytes, index_interval_bytes=interval, segment_index_bytes=index_bytes
        )
        self.disk = MemoryDisk()
        self.disk.make_directory("/data")
        self.start = start
        self.end = start
        self.synced = start
        self.epoch = 0
        self.stored: list[Stored] = []
        self.log = self.open()

    def open(self, *, clean: bool = False, recovery_point: int = 0) -> Log:
        return Log.open(
            self.disk,
            "/data/a-0",
            self.settings,
            start_offset=self.start,
            clean=clean,
            recovery_point=recovery_point,
        )

    @rule(
        sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3),
        gap=st.sampled_from([0, 0, 0, 3]),
        timestamp=st.integers(0, 500),
    )
    def append(self, sizes: list[int], gap: int, timestamp: int) -> None:
        offset = self.end + gap
        batches = []
        for size in sizes:
            data = batch(offset, *([b"v" * size] * size), epoch=self.epoch, timestamp=timestamp)
            batches.append((offset, offset + size, data))
            offset += size
        joint = bytearray(b"".join(data for _, _, data in batches))
        self.log.append(memoryview(joint), records.read_headers(joint))
        self.stored += batches
        self.end = offset

    @rule()
    def next_epoch(self) -> None:
        self.epoch += 1

    @rule(
        at=st.floats(0, 1), bound=st.floats(0, 1), max_bytes=st.sampled_from([1, 150, 400, 100_000]), one=st.booleans()
    )
    def read(self, at: float, bound: float, max_bytes: int, one: bool) -> None:
        span = self.end - self.start
        offset, upper = self.start + round(at * span), self.start + round(bound * span)
        expected = b""
        for _, end, data in self.stored:
            if end <= offset:
                continue
            too_much = len(expected) + len(data) > max_bytes and not (one and not expected)
            if end > upper or too_much:
                break
            expected += data
        assert joined(self.log.read(offset, upper, max_bytes, one)) == (expected if offset < upper else b"")

    @rule(timestamp=st.integers(0, 510))
    def find_timestamp(self, timestamp: int) -> None:
        found = (record for _, _, data in self.stored for record in records.decode(data))
        expected = next(((offset, time) for offset, time, *_ in found if time >= timestamp), None)
        assert self.log.offset_for_timestamp(timestamp) == expected

    @rule()
    def flush(self) -> None:
        self.log.flush()
        self.synced = self.end

    @rule(at=st.floats(0, 1))
    def truncate(self, at: float) -> None:
        cut = self.start + round(at * (self.end - self.start))
        self.log.truncate_to(cut)
        if cut < self.end:
            self.stored = [entry for entry in self.stored if entry[1] <= cut]
            assert self.log.end_offset <= cut
            self.end = self.log.end_offset
            assert self.end >= (self.stored[-1][1] if self.stored else self.start)
            self.synced = min(self.synced, self.end)

    @rule(clean=st.booleans())
    def reopen(self, clean: bool) -> None:
        if clean:
            self.log.close()
            self.synced = self.end
        else:
            self.log.abandon()
        self.log = self.open(clean=clean, recovery_point=self.synced)
        self.synced = self.end

    @precondition(lambda self: self.end > self.synced)
    @rule(at=st.floats(0, 1), noise=st.integers(0, 255))
    def crash_with_a_torn_end(self, at: float, noise: int) -> None:
        """Cut or spoil the last segment somewhere above what is synced."""
        self.log.abandon()
        name = max(name for name in self.disk.list("/data/a-0") if name.endswith(".log"))
        base = int(name[:20])
        in_file = [entry for entry in self.stored if entry[0] >= base]
        safe = sum(len(data) for _, end, data in in_file if end <= self.synced)
        file = self.disk.open(f"/data/a-0/{name}")
        keep = safe + round(at * (file.size() - safe))
        file.truncate(keep)
        file.append((bytes([noise]) * (noise % 3),))
        file.release()
        position, kept = 0, []
        for entry in in_file:
            position += len(entry[2])
            if position <= keep:
                kept.append(entry)
        self.stored = self.stored[: len(self.stored) - len(in_file)] + kept
        self.log = self.open(recovery_point=self.synced)
        self.end = self.log.end_offset
        assert self.end >= (self.stored[-1][1] if self.stored else self.start)
        self.synced = self.end

    @rule()
    def out_of_range(self) -> None:
        for offset in (self.start - 1, self.end + 1):
            try:
                self.log.read(offset, self.end, 100)
            except ApiError:
                continue
            raise AssertionError(f"{offset} was not refused")

    @invariant()
    def ends_agree(self) -> None:
        if hasattr(self, "log"):
            assert (self.log.start_offset, self.log.end_offset) == (self.start, self.end)
            assert self.start <= self.log.synced_offset <= self.end


TestLog = LogAgainstList.TestCase
TestLog.settings = settings(max_examples=60, stateful_step_count=30, deadline=None, derandomize=True)
