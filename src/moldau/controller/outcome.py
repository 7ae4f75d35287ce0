"""What a decision returns: the records to append and the answer to give once they are committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from moldau.protocol.tables import Top

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """Records that count together or not at all, and a response that is only told when they are committed."""

    records: tuple[Top, ...]
    response: R
