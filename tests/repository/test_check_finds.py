"""Each check of `make check` fails for what it is there to find: the fault is planted in a copy of the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "tools", "docs")
COPIED_FILES = ("pyproject.toml", "Makefile", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the checks look at."""
    skipped = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skipped)
    for name in COPIED_FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def check(tree: Path, name: str) -> tuple[int, str]:
    """What `make check ARGS=NAME` runs, on that tree."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.check", name],
        cwd=tree,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tree / 'src'}:{tree}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def plant(tree: Path, file: str, pattern: str, replacement: str) -> None:
    path = tree / file
    changed, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, f"{file} has no {pattern!r} to change"
    path.write_text(changed)


def test_an_import_that_goes_up(tree: Path) -> None:
    plant(tree, "src/moldau/storage/__init__.py", r"\Z", "\nfrom moldau.broker import settings as settings\n")
    code, output = check(tree, "floors")
    assert code == 1
    assert "`storage` (floor 4) imports `broker` (floor 7)" in output


def test_a_pure_room_that_looks_at_the_clock(tree: Path) -> None:
    plant(tree, "src/moldau/raft/__init__.py", r"\Z", "\nimport time as time\n")
    code, output = check(tree, "floors")
    assert code == 1
    assert "imports `time`, but `raft` is pure" in output


def test_a_stale_document(tree: Path) -> None:
    plant(tree, "docs/architecture.md", r"^\| `raft/` \|.*\n", "")
    code, output = check(tree, "docs")
    assert code == 1
    assert "the room `raft/` is not in the folder table" in output


def test_a_page_that_its_table_no_longer_says(tree: Path) -> None:
    plant(tree, "docs/configuration.md", r"^\| `num\.partitions` \|", "| `num.partition` |")
    code, output = check(tree, "docs")
    assert code == 1
    assert "docs/configuration.md: not what the tables say now" in output


def test_a_command_that_does_not_exist(tree: Path) -> None:
    plant(tree, "README.md", r"\Z", "\n```\nmoldau start --dat x\n```\n")
    code, output = check(tree, "docs")
    assert code == 1
    assert "`moldau start --dat`: there is no such option" in output


def test_an_untyped_function(tree: Path) -> None:
    plant(tree, "src/moldau/model/numbers.py", r"\Z", "\n\ndef untyped(value):\n    return value\n")
    code, output = check(tree, "types")
    assert code == 1
    assert "Function is missing a type annotation" in output


def test_a_message_table_changed_by_one_field(tree: Path) -> None:
    plant(tree, "src/moldau/protocol/messages/fetch.py", r"^    min_bytes: Int32 = 0$", "    min_bytes: Int32 = 1")
    code, output = check(tree, "messages")
    assert code == 1
    assert "FetchRequest" in output


def test_a_twin_that_differs(tree: Path) -> None:
    plant(
        tree, "src/moldau/records/twin/building.py", r"^    base_sequence: int = -1,$", "    base_sequence: int = -2,"
    )
    code, output = check(tree, "twins")
    assert code == 1
    assert "twin" in output


def test_generated_code_changed_by_hand(tree: Path) -> None:
    plant(tree, "src/moldau/client/_sync/producer.py", r"\Z", "\nADDED_BY_HAND = True\n")
    code, output = check(tree, "generated")
    assert code == 1
    assert "producer.py" in output


def test_the_tree_as_it_is_passes(tree: Path) -> None:
    for name in ("floors", "docs", "generated"):
        code, output = check(tree, name)
        assert code == 0, output
