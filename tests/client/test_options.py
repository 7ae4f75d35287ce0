"""Options: units, Kafka's names, hints, impossible values, addresses."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any, get_type_hints

import pytest

from moldau.client.addresses import addresses_of
from moldau.client.errors import MoldauError, UnknownTopic, broker_error
from moldau.client.options import (
    ClientOptions,
    ClientSettings,
    ConsumerOptions,
    ConsumerSettings,
    ProducerOptions,
    ProducerSettings,
    producer_settings,
    settings_of,
)
from moldau.model import ErrorCode


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"producer\(\) has no option 'lingr'; did you mean 'linger'"):
        producer_settings({"lingr": 1})
    with pytest.raises(TypeError, match="config has no option 'linger_ms'"):
        producer_settings({"config": {"linger_ms": 1}})
    with pytest.raises(TypeError, match=r"it knows .*out_of_range.*start"):
        settings_of(ConsumerSettings, {"zzz": 1}, "consumer()")


def test_units() -> None:
    assert producer_settings({"linger": timedelta(milliseconds=20)}).linger == 0.02
    assert producer_settings({"config": {"linger.ms": 20, "batch.size": "1000", "acks": "1"}}) == dataclasses.replace(
        ProducerSettings(), linger=0.02, batch_bytes=1000, acks=1, idempotent=False
    )
    assert producer_settings({"config": {"enable.idempotence": "false"}}).idempotent is False
    assert settings_of(ConsumerSettings, {"config": {"auto.offset.reset": "none"}}, "c").out_of_range == "raise"
    assert settings_of(ClientSettings, {}, "c") == ClientSettings()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"linger": "5"}, TypeError, "linger is a number of seconds or a timedelta"),
        ({"linger": -1}, ValueError, "linger lies between 0 and 60"),
        ({"batch_bytes": 1.5}, TypeError, "batch_bytes is a whole number of bytes"),
        ({"idempotent": 1}, TypeError, "idempotent is True or False"),
        ({"compression": "zip"}, ValueError, "compression is one of 'none', 'gzip', 'snappy', 'lz4', 'zstd'"),
        ({"in_flight": 6}, ValueError, "in_flight lies between 1 and 5"),
        ({"acks": 1, "idempotent": True}, ValueError, "idempotent=True needs acks='all'"),
        ({"linger": 1.0, "delivery_timeout": 0.5}, ValueError, "is shorter than delivery_timeout"),
        ({"config": 3}, TypeError, "config is a mapping"),
    ],
)
def test_impossible_values_say_what_is_possible(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        producer_settings(options)


def test_fewer_acknowledgements_end_idempotence_unless_it_was_asked_for() -> None:
    assert producer_settings({}).idempotent is True
    assert producer_settings({"acks": 1}).idempotent is False
    assert producer_settings({"acks": -1}).idempotent is True


@pytest.mark.parametrize(
    ("settings", "options"),
    [(ClientSettings, ClientOptions), (ProducerSettings, ProducerOptions), (ConsumerSettings, ConsumerOptions)],
)
def test_typed_options_are_the_settings(settings: type[Any], options: type[Any]) -> None:
    names = {field.name for field in dataclasses.fields(settings)}
    assert set(get_type_hints(options)) == names | {"config"}
    assert all(field.metadata["doc"] for field in dataclasses.fields(settings))


def test_addresses() -> None:
    assert addresses_of("a:1, b:2") == [("a", 1), ("b", 2)]
    assert addresses_of(["a", "[::1]:9", "[::1]", "::1"]) == [("a", 9092), ("::1", 9), ("::1", 9092), ("::1", 9092)]
    for wrong in ("", "a:b", ":1", "a:0", "a:70000"):
        with pytest.raises(ValueError, match=r"address of a broker|names no broker"):
            addresses_of(wrong)


def test_errors_say_what_was_tried_and_what_to_change() -> None:
    error = broker_error(3, "create a picture", "no such thing")
    assert isinstance(error, UnknownTopic)
    assert error.retriable
    assert str(error) == (
        "create a picture: UNKNOWN_TOPIC_OR_PARTITION (no such thing); "
        "create it with admin.create_topic(...) or see whether its name is right"
    )
    strange = broker_error(9_999, "ask")
    assert (strange.code, str(strange)) == (ErrorCode.UNKNOWN_SERVER_ERROR, "ask: unknown error code 9999")
    assert all(isinstance(broker_error(code, "x"), MoldauError) for code in ErrorCode)


def test_an_error_told_again_is_another_one() -> None:
    error = broker_error(3, "x")
    again = error.again()
    assert again is not error
    assert (type(again), str(again), again.code) == (type(error), str(error), error.code)
