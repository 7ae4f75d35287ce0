"""One broker for all tests of the client; every test has a topic of its own.

With MOLDAU_KAFKA_LIBS, a directory of Apache Kafka's jars, the same tests run against an Apache Kafka.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.broker.running import running
from tests.client.kafka import apache_kafka


@pytest.fixture(scope="session")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("broker")
    libraries = os.environ.get("MOLDAU_KAFKA_LIBS")
    if libraries:
        with apache_kafka(libraries, directory) as address:
            yield address
        return
    with running(directory) as process:
        yield process.bootstrap


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    name = f"{request.module.__name__.rpartition('.')[2]}-{request.node.name}"
    return "".join(letter if letter.isalnum() else "-" for letter in name)[-200:]
