"""The shop's orders and the recount of them."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from moldau.pipelines.demo.orders import FLAWS, orders
from moldau.pipelines.demo.recount import (
    MOST_DIFFERENCES,
    Sums,
    dead_letters,
    differences,
    judge,
    last_updates,
    recount,
    rejected_differences,
)


def test_an_order_depends_on_seed_and_number_alone() -> None:
    whole = list(orders(7, 0, 2_500))
    assert whole == list(orders(7, 0, 2_500))
    assert whole[990:1_010] == list(orders(7, 990, 20))
    assert whole[2_499:] == list(orders(7, 2_499, 1))
    assert list(orders(8, 0, 10)) != whole[:10]
    assert list(orders(7, 5, 0)) == []


def test_about_one_in_a_hundred_is_malformed_in_every_way() -> None:
    counted = recount(value for _, value in orders(1, 0, 30_000))
    assert counted.records == 30_000
    assert counted.sums.orders.total() + counted.rejected.total() == 30_000
    assert 200 < counted.rejected.total() < 400
    assert set(counted.rejected) == {flaw.value for flaw in FLAWS}
    assert {region for _, region in counted.sums.orders} == {"centre", "east", "north", "south", "west"}
    assert len({minute for minute, _ in counted.sums.orders}) == 6


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, (("2026-03-02T08:01", "north"), 1299)),
        ({"amount_cents": 0}, (("2026-03-02T08:01", "north"), 0)),
        ({"amount_cents": -1}, "negative amount"),
        ({"amount_cents": None}, "missing field"),
        ({"region": None}, "missing field"),
        ({"amount_cents": "1299"}, "wrong type"),
        ({"amount_cents": 12.0}, "wrong type"),
        ({"amount_cents": True}, "wrong type"),
        ({"ordered_at": "yesterday"}, "wrong type"),
    ],
)
def test_verdicts(changed: dict[str, object], verdict: object) -> None:
    order = {"region": "north", "amount_cents": 1299, "ordered_at": "2026-03-02T08:01:59.999Z"}
    assert judge(json.dumps(order | changed).encode()) == verdict


@pytest.mark.parametrize("value", [None, b"", b'{"region": "nor', b"[1]", b"12", b"\xff"])
def test_what_is_not_an_object_is_not_json(value: bytes | None) -> None:
    assert judge(value) == "not JSON"


def sums(**cents: int) -> Sums:
    return Sums(
        Counter({("08:00", region): amount for region, amount in cents.items()}),
        Counter({("08:00", region): 1 for region in cents}),
    )


def test_differences_are_told_to_the_cent() -> None:
    assert differences("table", sums(a=5, b=6), sums(a=5, b=6)) == []
    assert differences("table", sums(a=5, b=6), sums(a=5, c=1)) == [
        "table, 08:00 b: 0 cents of 0 orders; recounted 6 cents of 1 orders",
        "table, 08:00 c: 1 cents of 1 orders; recounted 0 cents of 0 orders",
    ]
    many = differences("table", sums(**{f"r{number}": 1 for number in range(50)}), sums())
    assert len(many) == MOST_DIFFERENCES + 1
    assert many[-1] == "table: 40 more differences"


def test_the_last_update_of_a_key_counts() -> None:
    records = [
        (b"k", json.dumps({"minute": "08:00", "region": "a", "revenue_cents": cents, "orders": 1}).encode())
        for cents in (3, 5)
    ]
    assert last_updates(records) == sums(a=5)


def test_a_dead_letter_that_came_twice_counts_once() -> None:
    letters = [
        {"error.reason": b"not JSON", "error.partition": b"0", "error.offset": offset} for offset in (b"4", b"4", b"9")
    ]
    assert dead_letters(letters) == Counter({"not JSON": 2})
    assert rejected_differences(Counter({"not JSON": 2}), dead_letters(letters)) == []
    assert rejected_differences(Counter({"wrong type": 1}), Counter()) == [
        "rejected because of wrong type: 0; recounted 1"
    ]
