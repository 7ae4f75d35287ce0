"""The README's examples run, against the broker that they name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.bench.brokers import free_port

from tests.peers.conftest import BrokerProcess

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = dict(
    re.findall(r"<!-- example: ([\w-]+) -->\n```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
)
PRINTS = {"kafka-python": "b'apple'", "client": "3 [b'42', b'43', b'44']", "spark": "1"}
PREPARED = {"spark": "prices"}


def test_the_readme_has_these_examples() -> None:
    assert sorted(EXAMPLES) == sorted(PRINTS)


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path / "data", listen=f"127.0.0.1:{free_port()}")
    if topic := PREPARED.get(name):
        produce = [sys.executable, "-m", "moldau", "produce", topic, "-b", broker.bootstrap]
        subprocess.run(produce, input=b"42\n", check=True, timeout=30)
    code = EXAMPLES[name].replace("127.0.0.1:9092", broker.bootstrap)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=110, check=False
    )
    assert broker.stop() == 0
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == PRINTS[name]
