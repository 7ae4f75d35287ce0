"""The active controller as a machine: decides, proposes, and answers once the quorum has committed.

Its driver (in the broker) owns raft's disk and network. Each time around it does what `Raft.ready()` says, hands what
has been committed to `committed`, calls `Raft.advance()`, then `settle`, and gives the answers; it also settles once
when raft had nothing to do, since a request may be answered at once. Invariants:

Q1  A decision sees everything proposed before it, committed or not (`latest`).
Q2  An answer is given only when all that its decision saw and wrote is committed; in the order of the decisions.
Q3  The picture that others see (`image`) changes by committed records alone, on leaders and followers alike. So a crash
    between append and commit loses nothing but the answer, and whoever asks again finds what has been made.
Q4  Who loses office takes back all that is not committed, and everybody waiting is told NOT_CONTROLLER.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from moldau.controller.limits import MAX_WAITING_REQUESTS
from moldau.controller.outcome import Outcome
from moldau.metadata import Delta, Image, apply
from moldau.model import ApiError, ErrorCode
from moldau.protocol.metadata_records import decode_record, encode_record
from moldau.protocol.tables import Top
from moldau.raft import Batch, Raft

Decide = Callable[[Image, int], Outcome[Any]]
"""Given the latest picture and the offset of the next record."""


class Answer(NamedTuple):
    """What to tell whom; `token` is whatever came with the request."""

    token: object
    response: Any
    error: ApiError | None


class _Waiting(NamedTuple):
    end_offset: int
    token: object
    response: Any


class QuorumController:
    """One for each voter; it is in office while its raft leads and knows all that was committed before."""

    def __init__(self, raft: Raft, cluster_id: str, bootstrap: Sequence[Top]) -> None:
        self.image = Image(cluster_id)
        self._raft = raft
        self._bootstrap = tuple(bootstrap)
        self._latest: Image | None = None
        self._office_epoch = -1
        self._waiting: deque[_Waiting] = deque()
        self._answers: list[Answer] = []

    @property
    def in_office(self) -> bool:
        """Whether requests are decided here."""
        return self._latest is not None and self._raft.epoch == self._office_epoch

    def request(self, decide: Decide, token: object) -> None:
        """Decide now, answer by way of `settle`."""
        latest = self._latest
        if latest is None or not self.in_office:
            self._refuse(token, self._not_controller())
        elif len(self._waiting) >= MAX_WAITING_REQUESTS:
            self._refuse(
                token,
                ApiError(
                    ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                    f"{MAX_WAITING_REQUESTS} changes wait for the quorum: ask again later",
                ),
            )
        else:
            try:
                outcome = decide(latest, latest.offset + 1)
                if outcome.records:
                    latest = self._propose(latest, outcome.records)
            except ApiError as refused:
                self._refuse(token, refused)
            else:
                self._waiting.append(_Waiting(latest.offset + 1, token, outcome.response))

    def committed(self, batches: Sequence[Batch]) -> Delta | None:
        """Take what the quorum has newly committed, all of it in order; None when it holds no metadata."""
        if not batches:
            return None
        records = [decode_record(value) for batch in batches if not batch.control for value in batch.values]
        assert batches[0].base_offset == self.image.offset + 1, (batches[0].base_offset, self.image.offset)
        self.image, delta = apply(self.image, records, batches[-1].end_offset - 1)
        return delta if records else None

    def settle(self) -> list[Answer]:
        """The answers that are due, after every turn of raft."""
        if self._latest is not None and not self.in_office:
            self._leave_office()
        start = self._raft.epoch_start
        if self._latest is None and start is not None and self.image.offset >= start:
            self._take_office()
        while self._waiting and self._waiting[0].end_offset <= self.image.offset + 1:
            due = self._waiting.popleft()
            self._answers.append(Answer(due.token, due.response, None))
        answers, self._answers = self._answers, []
        return answers

    def _propose(self, latest: Image, records: Sequence[Top]) -> Image:
        after, _ = apply(latest, records, latest.offset + len(records))  # a decision that cannot be replayed stops here
        end_offset = self._raft.propose([encode_record(record) for record in records])
        assert end_offset == after.offset + 1, (end_offset, after.offset)
        self._latest = after
        return after

    def _take_office(self) -> None:
        self._office_epoch = self._raft.epoch
        self._latest = self.image
        if not self.image.features:
            self._propose(self.image, self._bootstrap)

    def _leave_office(self) -> None:
        self._latest = None
        refusal = self._not_controller()
        while self._waiting:
            self._refuse(self._waiting.popleft().token, refusal)

    def _refuse(self, token: object, error: ApiError) -> None:
        self._answers.append(Answer(token, None, error))

    def _not_controller(self) -> ApiError:
        return ApiError(
            ErrorCode.NOT_CONTROLLER, f"node {self._raft.leader} leads the quorum in epoch {self._raft.epoch}: ask it"
        )
