"""One round of asking for votes, or for pre-votes. Used by `Raft` while it is prospective or a candidate."""

from __future__ import annotations


class Ballot:
    """Who has said what; a voter counts once."""

    __slots__ = ("_answers", "_majority", "_voters")

    def __init__(self, voters: tuple[int, ...], majority: int, own: int) -> None:
        self._voters = voters
        self._majority = majority
        self._answers = {own: True}

    def record(self, voter: int, granted: bool) -> None:
        """Take an answer; the first one of a voter stands."""
        if voter in self._voters:
            self._answers.setdefault(voter, granted)

    @property
    def granting(self) -> tuple[int, ...]:
        """Who granted, in the order of the voters."""
        return tuple(voter for voter in self._voters if self._answers.get(voter, False))

    @property
    def won(self) -> bool:
        """A majority has granted."""
        return len(self.granting) >= self._majority

    @property
    def lost(self) -> bool:
        """A majority can no longer grant."""
        rejecting = len(self._answers) - len(self.granting)
        return len(self._voters) - rejecting < self._majority
