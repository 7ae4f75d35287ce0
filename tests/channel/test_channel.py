"""A channel and a broker played by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from moldau.channel import Channel, ChannelClosed, ChannelError, ChannelSettings, RequestExpired, VersionNotServed
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseBroker
from moldau.protocol.messages.produce import ProduceRequest
from tests.channel.scripted import (
    ScriptedConnection,
    ScriptedNetwork,
    StillClock,
    scripted_environment,
    versions_answer,
)


class Stage:
    """One channel under test."""

    def __init__(self, versions: dict[ApiKey, tuple[int, int]] | None = None, **settings: Any) -> None:
        self.clock = StillClock()
        self.network = ScriptedNetwork(versions)
        self.environment = scripted_environment(self.network, self.clock)
        self.settings = ChannelSettings(**settings)

    async def opening(self) -> asyncio.Task[Channel]:
        task = asyncio.create_task(Channel.open(self.environment, "broker", 9092, self.settings))
        await asyncio.sleep(0)
        return task

    async def open(self) -> tuple[Channel, ScriptedConnection]:
        task = await self.opening()
        connection = self.network.connections[-1]
        connection.shake_hands()
        return await task, connection


def run(scene: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            await scene()

    asyncio.run(bounded())


def answer_with(cluster_id: str, throttle_ms: int = 0) -> MetadataResponse:
    return MetadataResponse(cluster_id=cluster_id, throttle_time_ms=throttle_ms)


class Outcome:
    def __init__(self) -> None:
        self.told: list[tuple[Any, ChannelError | None]] = []

    def __call__(self, answer: Any, error: ChannelError | None) -> None:
        self.told.append((answer, error))

    @property
    def error(self) -> ChannelError | None:
        assert len(self.told) == 1, self.told
        return self.told[0][1]


def test_the_newest_common_version_is_spoken() -> None:
    async def scene() -> None:
        stage = Stage({ApiKey.API_VERSIONS: (0, 4), ApiKey.METADATA: (0, 9), ApiKey.FETCH: (4, 99)})
        channel, connection = await stage.open()
        assert channel.version(ApiKey.METADATA) == 9
        assert channel.version(ApiKey.FETCH) == 18
        assert channel.version(ApiKey.FETCH, 12) == 12
        with pytest.raises(VersionNotServed, match="broker:9092 serves no version of Produce"):
            channel.version(ApiKey.PRODUCE)
        waiting = asyncio.create_task(channel.call(MetadataRequest(topics=[])))
        await asyncio.sleep(0)
        asked = connection.next()
        assert (asked.key, asked.version, asked.header.client_id) == (ApiKey.METADATA, 9, "moldau")
        brokers = [MetadataResponseBroker(node_id=1, host="h", port=1)]
        connection.answer(asked, MetadataResponse(brokers=brokers))
        assert (await waiting).brokers[0].host == "h"

    run(scene)


def test_a_broker_that_does_not_know_the_newest_handshake_is_asked_again() -> None:
    async def scene() -> None:
        stage = Stage()
        task = await stage.opening()
        connection = stage.network.connections[0]
        first = connection.next()
        assert (first.key, first.version) == (ApiKey.API_VERSIONS, 4)
        refusal = versions_answer({ApiKey.API_VERSIONS: (0, 2)})
        refusal.error_code = 35
        connection.answer(first, refusal, version=0)
        await asyncio.sleep(0)
        second = connection.next()
        assert second.version == 2
        connection.answer(second, versions_answer({ApiKey.METADATA: (1, 5)}))
        channel = await task
        assert channel.versions == {ApiKey.METADATA: (1, 5)}

    run(scene)


def test_a_broker_that_refuses_the_handshake_is_not_kept() -> None:
    async def scene() -> None:
        stage = Stage()
        task = await stage.opening()
        connection = stage.network.connections[0]
        refusal = versions_answer({})
        refusal.error_code = 31
        connection.answer(connection.next(), refusal)
        with pytest.raises(ChannelClosed, match="refuses to tell its versions"):
            await task
        assert not connection.open

    run(scene)


def test_answers_come_in_the_order_of_requests_whatever_pieces_they_come_in() -> None:
    async def scene() -> None:
        channel, connection = await Stage().open()
        told: list[str] = []
        for _ in range(3):
            channel.request(MetadataRequest(), lambda answer, error: told.append(answer.cluster_id))
        asked = [connection.next() for _ in range(3)]
        for index, request in enumerate(asked):
            connection.answer(request, answer_with(f"c{index}"))
        assert told == ["c0", "c1", "c2"]
        assert channel.in_flight == 0

    run(scene)


def test_a_broken_connection_fails_everything_with_an_error_worth_retrying() -> None:
    async def scene() -> None:
        channel, connection = await Stage(in_flight_limit=1).open()
        sent, waiting = Outcome(), Outcome()
        channel.request(MetadataRequest(), sent)
        channel.request(MetadataRequest(), waiting)
        changes: list[bool] = []
        channel.on_change(lambda: changes.append(channel.free))
        connection.lose()
        for outcome in (sent, waiting):
            assert isinstance(outcome.error, ChannelClosed)
            assert outcome.error.retriable
            assert "reset by peer" in str(outcome.error)
        assert changes == [False]
        with pytest.raises(ChannelClosed):
            channel.request(MetadataRequest(), Outcome())

    run(scene)


def test_a_request_without_an_answer_in_time_breaks_the_connection() -> None:
    async def scene() -> None:
        stage = Stage(request_timeout_ms=500)
        channel, connection = await stage.open()
        late, behind = Outcome(), Outcome()
        channel.request(MetadataRequest(), late)
        stage.clock.advance(300)
        channel.request(MetadataRequest(), behind)
        stage.clock.advance(199)
        assert not late.told
        stage.clock.advance(1)
        assert isinstance(late.error, RequestExpired)
        assert isinstance(behind.error, ChannelClosed)
        assert not connection.open

    run(scene)


def test_a_request_that_waits_too_long_for_its_turn_expires_alone() -> None:
    async def scene() -> None:
        stage = Stage(in_flight_limit=1)
        channel, connection = await stage.open()
        first, second = Outcome(), Outcome()
        channel.request(MetadataRequest(), first)
        channel.request(MetadataRequest(), second, timeout_ms=100)
        stage.clock.advance(100)
        assert isinstance(second.error, RequestExpired)
        connection.answer(connection.next(), answer_with("late but well"))
        assert first.told[0][0].cluster_id == "late but well"
        assert not connection.asked

    run(scene)


def test_an_answer_in_time_leaves_no_deadline_behind() -> None:
    async def scene() -> None:
        stage = Stage(request_timeout_ms=500)
        channel, connection = await stage.open()
        channel.request(MetadataRequest(), Outcome())
        connection.answer(connection.next(), answer_with("x"))
        stage.clock.advance(10_000)
        assert channel.closed_by is None

    run(scene)


def test_a_throttle_holds_back_what_comes_next() -> None:
    async def scene() -> None:
        stage = Stage()
        channel, connection = await stage.open()
        channel.request(MetadataRequest(), Outcome())
        connection.answer(connection.next(), answer_with("x", throttle_ms=200))
        assert not channel.free
        changes: list[bool] = []
        channel.on_change(lambda: changes.append(channel.free))
        held = Outcome()
        channel.request(MetadataRequest(), held)
        assert not connection.asked
        stage.clock.advance(200)
        assert len(connection.asked) == 1
        assert changes == [True]

    run(scene)


def test_a_request_that_is_not_answered_is_done_when_it_is_sent() -> None:
    async def scene() -> None:
        channel, connection = await Stage(in_flight_limit=1).open()
        for _ in range(3):
            outcome = Outcome()
            channel.request(ProduceRequest(acks=0), outcome, answered=False)
            assert outcome.told == [(None, None)]
        assert len(connection.asked) == 3
        assert channel.in_flight == 0

    run(scene)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02ab",
        b"\x00\x00\x00\x04\x00\x00\x00\x63",
        b"\x00\x00\x00\x05\x00\x00\x00\x01\xff",
    ],
    ids=["negative length", "no header", "not asked", "cut short"],
)
def test_what_is_not_an_answer_breaks_the_connection(data: bytes) -> None:
    async def scene() -> None:
        channel, connection = await Stage().open()
        outcome = Outcome()
        channel.request(MetadataRequest(), outcome)
        connection.deliver(data)
        assert isinstance(outcome.error, ChannelClosed)
        assert channel.closed_by is not None
        assert not connection.open

    run(scene)


def test_a_cancelled_call_leaves_the_order_of_the_others_alone() -> None:
    async def scene() -> None:
        channel, connection = await Stage().open()
        gone = asyncio.create_task(channel.call(MetadataRequest()))
        stays = asyncio.create_task(channel.call(MetadataRequest()))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        connection.answer(connection.next(), answer_with("for nobody"))
        connection.answer(connection.next(), answer_with("for the other"))
        assert (await stays).cluster_id == "for the other"
        assert gone.cancelled()

    run(scene)


def test_a_broker_that_cannot_be_reached_says_so() -> None:
    async def scene() -> None:
        stage = Stage()
        stage.network.refusals.append(ConnectionRefusedError(111, "refused"))
        with pytest.raises(ChannelClosed, match="broker:9092 cannot be reached"):
            await (await stage.opening())

    run(scene)


def test_a_broker_that_says_nothing_is_given_up() -> None:
    async def scene() -> None:
        stage = Stage(connect_timeout_ms=20)
        with pytest.raises(RequestExpired, match="within 20 ms"):
            await (await stage.opening())
        assert not stage.network.connections[0].open

    run(scene)
