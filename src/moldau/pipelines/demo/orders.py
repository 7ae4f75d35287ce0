"""The orders of an invented shop: the same seed gives the same orders, whichever of them are asked for.

Called by `feed` and by tests. Order number i is a function of the seed and i alone (I1), so a run that was interrupted
goes on where the topic ends. About one in a hundred is malformed in one of the ways of `Flaw`; which ones, only this
file knows: the pipeline and the recount each have to find out from the bytes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache

REGION_SHARES = {"centre": 34, "east": 12, "north": 21, "south": 18, "west": 15}
"""Of a hundred orders."""
REGIONS = tuple(region for region, share in REGION_SHARES.items() for _ in range(share))

PRODUCTS = (("bread", 389), ("candles", 1250), ("honey", 875), ("linen", 4999), ("tea", 640), ("walnuts", 1125))
"""With the price of one, in cents."""

OPENS_MS = int(datetime(2026, 3, 2, 8, 0, tzinfo=UTC).timestamp() * 1000)
STEP_MS = 10
"""Shop time between two orders: a hundred orders in a second of the shop's day."""

LATEST_ARRIVAL_MS = 20_000
"""An order may arrive so much later than it was made."""

CUSTOMERS = 5_000
FLAWED = 0.01
BLOCK = 1_000
"""Orders are drawn in blocks, each with a generator of its own."""


class Flaw(Enum):
    """The ways in which an order can be malformed."""

    NOT_JSON = "not JSON"
    MISSING_FIELD = "missing field"
    WRONG_TYPE = "wrong type"
    NEGATIVE_AMOUNT = "negative amount"


FLAWS = tuple(Flaw)
REQUIRED = ("region", "amount_cents", "ordered_at")


def orders(seed: int, first: int, count: int) -> Iterator[tuple[bytes, bytes]]:
    """Key and value of the orders first, first + 1, … (I1)."""
    number = first
    while number < first + count:
        block, inside = divmod(number, BLOCK)
        taken = _block(seed, block)[inside : inside + first + count - number]
        yield from taken
        number += len(taken)


@lru_cache(maxsize=2)
def _block(seed: int, block: int) -> list[tuple[bytes, bytes]]:
    chance = random.Random(f"shop {seed} {block}")
    return [_order(chance, block * BLOCK + inside) for inside in range(BLOCK)]


def _order(chance: random.Random, number: int) -> tuple[bytes, bytes]:
    draw = chance.random
    product, price = PRODUCTS[int(draw() * len(PRODUCTS))]
    quantity = 1 + int(draw() * 5)
    region = REGIONS[int(draw() * len(REGIONS))]
    seconds, milliseconds = divmod(OPENS_MS + number * STEP_MS - int(draw() * LATEST_ARRIVAL_MS), 1000)
    # Written by hand: a hundred thousand of these in a second leave no time for an encoder.
    value = (
        f'{{"order": {number}, "region": "{region}", "product": "{product}", "quantity": {quantity}, '
        f'"amount_cents": {price * quantity}, "ordered_at": "{_second(seconds)}.{milliseconds:03d}Z"}}'
    )
    key = b"customer-%d" % int(draw() * CUSTOMERS)
    return key, _flawed(chance, json.loads(value)) if draw() < FLAWED else value.encode()


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _flawed(chance: random.Random, order: dict[str, object]) -> bytes:
    flaw = chance.choice(FLAWS)
    if flaw is Flaw.MISSING_FIELD:
        del order[chance.choice(REQUIRED)]
    elif flaw is Flaw.WRONG_TYPE:
        order["amount_cents"] = chance.choice(["twelve euro", [order["amount_cents"]], True])
    elif flaw is Flaw.NEGATIVE_AMOUNT:
        order["amount_cents"] = -chance.randint(1, 9_999)
    written = json.dumps(order).encode()
    return written[: chance.randint(1, len(written) - 1)] if flaw is Flaw.NOT_JSON else written
