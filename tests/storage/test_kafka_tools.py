"""Apache Kafka's own tool reads what is written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moldau.environment.real.disk import RealDisk
from moldau.storage import Log, LogSettings
from tests.peers.kafka_tools import DUMP_LOG, KafkaTools, find
from tests.storage.stored import append


@pytest.fixture(scope="module")
def tools() -> KafkaTools:
    return find()


def test_dump_log_segments_has_no_complaints(tmp_path: Path, tools: KafkaTools) -> None:
    def dump(files: list[Path], *options: str) -> str:
        return tools.run(DUMP_LOG, *options, "--files", ",".join(map(str, files)))

    directory = tmp_path / "orders-0"
    log = Log.open(RealDisk(), str(directory), LogSettings(segment_bytes=10_000, index_interval_bytes=500))
    for turn in range(300):
        stamp = 1_700_000_000_000 + turn * 7 % 100 * 1000
        append(log, b"a" * (turn % 60), b"b", timestamp=stamp, producer_id=9, producer_epoch=1, base_sequence=2 * turn)
    log.close()
    files = sorted(directory.iterdir())
    assert len([file for file in files if file.suffix == ".log"]) > 2
    text = dump([file for file in files if file.suffix in (".log", ".index", ".timeindex", ".snapshot")])
    assert len(re.findall(r"^baseOffset: ", text, re.MULTILINE)) == 300
    assert "isvalid: false" not in text
    assert len(re.findall(r"^offset: \d+ position: \d+", text, re.MULTILINE)) > 30
    assert len(re.findall(r"^timestamp: \d+ offset: \d+", text, re.MULTILINE)) > 10
    last = re.findall(
        r"^producerId: 9 producerEpoch: 1 .*firstSequence: (\d+) lastSequence: (\d+) lastOffset: (\d+)",
        text,
        re.MULTILINE,
    )[-1]
    assert last == ("598", "599", "599")
    sane = dump([file for file in files if "index" in file.suffix], "--index-sanity-check")
    assert sane.count("passed sanity check") == len([file for file in files if "index" in file.suffix])
