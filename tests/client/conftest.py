"""One broker for all tests of the client; every test has a topic of its own.

With MOLDAU_TEST_BOOTSTRAP the tests run against the cluster that it names, such as a freshly formatted Apache Kafka.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.broker.running import running


@pytest.fixture(scope="session")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    named = os.environ.get("MOLDAU_TEST_BOOTSTRAP")
    if named:
        yield named
        return
    with running(tmp_path_factory.mktemp("broker")) as process:
        yield process.bootstrap


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    name = f"{request.module.__name__.rpartition('.')[2]}-{request.node.name}"
    return "".join(letter if letter.isalnum() else "-" for letter in name)[-200:]
