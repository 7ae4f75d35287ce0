"""The conversation machine: order, limits, deadlines, throttle."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.channel.conversation import Conversation, Exchange, OutOfStep
from moldau.channel.errors import ChannelBusy
from moldau.protocol.apis import API, ApiKey


def ask(conversation: Conversation, deadline_ms: int = 1_000, answered: bool = True) -> Exchange:
    def done(answer: Any, error: Any) -> None: ...

    exchange = Exchange(conversation.next_id(), API[ApiKey.METADATA], 12, [], deadline_ms, done, answered)
    conversation.submit(exchange)
    return exchange


def ids(exchanges: list[Exchange]) -> list[int]:
    return [exchange.correlation_id for exchange in exchanges]


def test_at_most_so_many_are_in_flight_and_the_rest_follow_in_order() -> None:
    conversation = Conversation(in_flight_limit=2, waiting_limit=10)
    for _ in range(4):
        ask(conversation)
    assert ids(conversation.take(0)) == [0, 1]
    assert conversation.take(0) == []
    assert not conversation.free(0)
    assert conversation.answer(0).correlation_id == 0
    assert ids(conversation.take(0)) == [2]
    assert conversation.in_flight == 2


def test_a_full_queue_refuses() -> None:
    conversation = Conversation(in_flight_limit=1, waiting_limit=1)
    ask(conversation)
    conversation.take(0)
    ask(conversation)
    with pytest.raises(ChannelBusy, match="already wait"):
        ask(conversation)


def test_an_answer_belongs_to_the_oldest_request() -> None:
    conversation = Conversation(in_flight_limit=5, waiting_limit=0)
    ask(conversation)
    ask(conversation)
    conversation.take(0)
    with pytest.raises(OutOfStep, match="came where that to 0 was due"):
        conversation.answer(1)


def test_an_answer_nobody_asked_for_is_out_of_step() -> None:
    with pytest.raises(OutOfStep, match="nothing was asked"):
        Conversation(1, 1).answer(7)


def test_a_request_without_an_answer_is_not_in_flight() -> None:
    conversation = Conversation(in_flight_limit=1, waiting_limit=5)
    ask(conversation, answered=False)
    ask(conversation)
    assert ids(conversation.take(0)) == [0, 1]
    assert conversation.in_flight == 1
    assert conversation.answer(1).correlation_id == 1


def test_nothing_leaves_before_a_throttle_has_passed() -> None:
    conversation = Conversation(in_flight_limit=5, waiting_limit=5)
    conversation.throttle(500)
    ask(conversation)
    assert conversation.take(499) == []
    assert not conversation.free(499)
    assert conversation.wake_at(100) == 500
    assert ids(conversation.take(500)) == [0]


def test_a_deadline_in_flight_is_seen_and_one_that_waits_is_dropped() -> None:
    conversation = Conversation(in_flight_limit=1, waiting_limit=5)
    first = ask(conversation, deadline_ms=300)
    second = ask(conversation, deadline_ms=200)
    third = ask(conversation, deadline_ms=400)
    conversation.take(0)
    assert conversation.wake_at(0) == 200
    assert conversation.overdue(250) is None
    assert conversation.expire_waiting(250) == [second]
    assert conversation.overdue(300) is first
    assert conversation.fail() == [first, third]
    assert conversation.fail() == []
    assert conversation.wake_at(300) is None


def test_correlation_ids_wrap_before_they_turn_negative() -> None:
    conversation = Conversation(1, 1)
    conversation._next_id = 0x7FFFFFFF
    assert conversation.next_id() == 0x7FFFFFFF
    assert conversation.next_id() == 0
