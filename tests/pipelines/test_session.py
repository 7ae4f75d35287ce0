"""How a session is set up, without starting one."""

from __future__ import annotations

import pytest

from moldau.pipelines import session


@pytest.mark.parametrize(
    ("given", "used"),
    [
        (None, "local[*,4]"),
        ("local", "local[1,4]"),
        ("local[2]", "local[2,4]"),
        ("local[2,1]", "local[2,1]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_local_masters_repeat_failed_tasks(given: str | None, used: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOLDAU_SPARK", raising=False)
    assert session.resolve_master(given) == used


def test_the_environment_says_where_spark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOLDAU_SPARK", "local[3]")
    assert session.resolve_master(None) == "local[3,4]"
    assert session.resolve_master("local[1]") == "local[1,4]"


def test_a_local_spark_listens_to_nobody_else() -> None:
    assert session.preset("local[2,4]")["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.driver.bindAddress" not in session.preset("spark://host:7077")


def test_settings_as_keyword_arguments() -> None:
    assert session.named({"spark__driver__memory": "2g"}) == {"spark.driver.memory": "2g"}
