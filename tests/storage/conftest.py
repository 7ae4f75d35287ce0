"""Two disks for every test that asks for one: the faultless one in memory and the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from moldau.environment import Disk
from moldau.environment.memory.disk import MemoryDisk
from moldau.environment.real.disk import RealDisk


@pytest.fixture(params=["memory", "real"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Disk, str]:
    """A disk and a directory on it that is there."""
    if request.param == "real":
        return RealDisk(), str(tmp_path)
    disk = MemoryDisk()
    disk.make_directory("/data")
    return disk, "/data"
