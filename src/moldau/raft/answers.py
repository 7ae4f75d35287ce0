"""What a voter answers to a fetch. Used by `Raft`; looks at the log, changes nothing."""

from __future__ import annotations

from moldau.model import ErrorCode
from moldau.raft.journal import Journal
from moldau.raft.messages import FetchRequest, FetchResponse


def diverges(journal: Journal, request: FetchRequest) -> bool:
    """Whether the asker's log is not the beginning of this one."""
    end = journal.end_of_epoch(request.last_epoch)
    return end.epoch != request.last_epoch or end.offset < request.offset


def answer(journal: Journal, request: FetchRequest, epoch: int, high_watermark: int, max_bytes: int) -> FetchResponse:
    """A leader's answer: what follows, or where the asker's log leaves this one."""
    diverging = journal.end_of_epoch(request.last_epoch) if diverges(journal, request) else None
    return FetchResponse(
        source=request.target,
        target=request.source,
        epoch=epoch,
        leader=request.target,
        error=ErrorCode.NONE,
        number=request.number,
        high_watermark=high_watermark,
        diverging=diverging,
        batches=() if diverging else journal.read(request.offset, max_bytes),
    )


def refusal(request: FetchRequest, epoch: int, leader: int | None, error: ErrorCode) -> FetchResponse:
    """Nothing, and who leads as far as is known."""
    return FetchResponse(request.target, request.source, epoch, leader, error, request.number)
