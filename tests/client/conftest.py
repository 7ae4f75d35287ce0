"""One broker for all tests of the client; every test has a topic of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.broker.running import Running, running


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("broker")) as process:
        yield process


@pytest.fixture
def bootstrap(broker: Running) -> str:
    return broker.bootstrap


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name)
    return name[-200:]
