"""One suite for every disk: the faultless one in memory must behave as the real one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from moldau.environment import Disk, FileSlice
from moldau.environment.memory.disk import MemoryDisk
from moldau.environment.real import disk as real
from moldau.environment.real.disk import RealDisk


@pytest.fixture(params=["memory", "real"])
def disk(request: pytest.FixtureRequest) -> Disk:
    return RealDisk() if request.param == "real" else MemoryDisk()


@pytest.fixture
def root(disk: Disk, tmp_path: Path) -> str:
    path = str(tmp_path / "root")
    disk.make_directory(path)
    return path


def test_appended_bytes_are_read(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    assert file.append((b"one",)) == 0
    assert file.append((b"two", bytearray(b"three"), memoryview(b"four"))) == 3
    assert file.append(()) == 15
    assert file.append((b"",)) == 15
    assert file.size() == 15
    assert file.read(3, 8) == b"twothree"
    assert file.read(11, 100) == b"four"
    assert file.read(15, 1) == b""
    file.sync()
    file.release()
    assert disk.read_file(f"{root}/a") == b"onetwothreefour"


def test_more_parts_than_the_kernel_takes_at_once(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    parts = [b"%d," % place for place in range(3000)]
    file.append(parts)
    assert file.read(0, file.size()) == b"".join(parts)
    file.release()


def test_truncation_and_writing_in_place(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append((b"0123456789",))
    file.write_at(2, b"ab")
    file.truncate(5)
    assert file.append((b"xyz",)) == 5
    file.write_at(10, b"end")
    assert file.read(0, 100) == b"01ab4xyz\0\0end"
    file.truncate(0)
    assert (file.size(), file.read(0, 10)) == (0, b"")
    file.release()


def test_an_open_file_outlives_its_removal_and_its_renaming(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.append((b"kept",))
    piece = FileSlice(file, 1, 2)
    file.release()
    disk.rename(f"{root}/a", f"{root}/b")
    disk.remove(f"{root}/b")
    assert not disk.exists(f"{root}/b")
    assert piece.read() == b"ep"
    piece.release()


def test_a_file_is_not_released_twice(disk: Disk, root: str) -> None:
    file = disk.open(f"{root}/a", create=True)
    file.release()
    with pytest.raises(AssertionError):
        file.release()
    with pytest.raises(AssertionError):
        file.retain()


def test_a_file_not_opened_for_writing_is_not_written(disk: Disk, root: str) -> None:
    disk.replace_file(f"{root}/a", b"data")
    file = disk.open(f"{root}/a", writable=False)
    with pytest.raises(OSError):  # noqa: PT011
        file.append((b"more",))
    assert file.read(0, 10) == b"data"
    file.release()


def test_names(disk: Disk, root: str) -> None:
    disk.make_directory(f"{root}/d/e")
    disk.make_directory(f"{root}/d/e")
    disk.replace_file(f"{root}/d/b", b"1")
    disk.replace_file(f"{root}/d/a", b"2")
    disk.replace_file(f"{root}/d/a", b"3")
    assert disk.list(f"{root}/d") == ["a", "b", "e"]
    assert disk.is_directory(f"{root}/d/e")
    assert not disk.is_directory(f"{root}/d/a")
    assert disk.exists(f"{root}/d/a")
    disk.rename(f"{root}/d/a", f"{root}/d/b")
    assert disk.read_file(f"{root}/d/b") == b"3"
    disk.replace_file(f"{root}/d/e/deep", b"4")
    disk.rename(f"{root}/d", f"{root}/moved")
    assert disk.read_file(f"{root}/moved/e/deep") == b"4"
    assert disk.list(root) == ["moved"]
    disk.sync_directory(root)
    disk.remove_tree(f"{root}/moved")
    assert disk.list(root) == []


@pytest.mark.parametrize(
    ("code", "attempt"),
    [
        (errno.ENOENT, lambda disk, root: disk.open(f"{root}/none")),
        (errno.ENOENT, lambda disk, root: disk.open(f"{root}/none/file", create=True)),
        (errno.EISDIR, lambda disk, root: disk.open(f"{root}/dir")),
        (errno.ENOENT, lambda disk, root: disk.list(f"{root}/none")),
        (errno.ENOTDIR, lambda disk, root: disk.list(f"{root}/file")),
        (errno.ENOENT, lambda disk, root: disk.rename(f"{root}/none", f"{root}/x")),
        (errno.EISDIR, lambda disk, root: disk.rename(f"{root}/file", f"{root}/dir")),
        (errno.ENOTDIR, lambda disk, root: disk.rename(f"{root}/dir", f"{root}/file")),
        (errno.ENOTEMPTY, lambda disk, root: disk.rename(f"{root}/empty", f"{root}/dir")),
        (errno.ENOENT, lambda disk, root: disk.remove(f"{root}/none")),
        (errno.ENOENT, lambda disk, root: disk.remove_tree(f"{root}/none")),
        (errno.ENOENT, lambda disk, root: disk.read_file(f"{root}/none")),
        (errno.ENOENT, lambda disk, root: disk.replace_file(f"{root}/none/file", b"")),
        (errno.ENOENT, lambda disk, root: disk.sync_directory(f"{root}/none")),
    ],
)
def test_errors_say_what_is_wrong(disk: Disk, root: str, code: int, attempt: Callable[[Disk, str], object]) -> None:
    disk.make_directory(f"{root}/dir/inner")
    disk.make_directory(f"{root}/empty")
    disk.replace_file(f"{root}/file", b"")
    with pytest.raises(OSError) as error:  # noqa: PT011
        attempt(disk, root)
    assert error.value.errno == code
    assert disk.list(root) == ["dir", "empty", "file"]


def test_a_lock_is_held_by_one(disk: Disk, root: str) -> None:
    unlock = disk.lock(f"{root}/.lock")
    assert unlock is not None
    assert disk.lock(f"{root}/.lock") is None
    unlock()
    again = disk.lock(f"{root}/.lock")
    assert again is not None
    again()


def test_there_is_room(disk: Disk, root: str) -> None:
    assert 0 < disk.free_bytes(root) <= disk.total_bytes(root)


def test_nobody_else_may_look(tmp_path: Path) -> None:
    disk = RealDisk()
    before = os.umask(0)
    try:
        disk.make_directory(str(tmp_path / "a" / "b"))
        disk.open(str(tmp_path / "a" / "file"), create=True).release()
        disk.replace_file(str(tmp_path / "a" / "replaced"), b"")
        unlock = disk.lock(str(tmp_path / "a" / ".lock"))
    finally:
        os.umask(before)
    assert unlock is not None
    unlock()
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    for name in ("file", "replaced", ".lock"):
        assert stat.S_IMODE((tmp_path / "a" / name).stat().st_mode) == 0o600


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, write_many = os.pwrite, os.pwritev
    monkeypatch.setattr(real, "_write", lambda fd, data, at: write(fd, bytes(data)[:3], at))
    monkeypatch.setattr(os, "pwritev", lambda fd, parts, at: write_many(fd, [b"".join(parts)[:3]], at))
    file = RealDisk().open(str(tmp_path / "a"), create=True)
    file.append((b"0123456789",))
    file.append((b"ab", b"", b"cdefgh", b"i"))
    file.write_at(0, b"ABCDE")
    assert file.read(0, 100) == b"ABCDE56789abcdefghi"
    file.release()


@pytest.mark.parametrize("call", ["_write", "_sync_descriptor", "ftruncate"])
def test_a_file_that_failed_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    file = RealDisk().open(str(tmp_path / "a"), create=True)
    file.append((b"good",))

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        broken.setattr(os if call == "ftruncate" else real, call, fail)
        attempts: dict[str, Callable[[], object]] = {
            "_write": lambda: file.append((b"x",)),
            "_sync_descriptor": file.sync,
            "ftruncate": lambda: file.truncate(0),
        }
        with pytest.raises(OSError, match="broken"):
            attempts[call]()
    for attempt in (lambda: file.append((b"x",)), lambda: file.truncate(0), file.sync, lambda: file.write_at(0, b"")):
        with pytest.raises(OSError, match="earlier"):
            attempt()
    assert file.read(0, 10) == b"good"
    file.release()
