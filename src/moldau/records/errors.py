"""Why a batch is refused.

Raised by all of `records`, native and twin; a handler turns it into the partition's error and its record errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moldau.model import ApiError, ErrorCode


class RecordError(NamedTuple):
    """One record that spoils its batch: its place in the batch, counted from 0, and why."""

    batch_index: int
    message: str


class InvalidBatch(ApiError):  # noqa: N818  (it names the batch, as Kafka's own words do)
    """A batch that cannot be taken or read, with the code to answer."""

    def __init__(self, code: ErrorCode | int, message: str, record_errors: Sequence[tuple[int, str]] = ()) -> None:
        super().__init__(ErrorCode(code), message)
        self.record_errors = tuple(RecordError(index, reason) for index, reason in record_errors)
