"""One Spark session for all tests of this room: starting it takes longer than all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    from moldau.pipelines import session

    log = tmp_path_factory.mktemp("spark") / "spark.log"
    running = session.session("local[2]", log=log, spark__driver__defaultJavaOptions=session.QUICK_JAVA)
    yield running
    session.stop(running)
