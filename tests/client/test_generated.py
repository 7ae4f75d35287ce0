"""The synchronous verbs are what the generator makes of the asynchronous ones."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import moldau.client as client

TOOL = Path(__file__).resolve().parents[2] / "tools" / "unasync.py"


@pytest.fixture(scope="module")
def unasync() -> ModuleType:
    spec = importlib.util.spec_from_file_location("unasync", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_is_generated(unasync: ModuleType) -> None:
    assert unasync.stale() == []


@pytest.mark.parametrize("name", ["Client", "Producer", "Consumer", "Admin", "Delivery", "Deliveries"])
def test_both_have_the_same_verbs(name: str) -> None:
    sync, asynchronous = getattr(client, name), getattr(client, f"Async{name}")

    def verbs(kind: type) -> dict[str, list[str]]:
        return {
            verb: list(inspect.signature(member).parameters)
            for verb, member in vars(kind).items()
            if inspect.isfunction(member) and not verb.startswith("_")
        }

    assert verbs(sync) == verbs(asynchronous)
    assert not any(inspect.iscoroutinefunction(member) for member in vars(sync).values())
