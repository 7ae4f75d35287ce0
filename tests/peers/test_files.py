"""Apache Kafka's DumpLogSegments reads every file that the broker writes."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import moldau.client
from tests.peers import kafka_tools
from tests.peers.conftest import BrokerProcess
from tests.peers.kafka_tools import KafkaTools

RECORDS = 4000


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The data directory of a broker that took records in all codecs over several segments, and stopped."""
    chance = random.Random(1)
    broker = BrokerProcess(tmp_path / "data", "log.index.interval.bytes=512")
    with moldau.client.Client(broker.bootstrap) as client:
        client.admin.create_topic("dumped", partitions=1, configs={"segment.bytes": str(1 << 20)})
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            with client.producer(compression=codec, batch_bytes=4096) as producer:
                for index in range(RECORDS // 5):
                    producer.send("dumped", chance.randbytes(900), key=b"%d" % (index % 10))
    assert broker.stop() == 0
    return broker.data


def test_the_log_and_its_indexes_are_read(written: Path, tools: KafkaTools) -> None:
    partition = written / "dumped-0"
    logs = sorted(partition.glob("*.log"))
    assert len(logs) > 1, "the topic should have rolled"
    files = ",".join(str(path) for path in [*logs, *sorted(partition.glob("*index")), *partition.glob("*.snapshot")])
    output = tools.run(kafka_tools.DUMP_LOG, "--files", files, "--deep-iteration", "--verify-index-only")
    for complaint in ("Mismatch", "Found"):
        assert complaint not in output, output
    assert "isvalid: false" not in output.lower()


def test_every_record_is_there(written: Path, tools: KafkaTools) -> None:
    logs = ",".join(str(path) for path in sorted((written / "dumped-0").glob("*.log")))
    output = tools.run(kafka_tools.DUMP_LOG, "--files", logs, "--deep-iteration", "--print-data-log")
    offsets = [int(found) for found in re.findall(r"^\| offset: (\d+) ", output, re.MULTILINE)]
    assert offsets == list(range(RECORDS))
    codecs = set(re.findall(r"compresscodec: (\w+)", output))
    assert codecs == {"none", "gzip", "snappy", "lz4", "zstd"}
    assert "isvalid: false" not in output


def test_the_metadata_log_is_decoded(written: Path, tools: KafkaTools) -> None:
    (log,) = (written / "__cluster_metadata-0").glob("*.log")
    output = tools.run(kafka_tools.DUMP_LOG, "--files", str(log), "--cluster-metadata-decoder")
    for expected in ('"type":"TOPIC_RECORD"', '"name":"dumped"', '"type":"PARTITION_RECORD"', "REGISTER_BROKER_RECORD"):
        assert expected in output, output
    assert "LeaderChange" in output
    assert "Could not decode" not in output
    assert "isvalid: false" not in output
