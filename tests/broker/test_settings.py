"""Settings: files, overrides, ranges, names without effect, and the tables beside Kafka's own list."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from moldau.broker.configs import ConfigError, format_value, read_properties
from moldau.broker.load import BROKER_CONFIGS, load_settings, names_without_effect
from moldau.broker.settings import BrokerSettings, Endpoint
from moldau.broker.topic_settings import TOPIC_CONFIGS, TopicSettings, check_topic_configs, topic_settings
from moldau.broker.without_effect import without_effect
from tests.broker.reference import reference

KAFKAS_OWN_FILE = """
# The role of this server.
process.roles=broker,controller
node.id=7
controller.quorum.bootstrap.servers=localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://kafka.example:9092,CONTROLLER://kafka.example:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
log.dirs=/tmp/kraft-combined-logs
num.partitions=4
offsets.topic.replication.factor=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
"""


def test_a_server_properties_of_kafka_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text(KAFKAS_OWN_FILE)
    settings = load_settings(str(file))
    assert settings.node_id == 7
    assert settings.endpoints == (Endpoint("PLAINTEXT", "", 9092),)
    assert settings.advertised_for(settings.endpoints[0], 9092) == Endpoint("PLAINTEXT", "kafka.example", 9092)
    assert settings.data_dir == "/tmp/kraft-combined-logs"
    assert settings.num_partitions == 4
    assert settings.log_retention_ms == 168 * 3_600_000
    assert "num.io.threads" in names_without_effect(settings)
    assert "num.partitions" not in names_without_effect(settings)


def test_overrides_stand_over_the_file_and_the_options_over_both(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=4\nlog.dirs=/a\nlisteners=PLAINTEXT://:1\n")
    settings = load_settings(str(file), {"num.partitions": "5"}, str(tmp_path), "127.0.0.1:0")
    assert settings.num_partitions == 5
    assert settings.data_dir == str(tmp_path)
    assert settings.endpoints == (Endpoint("PLAINTEXT", "127.0.0.1", 0),)


def test_an_address_for_all_interfaces_is_advertised_as_the_hosts_name() -> None:
    settings = load_settings(listen="0.0.0.0:9999", host_name="box")
    assert settings.advertised_for(settings.endpoints[0], 9999) == Endpoint("PLAINTEXT", "box", 9999)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"num.partition": "1"}, "unknown setting num.partition; did you mean num.partitions?"),
        ({"num.partitions": "many"}, "num.partitions=many: expected a whole number"),
        ({"num.partitions": "0"}, "num.partitions=0: must be at least 1"),
        ({"num.partitions": str(2**31)}, "expected a whole number of 32 bits"),
        ({"durability": "maybe"}, "must be one of fsync, page-cache"),
        ({"listeners": "localhost:9092"}, "expected NAME://HOST:PORT"),
        ({"listeners": "SSL://:9092"}, "this version serves PLAINTEXT"),
        ({"listeners": "CONTROLLER://:9093"}, "none is for clients"),
        ({"advertised.listeners": "PLAINTEXT://0.0.0.0:9092"}, "clients cannot connect to it"),
        ({"advertised.listeners": "OTHER://a:9092"}, "no listener of that name"),
        ({"log.dirs": "/a,/b"}, "one directory is used"),
        ({"process.roles": "broker"}, "set broker,controller"),
        ({"controller.quorum.voters": "1@a:1,2@b:1"}, "a quorum of one"),
        ({"authorizer.class.name": "org.apache.Some"}, "access control is not available"),
        ({"num.io.threads": "x"}, "num.io.threads=x: expected a whole number"),
    ],
)
def test_what_cannot_be_says_what_to_change(overrides: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(None, overrides)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_listen_option_must_be_an_address() -> None:
    for wrong in ("9092", "host", "host:port", "host:70000"):
        with pytest.raises(ConfigError, match="HOST:PORT"):
            load_settings(listen=wrong)


def test_properties_files_may_continue_lines_and_use_colons() -> None:
    assert read_properties("a = 1\n! no\nb: 2\nc=x,\\\n   y\nd\n") == {"a": "1", "b": "2", "c": "x,y", "d": ""}


def test_topic_settings_take_the_topics_value_then_the_brokers_then_the_default() -> None:
    broker = {"message.max.bytes": "2000", "log.retention.ms": "5"}
    settings = topic_settings(broker, {"max.message.bytes": "1000"})
    assert settings.max_message_bytes == 1000
    assert settings.retention_ms == 5
    assert settings.segment_bytes == 1 << 30


def test_topic_configs_are_checked() -> None:
    check_topic_configs({"retention.ms": "-1", "cleanup.policy": "compact,delete"})
    for configs, says in (
        ({"retention.m": "1"}, "did you mean retention.ms"),
        ({"retention.ms": None}, "has no value"),
        ({"cleanup.policy": "shred"}, "must be one of delete, compact"),
    ):
        with pytest.raises(ConfigError, match=says):
            check_topic_configs(configs)


def test_every_row_has_a_doc_and_a_default_in_its_range() -> None:
    for settings in (BrokerSettings, TopicSettings):
        for field in dataclasses.fields(settings):
            row = field.metadata.get("config")
            if row is not None:
                assert row.doc.endswith((".", "does.")), row.name
                if row.default is not None:
                    row.check(row.default)
                    assert row.parse(format_value(row.default) or "") == row.default


def test_every_name_of_kafka_is_known() -> None:
    tables = json.loads(reference("configs.json").read_text())
    known = {*BROKER_CONFIGS, *without_effect()}
    aliases = {"log.dir", "log.retention.hours", "log.retention.minutes", "log.roll.hours", "authorizer.class.name"}
    missing = [row[0] for row in tables["broker"] if "." in row[0] and row[0] not in known | aliases]
    assert missing == []
    topics = [row[0] for row in tables["topic"] if not row[0].startswith("internal.")]
    assert sorted(topics) == sorted(TOPIC_CONFIGS)


def test_defaults_are_kafkas_unless_they_are_meant_to_differ() -> None:
    tables = json.loads(reference("configs.json").read_text())
    ours = {name: row for name, (_, row) in {**BROKER_CONFIGS, **TOPIC_CONFIGS}.items()}
    meant = {
        "node.id",
        "process.roles",
        "controller.listener.names",
        "listeners",
        "listener.security.protocol.map",
        "max.connections",
        "max.connections.per.ip",
        "log.retention.ms",
        "log.roll.ms",
    }
    different = []
    for name, _, default, *_ in [*tables["broker"], *tables["topic"]]:
        row = ours.get(name)
        if row is None or name in meant:
            continue
        text = "" if default is None else str(default).removesuffix(" (empty)").removeprefix("[").removesuffix("]")
        if text != (format_value(row.default) or ""):
            different.append((name, default, row.default))
    assert different == []
