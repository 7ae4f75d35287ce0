"""Build the wheel, install it into an empty environment and start a broker from there: `make wheel-check`."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Exit 0 when the broker of the installed wheel said that it serves, and stopped."""
    with tempfile.TemporaryDirectory(prefix="moldau-wheel-") as scratch:
        place = Path(scratch)
        build = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            scratch,
            ".",
        ]
        subprocess.run(build, cwd=ROOT, check=True)
        (wheel,) = place.glob("moldau-*.whl")
        venv.create(place / "env", with_pip=True)
        python = str(place / "env" / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], cwd=scratch, check=True)
        command = [
            str(place / "env" / "bin" / "moldau"),
            "start",
            "--data",
            str(place / "data"),
            "--listen",
            "127.0.0.1:0",
        ]
        with subprocess.Popen(command, cwd=scratch, stdout=subprocess.PIPE, text=True) as broker:
            assert broker.stdout is not None
            line = broker.stdout.readline()
            broker.send_signal(signal.SIGTERM)
            code = broker.wait(timeout=10)
        print(f"{wheel.name}: {line.strip()} (exit code {code})")
        return 0 if line.startswith("moldau ready ") and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
