"""Every test that takes `side` runs on the native core and on its twin."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from moldau.records import twin


def native_core() -> Any:
    try:
        return importlib.import_module("moldau._core")
    except ModuleNotFoundError:
        pytest.skip("the native core is not built here: python setup.py build_rust --inplace --release")


@pytest.fixture(params=["native", "twin"])
def side(request: pytest.FixtureRequest) -> Any:
    """The module under test."""
    return native_core() if request.param == "native" else twin


@pytest.fixture(scope="session")
def native() -> Any:
    return native_core()
