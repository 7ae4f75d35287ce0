"""Where reference data lies; tests that compare with it skip loudly where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def reference(name: str) -> Path:
    """The path of one piece of reference data."""
    directory = Path(os.environ.get("MOLDAU_REFERENCE", _ROOT / ".." / "shared" / "reference"))
    path = directory / name
    if not path.exists():
        pytest.skip(f"no reference data at {path}: set MOLDAU_REFERENCE")
    return path
