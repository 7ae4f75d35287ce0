"""One sync of one log: what was unsynced when it began, carried to a thread and back.

Who calls: the log makes it and takes it back, on the loop; the committer (or the log's `flush`) runs it, which may wait
long and belongs off the loop. What it never does: look at the log, which goes on growing meanwhile.

I1 Records first, names last: when `run` returns, every record below `end_offset` is on disk in files whose names are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from moldau.environment import Disk, File


class SyncJob:
    """Files retained until the job is taken back, paths of finished files, directories, and a checkpoint to replace."""

    __slots__ = ("_checkpoint", "_directories", "_disk", "_files", "_paths", "end_offset", "generation")

    def __init__(
        self,
        disk: Disk,
        *,
        end_offset: int,
        generation: int,
        files: Sequence[File],
        paths: Sequence[str],
        directories: Sequence[str],
        checkpoint: tuple[str, bytes] | None,
    ) -> None:
        self.end_offset = end_offset
        self.generation = generation
        self._disk = disk
        self._files = files
        self._paths = paths
        self._directories = directories
        self._checkpoint = checkpoint

    def run(self) -> None:
        """OSError when anything could not be synced."""
        for file in self._files:
            file.sync()
        for path in self._paths:
            with suppress(FileNotFoundError):  # truncated away meanwhile
                self._sync_path(path)
        for directory in self._directories:
            self._disk.sync_directory(directory)
        if self._checkpoint is not None:
            self._disk.replace_file(*self._checkpoint)

    def release(self) -> None:
        """On the loop, once `run` has ended."""
        for file in self._files:
            file.release()

    def _sync_path(self, path: str) -> None:
        file = self._disk.open(path)
        try:
            file.sync()
        finally:
            file.release()
