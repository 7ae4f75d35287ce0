"""Topics that change while the broker serves them: over raw frames, with a clients of other makes, after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
)
from kafka.admin import ConfigResource as PythonResource  # type: ignore[import-untyped]
from kafka.admin import ConfigResourceType, KafkaAdminClient
from kafka.admin import NewPartitions as MorePartitions

from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages import alter_configs as replacing
from moldau.protocol.messages import incremental_alter_configs as changing
from moldau.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from moldau.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.broker.raw import Raw, batch, produce
from tests.broker.running import Running, running

SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER = 2, 4
OF_THE_TOPIC, OF_THE_BROKER, DEFAULT = 1, 4, 5


@pytest.fixture
def raw(broker: Running) -> Any:
    with Raw(broker.address) as connected:
        yield connected


def of(name: str, *changes: tuple[str, int, str | None], kind: int = TOPIC) -> changing.AlterConfigsResource:
    return changing.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[changing.AlterableConfig(name=one, config_operation=what, value=to) for one, what, to in changes],
    )


def change(raw: Raw, version: int, *resources: changing.AlterConfigsResource, validate_only: bool = False) -> list[Any]:
    request = changing.IncrementalAlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    answer = raw.ask(ApiKey.INCREMENTAL_ALTER_CONFIGS, version, request)
    return [(one.resource_type, one.resource_name, one.error_code) for one in answer.responses]


def replace(raw: Raw, version: int, name: str, **values: str) -> Any:
    configs = [replacing.AlterableConfig(name=key.replace("_", "."), value=value) for key, value in values.items()]
    resource = replacing.AlterConfigsResource(resource_type=TOPIC, resource_name=name, configs=configs)
    (answer,) = raw.ask(ApiKey.ALTER_CONFIGS, version, replacing.AlterConfigsRequest(resources=[resource])).responses
    return answer


def described(raw: Raw, topic: str, name: str) -> tuple[str | None, int]:
    resource = DescribeConfigsResource(resource_type=TOPIC, resource_name=topic, configuration_keys=[name])
    answer = raw.ask(ApiKey.DESCRIBE_CONFIGS, 4, DescribeConfigsRequest(resources=[resource]))
    (config,) = answer.results[0].configs
    return config.value, config.config_source


def produced(raw: Raw, topic: str, *values: bytes, partition: int = 0, **more: Any) -> int:
    answer = raw.ask(ApiKey.PRODUCE, 9, produce(topic, batch(*values, **more), partition=partition))
    code: int = answer.responses[0].partition_responses[0].error_code
    return code


# -------------------------------------------------------------------------------- IncrementalAlterConfigs


@pytest.mark.parametrize("version", range(2))
def test_configs_change_one_by_one_in_every_version(raw: Raw, version: int) -> None:
    name, other = f"changes-v{version}", f"changes-not-v{version}"
    raw.topic(name, retention_ms="7", cleanup_policy="compact")
    raw.topic(other)
    assert change(
        raw,
        version,
        of(name, ("retention.ms", DELETE, None), ("segment.ms", SET, "9"), ("cleanup.policy", APPEND, "delete")),
        of("nowhere", ("segment.ms", SET, "9")),
        of(other, ("segment.ms", SET, "never")),
        of("1", ("num.partitions", SET, "3"), kind=BROKER),
    ) == [
        (TOPIC, name, 0),
        (TOPIC, "nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, other, ErrorCode.INVALID_CONFIG),
        (BROKER, "1", ErrorCode.INVALID_REQUEST),
    ]
    assert described(raw, name, "retention.ms") == ("604800000", DEFAULT)
    assert described(raw, name, "segment.ms") == ("9", OF_THE_TOPIC)
    assert described(raw, name, "cleanup.policy") == ("compact,delete", OF_THE_TOPIC)
    assert described(raw, other, "segment.ms") == ("604800000", DEFAULT)
    change(raw, version, of(name, ("cleanup.policy", SUBTRACT, "compact")))
    assert described(raw, name, "cleanup.policy") == ("delete", OF_THE_TOPIC)


def test_what_is_only_validated_stays_as_it_was(raw: Raw) -> None:
    raw.topic("validated")
    assert change(raw, 1, of("validated", ("segment.ms", SET, "9")), validate_only=True) == [(TOPIC, "validated", 0)]
    assert described(raw, "validated", "segment.ms") == ("604800000", DEFAULT)


def test_a_change_is_in_effect_when_it_is_answered(raw: Raw) -> None:
    raw.topic("effect")
    assert produced(raw, "effect", b"v" * 2000) == 0
    change(raw, 1, of("effect", ("max.message.bytes", SET, "1000")))
    assert produced(raw, "effect", b"v" * 2000) == ErrorCode.MESSAGE_TOO_LARGE
    change(raw, 1, of("effect", ("max.message.bytes", DELETE, None), ("cleanup.policy", SET, "compact")))
    assert produced(raw, "effect", b"without a key") == ErrorCode.INVALID_RECORD
    change(raw, 1, of("effect", ("cleanup.policy", SUBTRACT, "compact"), ("min.insync.replicas", SET, "2")))
    assert produced(raw, "effect", b"v" * 2000) == ErrorCode.NOT_ENOUGH_REPLICAS
    change(raw, 1, of("effect", ("min.insync.replicas", DELETE, None)))
    assert produced(raw, "effect", b"v" * 2000) == 0


def test_the_brokers_default_shows_again_where_the_topics_own_goes(tmp_path: Path) -> None:
    given = ("--set", "log.retention.ms=55", "--set", "log.cleanup.policy=compact")
    with running(tmp_path / "data", *given) as started, Raw(started.address) as raw:
        raw.topic("t", retention_ms="7")
        assert change(raw, 1, of("t", ("retention.ms", DELETE, None), ("cleanup.policy", APPEND, "delete"))) == [
            (TOPIC, "t", 0)
        ]
        assert described(raw, "t", "retention.ms") == ("55", OF_THE_BROKER)
        assert described(raw, "t", "cleanup.policy") == ("compact,delete", OF_THE_TOPIC)


# ------------------------------------------------------------------------------------------- AlterConfigs


@pytest.mark.parametrize("version", range(3))
def test_configs_are_replaced_in_every_version(raw: Raw, version: int) -> None:
    name = f"replaced-v{version}"
    raw.topic(name, retention_ms="7")
    assert replace(raw, version, name, segment_ms="9").error_code == 0
    assert described(raw, name, "retention.ms") == ("604800000", DEFAULT)
    assert described(raw, name, "segment.ms") == ("9", OF_THE_TOPIC)
    wrong = replace(raw, version, name, segment_m="9")
    assert wrong.error_code == ErrorCode.INVALID_CONFIG
    assert "did you mean segment.ms?" in wrong.error_message
    assert described(raw, name, "segment.ms") == ("9", OF_THE_TOPIC)
    assert replace(raw, version, name).error_code == 0
    assert described(raw, name, "segment.ms") == ("604800000", DEFAULT)


# --------------------------------------------------------------------------------------- CreatePartitions


def grow(raw: Raw, version: int, *topics: CreatePartitionsTopic, validate_only: bool = False) -> list[tuple[str, int]]:
    request = CreatePartitionsRequest(topics=list(topics), timeout_ms=5000, validate_only=validate_only)
    answer = raw.ask(ApiKey.CREATE_PARTITIONS, version, request)
    return [(one.name, one.error_code) for one in answer.results]


def to(name: str, count: int, *replicas: list[int]) -> CreatePartitionsTopic:
    assignments = [CreatePartitionsAssignment(broker_ids=brokers) for brokers in replicas] or None
    return CreatePartitionsTopic(name=name, count=count, assignments=assignments)


@pytest.mark.parametrize("version", range(4))
def test_partitions_are_added_and_serve_at_once_in_every_version(raw: Raw, version: int) -> None:
    name, told = f"grows-v{version}", f"grows-as-told-v{version}"
    raw.topic(name)
    raw.topic(told)
    assert [one.partition_index for one in raw.metadata(name).topics[0].partitions] == [0]
    assert produced(raw, name, b"v", partition=2) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert grow(raw, version, to(name, 3), to(told, 2, [1]), to("nowhere", 2)) == [
        (name, 0),
        (told, 0),
        ("nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert [produced(raw, name, b"v", partition=index) for index in range(3)] == [0, 0, 0]
    assert [one.leader_id for one in raw.metadata(name).topics[0].partitions] == [1, 1, 1]
    assert grow(raw, version, to(name, 3)) == [(name, ErrorCode.INVALID_PARTITIONS)]
    assert grow(raw, version, to(name, 5), to(name, 6)) == [(name, ErrorCode.INVALID_REQUEST)]
    assert grow(raw, version, to(name, 4, [7])) == [(name, ErrorCode.INVALID_REPLICA_ASSIGNMENT)]
    assert grow(raw, version, to(name, 4), validate_only=True) == [(name, 0)]
    assert len(raw.metadata(name).topics[0].partitions) == 3


def test_partitions_that_come_with_a_change_of_configs_obey_it(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started, Raw(started.address) as raw:
        raw.topic("both")
        first = changing.IncrementalAlterConfigsRequest(resources=[of("both", ("segment.ms", SET, "900000"))])
        smaller = changing.IncrementalAlterConfigsRequest(resources=[of("both", ("segment.bytes", SET, "1048576"))])
        raw.send(  # the last two wait for the first one's sync and are committed together
            raw.frame(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, first),
            raw.frame(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, smaller),
            raw.frame(ApiKey.CREATE_PARTITIONS, 3, CreatePartitionsRequest(topics=[to("both", 2)])),
        )
        changed = [raw.receive()[1].responses[0].error_code for _ in range(2)]
        assert [*changed, raw.receive()[1].results[0].error_code] == [0, 0, 0]
        for partition in range(2):
            assert [produced(raw, "both", b"v" * 700_000, partition=partition) for _ in range(2)] == [0, 0]
            assert len(list((tmp_path / "data" / f"both-{partition}").glob("*.log"))) == 2


# --------------------------------------------------------------------------------- clients of other makes


def test_confluent_changes_configs_and_a_restart_keeps_them(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        admin = AdminClient({"bootstrap.servers": started.bootstrap})
        admin.create_topics([NewTopic("kept", 1, 1)])["kept"].result(8)
        alter(admin, "kept", ("max.message.bytes", "1000", "SET"), ("cleanup.policy", "compact", "APPEND"))
        with pytest.raises(KafkaException, match="must be at least"):
            alter(admin, "kept", ("max.message.bytes", "-1", "SET"))
        with pytest.raises(KafkaException, match="restart the broker"):
            alter(admin, "1", ("num.partitions", "4", "SET"), kind="broker")
        assert started.stop() == 0
    with running(tmp_path / "data") as started:
        admin = AdminClient({"bootstrap.servers": started.bootstrap})
        resource = ConfigResource("topic", "kept")
        configs = admin.describe_configs([resource])[resource].result(8)
        assert (configs["max.message.bytes"].value, configs["max.message.bytes"].source) == ("1000", OF_THE_TOPIC)
        assert configs["cleanup.policy"].value == "delete,compact"
        with Raw(started.address) as raw:
            assert produced(raw, "kept", b"v" * 2000, key=b"k") == ErrorCode.MESSAGE_TOO_LARGE
            alter(admin, "kept", ("max.message.bytes", None, "DELETE"))
            assert produced(raw, "kept", b"v" * 2000, key=b"k") == 0


def test_confluent_adds_partitions_and_a_restart_keeps_them(tmp_path: Path) -> None:
    with running(tmp_path / "data") as started:
        admin = AdminClient({"bootstrap.servers": started.bootstrap})
        admin.create_topics([NewTopic("wider", 1, 1)])["wider"].result(8)
        admin.create_partitions([NewPartitions("wider", 3)])["wider"].result(8)
        assert sorted(admin.list_topics("wider", timeout=8).topics["wider"].partitions) == [0, 1, 2]
        with pytest.raises(KafkaException, match="ask for 4 or more"):
            admin.create_partitions([NewPartitions("wider", 2)])["wider"].result(8)
        with Raw(started.address) as raw:
            assert produced(raw, "wider", b"first", partition=2) == 0
        started.kill()
    with running(tmp_path / "data") as started, Raw(started.address) as raw:
        assert [one.leader_id for one in raw.metadata("wider").topics[0].partitions] == [1, 1, 1]
        answer = raw.ask(ApiKey.PRODUCE, 9, produce("wider", batch(b"second"), partition=2))
        answer = answer.responses[0].partition_responses[0]
        assert (answer.error_code, answer.base_offset) == (0, 1)


def test_confluent_replaces_configs(broker: Running) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    topic = NewTopic("replaced-by-confluent", 1, 1, config={"retention.ms": "7"})
    admin.create_topics([topic])["replaced-by-confluent"].result(8)
    resource = ConfigResource("topic", "replaced-by-confluent", set_config={"segment.ms": "9"})
    with pytest.warns(DeprecationWarning, match="incremental_alter_configs"):
        admin.alter_configs([resource])[resource].result(8)
    configs = admin.describe_configs([resource])[resource].result(8)
    assert configs["segment.ms"].value == "9"
    assert configs["retention.ms"].is_default


def test_kafka_python_changes_configs_and_adds_partitions(broker: Running, raw: Raw) -> None:
    raw.topic("python-changes", segment_ms="9")
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.alter_configs([PythonResource(ConfigResourceType.TOPIC, "python-changes", configs={"retention.ms": "7"})])
    admin.create_partitions({"python-changes": MorePartitions(2)})
    admin.close()
    assert described(raw, "python-changes", "retention.ms") == ("7", OF_THE_TOPIC)
    assert described(raw, "python-changes", "segment.ms") == ("9", OF_THE_TOPIC)
    assert produced(raw, "python-changes", b"v", partition=1) == 0


def alter(admin: AdminClient, name: str, *changes: tuple[str, str | None, str], kind: str = "topic") -> None:
    entries = [ConfigEntry(one, value, incremental_operation=AlterConfigOpType[what]) for one, value, what in changes]
    resource = ConfigResource(kind, name, incremental_configs=entries)
    admin.incremental_alter_configs([resource])[resource].result(8)
