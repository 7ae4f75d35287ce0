"""What the platform promised to its clients in one run, and whether it kept it.

Workloads write here as they go; a broken promise ends the run at that moment. At the end the scenario hands over what
the log holds. Numbers are those of the project's invariants:

P5   What was read at an offset never changes and never vanishes.
P7   Offsets of a partition are dense.
P10  What was acknowledged is in the log, where it was said to be.
P11  Nothing is in the log twice; a producer's records stand in the order in which it sent them.
HW   What a client was told as the end of a partition never falls.
END  Every record that was sent has been answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moldau.model import TopicPartition
from moldau.simulator.errors import Broken


class Place(NamedTuple):
    """Where a record stands."""

    partition: TopicPartition
    offset: int


class Ledger:
    """Every promise of one run. Payloads are unique: `producer number filler`."""

    def __init__(self) -> None:
        self._sent: dict[bytes, TopicPartition] = {}
        self._answered: dict[bytes, Place | str] = {}
        self._holds: dict[Place, bytes] = {}
        self._ends: dict[TopicPartition, int] = {}
        self.abandoned: dict[bytes, None] = {}
        """Sent by somebody who died before the answer: may be in the log, once."""

    @property
    def acknowledged_count(self) -> int:
        return sum(isinstance(answer, Place) for answer in self._answered.values())

    @property
    def failed(self) -> list[str]:
        """What the answers that were errors said."""
        return [answer for answer in self._answered.values() if isinstance(answer, str)]

    def sent(self, payload: bytes, partition: TopicPartition) -> None:
        assert payload not in self._sent, "payloads are unique"
        self._sent[payload] = partition

    def acknowledged(self, payload: bytes, place: Place) -> None:
        self._answered[payload] = place
        if place.partition != self._sent[payload]:
            raise Broken(f"P10: {_short(payload)} was sent to {self._sent[payload]} and acknowledged in {place}")
        self._holds_now(place, payload, "acknowledged")

    def refused(self, payload: bytes, error: str) -> None:
        """Answered with an error: it may be in the log all the same, once."""
        self._answered[payload] = error

    def read(self, place: Place, payload: bytes) -> None:
        if self._sent.get(payload) != place.partition:
            raise Broken(f"P5: {place} holds {_short(payload)}, which nobody sent there")
        self._holds_now(place, payload, "read")

    def end_told(self, partition: TopicPartition, offset: int) -> None:
        before = self._ends.get(partition, 0)
        if offset < before:
            raise Broken(f"HW: the end of {partition} was told as {before} and later as {offset}")
        self._ends[partition] = offset

    def knows_beyond(self, partition: TopicPartition, end: int) -> bool:
        """Whether a record was seen or acknowledged at this offset or a later one."""
        return any(place.partition == partition and place.offset >= end for place in self._holds)

    def settle(self, partition: TopicPartition, log: Sequence[tuple[int, bytes]]) -> None:
        """Compare everything with what the partition holds in the end: (offset, payload), in order."""
        if [offset for offset, _ in log] != list(range(len(log))):
            raise Broken(f"P7: the offsets of {partition} are not dense: {_gap([offset for offset, _ in log])}")
        self._check_kept(partition, dict(log))
        self._check_once_and_in_order(partition, [payload for _, payload in log])
        if len(log) < self._ends.get(partition, 0):
            raise Broken(f"HW: {partition} was told to end at {self._ends[partition]} and holds {len(log)} records")

    def check_all_answered(self) -> None:
        """END."""
        open_ones = [payload for payload in self._sent if payload not in self._answered | self.abandoned]
        if open_ones:
            raise Broken(f"END: {len(open_ones)} records were never answered, the first is {_short(open_ones[0])}")

    def _holds_now(self, place: Place, payload: bytes, how: str) -> None:
        before = self._holds.setdefault(place, payload)
        if before != payload:
            raise Broken(f"P5: {place} held {_short(before)}, then {_short(payload)} was {how} there")

    def _check_kept(self, partition: TopicPartition, log: dict[int, bytes]) -> None:
        for place, payload in self._holds.items():
            if place.partition != partition or log.get(place.offset) == payload:
                continue
            promise = "P10: an acknowledged" if self._answered.get(payload) == place else "P5: a consumed"
            now = log.get(place.offset)
            raise Broken(f"{promise} record is gone: {place} held {_short(payload)}, now {now and _short(now)}")

    def _check_once_and_in_order(self, partition: TopicPartition, payloads: list[bytes]) -> None:
        last: dict[bytes, int] = {}
        for payload in payloads:
            if self._sent.get(payload) != partition:
                raise Broken(f"P5: {partition} holds {_short(payload)}, which nobody sent there")
            producer, number = payload.split()[:2]
            if int(number) == last.get(producer):
                raise Broken(f"P11: {_short(payload)} is in {partition} twice")
            if int(number) < last.get(producer, -1):
                raise Broken(f"P11: {_short(payload)} stands in {partition} after number {last[producer]}")
            last[producer] = int(number)


def _short(payload: bytes) -> str:
    return " ".join(payload.decode().split()[:2])


def _gap(offsets: list[int]) -> str:
    for expected, offset in enumerate(offsets):
        if offset != expected:
            return f"{offset} stands where {expected} should"
    return "none"
