"""An Apache Kafka of one node, from a directory of its jars, for comparison."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLUSTER = "4L6g3nShT-eMCtK--X86sw"
PROPERTIES = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
offsets.topic.replication.factor=1
auto.create.topics.enable=false
"""


@contextmanager
def apache_kafka(libraries: str, directory: Path) -> Iterator[str]:
    """Its bootstrap address, once it answers."""
    port, controller = _free_port(), _free_port()
    properties = directory / "server.properties"
    properties.write_text(PROPERTIES.format(port=port, controller=controller, data=directory / "data"))
    java = ["java", "-Xmx512m", "-cp", os.path.join(libraries, "*")]
    format_storage = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties)]
    subprocess.run(format_storage, check=True, stdout=subprocess.DEVNULL)
    with (directory / "kafka.log").open("wb") as log:
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
    try:
        _wait_until_it_listens(process, port)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise AssertionError("Apache Kafka ended while it started; see kafka.log in the test's directory")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("Apache Kafka did not listen within 60 s")
