"""Resolve the dependencies of pyproject.toml again and write both lock files, with hashes: `make lock`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMON = [
    *("pip", "compile", "pyproject.toml", "--all-extras", "--group", "build", "--universal"),
    *("--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"),
    *("--no-annotate", "--no-header", "--quiet"),
]
FILES: dict[str, list[str]] = {
    "requirements.lock": [],
    "requirements-dev.lock": ["--group", "dev", "--constraint", "requirements.lock"],
}


def main() -> None:
    """Upgrade what may be upgraded; the development lock never disagrees with the other."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "uv"], check=True)
    for name, more in FILES.items():
        (ROOT / name).unlink(missing_ok=True)
        subprocess.run([sys.executable, "-m", "uv", *COMMON, *more, "-o", name], cwd=ROOT, check=True)
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
