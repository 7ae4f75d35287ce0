"""Counts the orders again, from what the topics hold, without Spark, and says where the pipeline's results differ.

Called by `run` at the end. Shares no code with `query`: what is malformed is decided here a second time, in plain
Python. Reading is `read_all`; the rest are pure functions of what was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from moldau.client import Client, ConsumedRecord

MOST_DIFFERENCES = 10
"""So many are told one by one."""

DECODE = msgspec.json.Decoder().decode
TEXT = (str, type(None))
NUMBER = (int, type(None))
MINUTE = len("2026-03-02T08:00")

Cell = tuple[str, str]
"""Minute (`2026-03-02T08:00`) and region."""


@dataclass(slots=True)
class Sums:
    """Revenue in cents and number of orders, for each minute and region."""

    cents: Counter[Cell] = field(default_factory=Counter)
    orders: Counter[Cell] = field(default_factory=Counter)


@dataclass(slots=True)
class Recount:
    """What the orders topic really holds."""

    records: int = 0
    sums: Sums = field(default_factory=Sums)
    rejected: Counter[str] = field(default_factory=Counter)


def recount(values: Iterable[bytes | None]) -> Recount:
    """All orders, judged and added up."""
    result = Recount()
    for value in values:
        result.records += 1
        judged = judge(value)
        if isinstance(judged, str):
            result.rejected[judged] += 1
        else:
            cell, cents = judged
            result.sums.cents[cell] += cents
            result.sums.orders[cell] += 1
    return result


def judge(value: bytes | None) -> tuple[Cell, int] | str:
    """The minute, region and amount of an order, or why it is rejected."""
    try:
        order = DECODE(value or b"")
    except ValueError:
        return "not JSON"
    if not isinstance(order, dict):
        return "not JSON"
    region, cents, ordered_at = order.get("region"), order.get("amount_cents"), order.get("ordered_at")
    # By exact type, because True is an int to Python and not to JSON.
    if type(region) not in TEXT or type(cents) not in NUMBER or type(ordered_at) not in TEXT:
        return "wrong type"
    if region is None or cents is None or ordered_at is None:
        return "missing field"
    if cents < 0:
        return "negative amount"
    try:
        datetime.fromisoformat(ordered_at)
    except ValueError:
        return "wrong type"
    return (ordered_at[:MINUTE], region), cents


def last_updates(records: Iterable[tuple[bytes | None, bytes | None]]) -> Sums:
    """What the output topic says in the end: for each key its last value."""
    sums = Sums()
    for _, value in records:
        update = DECODE(value or b"")
        cell = (update["minute"], update["region"])
        sums.cents[cell] = update["revenue_cents"]
        sums.orders[cell] = update["orders"]
    return sums


def dead_letters(records: Iterable[Mapping[str, bytes | None]]) -> Counter[str]:
    """How many distinct orders the dead-letter topic holds, for each reason; given the headers of its records.

    The stream writer delivers at least once, so an order may stand there twice: it counts once.
    """
    reasons = {}
    for headers in records:
        reasons[headers["error.partition"], headers["error.offset"]] = (headers["error.reason"] or b"").decode()
    return Counter(reasons.values())


def differences(name: str, expected: Sums, found: Sums) -> list[str]:
    """Where `found` is not what it should be, one line each."""
    lines = []
    for cell in sorted(expected.orders.keys() | found.orders.keys()):
        wanted = (expected.cents[cell], expected.orders[cell])
        got = (found.cents[cell], found.orders[cell])
        if wanted != got:
            minute, region = cell
            lines.append(
                f"{name}, {minute} {region}: {got[0]} cents of {got[1]} orders; "
                f"recounted {wanted[0]} cents of {wanted[1]} orders"
            )
    if len(lines) > MOST_DIFFERENCES:
        lines[MOST_DIFFERENCES:] = [f"{name}: {len(lines) - MOST_DIFFERENCES} more differences"]
    return lines


def rejected_differences(expected: Counter[str], found: Counter[str]) -> list[str]:
    """The same for the rejected orders."""
    return [
        f"rejected because of {reason}: {found[reason]}; recounted {expected[reason]}"
        for reason in sorted(expected.keys() | found.keys())
        if expected[reason] != found[reason]
    ]


def read_all(kafka: Client, topic: str) -> Iterator[ConsumedRecord]:
    """Every record that the topic holds now, each partition in order."""
    with kafka.consumer(topic, start="earliest", stop="latest") as records:
        for batch in records.batches():
            yield from batch.records()
