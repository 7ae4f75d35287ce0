"""Whether a log directory may still be written; shared by the directory, its logs and the committer.

After a failed write or sync nobody knows what the kernel still holds, so nothing in the directory is written again
until the process starts anew and recovers. What it never does: retry, or heal.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from moldau.model import ApiError, ErrorCode

_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


class CorruptLog(Exception):  # noqa: N818  (it names the trouble)
    """Bytes that were safely on disk are damaged or missing; nothing was cut, an operator must decide."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            f"{path}: {problem}. Nothing was changed. Remove this replica's directory to have it fetched again from "
            f"another replica, or restore it from a copy"
        )
        self.path = path
        self.problem = problem


class Health:
    """The first failure of a log directory, or None."""

    __slots__ = ("_failed", "error")

    def __init__(self, failed: Callable[[OSError], None] | None = None) -> None:
        self.error: OSError | None = None
        self._failed = failed

    def fail(self, error: OSError) -> ApiError:
        """Mark the directory failed (told on once) and give what the request in hand is answered with."""
        if self.error is None:
            self.error = error
            if self._failed is not None:
                self._failed(error)
        return ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"the log directory failed: {error}")

    def refuse(self) -> ApiError:
        """What whoever comes after the failure is answered with."""
        return ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"the log directory failed earlier: {self.error}")

    def unopened(self, error: OSError) -> ApiError:
        """A file could not be opened: no failure of the directory when descriptors merely ran out."""
        if error.errno in _OUT_OF_DESCRIPTORS:
            return ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"no file descriptor is free: {error}; raise the limit")
        return self.fail(error)
