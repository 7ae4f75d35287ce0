"""Which of the two does the work, and that the native one is what its stub says."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

ASK = "from moldau import records; print(records.NATIVE, records.build.__module__, records.BatchBuilder.__module__)"


def answer(**changes: str) -> list[str]:
    environment = {key: value for key, value in os.environ.items() if key != "MOLDAU_TWINS"} | changes
    result = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
    return result.stdout.split()


def test_twins_serve_when_asked_for() -> None:
    assert answer(MOLDAU_TWINS="1") == ["False", "moldau.records.twin.building", "moldau.records.twin.building"]


@pytest.mark.usefixtures("native")
def test_the_native_core_serves_where_it_is() -> None:
    assert answer()[0] == "True"


def test_the_stub_is_true(native: Any) -> None:
    stubtest = [sys.executable, "-m", "mypy.stubtest", native.__name__, "--ignore-missing-stub"]
    result = subprocess.run(stubtest, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
