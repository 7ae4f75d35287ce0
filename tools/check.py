"""All that a change must pass, in one command: `python -m tools.check [NAME...] [--without NAME]`.

Each check is a command of its own that can be run alone; a check that fails does not stop the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tools import docs, floors

ROOT = Path(__file__).resolve().parent.parent
Check = Callable[[], list[str]]
"""Returns what is wrong, a line each; nothing when all is well."""


def main(arguments: list[str] | None = None) -> int:
    """Run the named checks (all of them when none is named) and say which failed."""
    parser = argparse.ArgumentParser(prog="make check", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(CHECKS)}")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this check out")
    options = parser.parse_args(arguments)
    if unknown := [name for name in [*options.names, *options.without] if name not in CHECKS]:
        parser.error(f"no such check: {', '.join(unknown)}; there are: {', '.join(CHECKS)}")
    failed = []
    for name in options.names or CHECKS:
        if name in options.without:
            continue
        started = time.monotonic()
        problems = CHECKS[name]()
        print(f"{'FAILED' if problems else 'ok    '} {name} ({time.monotonic() - started:.1f} s)", flush=True)
        if problems:
            failed.append(name)
            print("\n".join(f"    {line}" for line in problems), flush=True)
    if failed:
        print(f"check failed: {', '.join(failed)}")
    return bool(failed)


def _command(*command: str) -> Check:
    def check() -> list[str]:
        done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)
        output = (done.stdout + done.stderr).strip().splitlines()
        return (output or [f"exit code {done.returncode}"]) if done.returncode else []

    return check


def _streamed(*command: str) -> Check:
    """Like `_command`, for what runs for minutes: its output is shown as it comes."""

    def check() -> list[str]:
        code = subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode
        return [f"exit code {code}"] if code else []

    return check


def _stubs() -> list[str]:
    """The stub of the compiled core says what the core is; nothing to compare where the core is not built."""
    if not any(ROOT.glob("src/moldau/_core*.so")):
        return []
    return _command("-m", "mypy.stubtest", "moldau._core", "--ignore-missing-stub")()


CHECKS: dict[str, Check] = {
    "format": _command("-m", "ruff", "format", "--check", "."),
    "lint": _command("-m", "ruff", "check", "."),
    "types": _command("-m", "mypy"),
    "stubs": _stubs,
    "floors": lambda: list(floors.problems(ROOT)),
    "messages": _command("-m", "pytest", "tests/protocol/test_fingerprints.py", "tests/protocol/test_reference.py"),
    "twins": _command("-m", "pytest", "-x", "tests/records"),
    "generated": _command("-m", "tools.unasync", "--check"),
    "docs": lambda: list(docs.problems(ROOT)),
    "tests": _streamed("-m", "pytest"),
}

if __name__ == "__main__":
    sys.exit(main())
