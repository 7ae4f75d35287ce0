"""One broker for all tests that need no broker of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.broker.running import Running, running


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A broker that keeps running; each test takes topics of its own."""
    with running(tmp_path_factory.mktemp("broker") / "data") as started:
        yield started
