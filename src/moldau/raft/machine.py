"""One voter of the metadata quorum as a machine: Kafka's pull-based consensus without disk, network or clock.

Its driver calls `step`, `tick`, `propose`, `synced`, then does what `ready()` says and calls `advance()`. It never
waits, and never reads the time: every call brings it. Invariants, asserted here and in the tests:

R1  An epoch has at most one leader.
R2  The epoch never falls, and within one epoch a vote is never changed.
R3  Two logs that hold a batch of the same offset and epoch are equal up to it.
R4  Every leader's log holds everything committed before it.
R5  What is committed is synced on a majority.
R6  The high watermark of a member never falls while it runs.
R7  Nothing below the high watermark is truncated.

Followers fetch. The fetch offset is the acknowledgement, so a follower fetches again only when what it got is synced,
and a leader learns one round later how far the others are. A leader first appends a LeaderChange batch of its own epoch
and commits nothing before that is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from moldau.model import ApiError, ErrorCode
from moldau.raft import answers
from moldau.raft.ballot import Ballot
from moldau.raft.batches import leader_change
from moldau.raft.journal import Journal
from moldau.raft.leadership import Leadership
from moldau.raft.messages import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    Message,
    QuorumEpochResponse,
    VoteRequest,
    VoteResponse,
)
from moldau.raft.quorum import Batch, EpochEnd, LogView, QuorumState, RaftConfig, Ready, Role

if TYPE_CHECKING:
    import random


class Raft:
    """One voter. A quorum of one leads from its construction on."""

    def __init__(
        self, config: RaftConfig, persisted: QuorumState, log: LogView, chance: random.Random, now_ms: int
    ) -> None:
        if persisted.epoch < log.last_epoch:
            raise ValueError(
                f"the quorum state knows epoch {persisted.epoch}, the log holds epoch {log.last_epoch}: a vote "
                "may be forgotten. Restore quorum-state, or remove this voter's metadata directory and add it anew"
            )
        self.config = config
        self.role = Role.UNATTACHED
        self.epoch = persisted.epoch
        self.leader: int | None = None
        self.voted_for = persisted.voted_for
        self.high_watermark = 0
        self._chance = chance
        self._journal = Journal(log)
        self._synced = log.end_offset
        self._ballot: Ballot | None = None
        self._tenure: Leadership | None = None
        self._fetched = False
        self._fetch_at_ms: int | None = None
        self._fetch_number = 0
        self._fetch_awaited = False
        self._election_at_ms = 0
        self._saved = persisted
        self._told_commit = 0
        self._outbox: list[Message] = []
        self._handed_over = False
        if config.others:
            self._restart_election_timer(now_ms)
        else:
            self._become_candidate(now_ms)

    # ------------------------------------------------------------------------------------ for the driver

    @property
    def deadline_ms(self) -> int | None:
        """When `tick` must be called next, unless something else is called before; None: nothing is awaited."""
        if self._tenure is not None:
            return self._tenure.deadline_ms
        if self._fetch_at_ms is not None:
            return min(self._fetch_at_ms, self._election_at_ms)
        return self._election_at_ms

    @property
    def epoch_start(self) -> int | None:
        """Where the epoch that this one leads begins in the log; None unless it leads. It is in office, all earlier
        epochs known to be committed, once the high watermark has passed this."""
        return None if self._tenure is None else self._tenure.epoch_start

    def tick(self, now_ms: int) -> None:
        """Do what time has brought."""
        assert not self._handed_over, "advance() is due"
        if self._tenure is not None:
            self._tick_leader(self._tenure, now_ms)
        elif now_ms >= self._election_at_ms:
            self._election_timed_out(now_ms)
        elif self._fetch_at_ms is not None and now_ms >= self._fetch_at_ms:
            self._send_fetch(now_ms)

    def step(self, message: Message, now_ms: int) -> None:
        """Take a message of another node."""
        assert not self._handed_over, "advance() is due"
        assert message.target == self.config.node_id
        match message:
            case VoteRequest():
                self._on_vote_request(message, now_ms)
            case VoteResponse():
                self._on_vote_response(message, now_ms)
            case BeginQuorumEpochRequest():
                self._on_begin_epoch(message, now_ms)
            case EndQuorumEpochRequest():
                self._on_end_epoch(message, now_ms)
            case QuorumEpochResponse():
                self._learn(message.epoch, message.leader, now_ms)
            case FetchRequest():
                self._on_fetch(message, now_ms)
            case FetchResponse():
                self._on_fetched(message, now_ms)
            case _:
                assert_never(message)

    def propose(self, values: Sequence[bytes]) -> int:
        """Append records as one batch; they are committed once the high watermark has reached the offset returned."""
        assert not self._handed_over, "advance() is due"
        if self._tenure is None:
            raise ApiError(ErrorCode.NOT_CONTROLLER, f"node {self.leader} leads epoch {self.epoch}: ask it")
        if not values:
            raise ValueError("a batch holds at least one record")
        batch = Batch(self._journal.end_offset, self.epoch, False, tuple(values))
        if batch.value_bytes > self.config.max_batch_bytes:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION,
                f"{batch.value_bytes} bytes of metadata in one change, {self.config.max_batch_bytes} are allowed: "
                "ask for fewer changes in one request",
            )
        if self._tenure.uncommitted_bytes + batch.value_bytes > self.config.max_uncommitted_bytes:
            raise ApiError(
                ErrorCode.THROTTLING_QUOTA_EXCEEDED,
                f"{self._tenure.uncommitted_bytes} bytes of metadata wait for the quorum: ask again later",
            )
        self._journal.append(batch)
        self._tenure.appended(batch)
        return batch.end_offset

    def synced(self, offset: int, now_ms: int) -> None:
        """The log on disk is durable up to this offset."""
        assert not self._handed_over, "advance() is due"
        self._synced = min(max(self._synced, offset), self._journal.written_end)
        if self._tenure is not None:
            self._tenure.synced = self._synced
            self._advance_high_watermark(self._tenure)
        elif self.role is Role.FOLLOWER and self._fetch_at_ms is None and self._synced == self._journal.end_offset:
            self._send_fetch(now_ms)

    def resign(self, now_ms: int) -> None:
        """Lead no more, orderly; harmless when it does not lead."""
        if self._tenure is not None:
            self._resign(self._tenure, now_ms)

    def ready(self) -> Ready | None:
        """What is to be done now; None for nothing. After it comes `advance()`, before anything else."""
        assert not self._handed_over, "advance() is due"
        state = QuorumState(self.epoch, self.leader, self.voted_for)
        save = None if state == self._saved else state
        commit = self.high_watermark if self.high_watermark > self._told_commit else None
        tail, cut = self._journal.tail, self._journal.truncate_to
        if save is None and commit is None and cut is None and not tail and not self._outbox:
            return None
        self._saved = state
        self._told_commit = self.high_watermark
        ready = Ready(save, cut, tail, tuple(self._outbox), commit)
        self._outbox.clear()
        self._handed_over = True
        return ready

    def advance(self) -> None:
        """The last `ready()` has been done."""
        assert self._handed_over
        self._handed_over = False
        self._journal.written()
        if self._tenure is not None:
            self._answer_parked(self._tenure, None)

    # ------------------------------------------------------------------------------------------ elections

    def _on_vote_request(self, request: VoteRequest, now_ms: int) -> None:
        granted = False
        if request.source in self.config.voters:
            if request.epoch > self.epoch:
                self._become_unattached(request.epoch, None, now_ms)
            if request.epoch == self.epoch:
                granted = self._grants(request)
        if granted and not request.pre_vote:
            self._enter(Role.UNATTACHED, self.epoch, None)
            self.voted_for = request.source
            self._restart_election_timer(now_ms)
        self._outbox.append(
            VoteResponse(self.config.node_id, request.source, self.epoch, self.leader, request.pre_vote, granted)
        )

    def _grants(self, request: VoteRequest) -> bool:
        own = (self._journal.last_epoch, self._journal.end_offset)
        if (request.last_epoch, request.end_offset) < own:
            return False
        if request.pre_vote:
            return self.role is not Role.LEADER and not (self.role is Role.FOLLOWER and self._fetched)
        return self.leader is None and self.voted_for in (None, request.source)

    def _on_vote_response(self, response: VoteResponse, now_ms: int) -> None:
        self._learn(response.epoch, response.leader, now_ms)
        asking = Role.PROSPECTIVE if response.pre_vote else Role.CANDIDATE
        if response.epoch != self.epoch or self.role is not asking:
            return
        assert self._ballot is not None
        self._ballot.record(response.source, response.granted)
        if self._ballot.won:
            self._election_won(now_ms)
        elif self._ballot.lost and self.role is Role.PROSPECTIVE:
            self._give_up_prospect(now_ms)

    def _election_won(self, now_ms: int) -> None:
        if self.role is Role.PROSPECTIVE:
            self._become_candidate(now_ms)
        else:
            self._become_leader(now_ms)

    def _election_timed_out(self, now_ms: int) -> None:
        if self.role is Role.PROSPECTIVE:
            self._give_up_prospect(now_ms)
        else:
            self._become_prospective(now_ms)

    def _give_up_prospect(self, now_ms: int) -> None:
        """Nobody is stuck here: back to the leader it knew, or wait and ask again."""
        if self.leader is not None:
            self._become_follower(self.epoch, self.leader, now_ms)
        else:
            self._become_unattached(self.epoch, None, now_ms)

    def _on_begin_epoch(self, request: BeginQuorumEpochRequest, now_ms: int) -> None:
        if request.source in self.config.voters:
            self._learn(request.epoch, request.source, now_ms)
            if self.role is Role.PROSPECTIVE and request.epoch == self.epoch:
                self._become_follower(request.epoch, request.source, now_ms)
        self._outbox.append(QuorumEpochResponse(self.config.node_id, request.source, self.epoch, self.leader))

    def _on_end_epoch(self, request: EndQuorumEpochRequest, now_ms: int) -> None:
        ends = request.epoch > self.epoch or (request.epoch == self.epoch and self.leader in (None, request.source))
        if request.source in self.config.voters and ends:
            own = self.config.node_id
            rank = request.successors.index(own) if own in request.successors else len(request.successors)
            self._become_unattached(request.epoch, self._election_backoff_ms(rank), now_ms)
        self._outbox.append(QuorumEpochResponse(self.config.node_id, request.source, self.epoch, self.leader))

    def _election_backoff_ms(self, rank: int) -> int:
        """The best successor asks at once, the others leave it some time."""
        longest = min(self.config.retry_backoff_ms << rank, self.config.election_timeout_ms)
        return 0 if rank == 0 else self._chance.randint(self.config.retry_backoff_ms, longest)

    # -------------------------------------------------------------------------------------- what it becomes

    def _learn(self, epoch: int, leader: int | None, now_ms: int) -> None:
        """What any message says about the epoch and its leader. Who doubts a leader it knows is not talked out of it by
        others who have merely heard of that leader: two who doubt a dead one would hold each other back for ever."""
        if leader == self.config.node_id:
            leader = None
        if epoch > self.epoch and leader is None:
            self._become_unattached(epoch, None, now_ms)
        elif leader is not None and epoch >= self.epoch:
            assert epoch > self.epoch or self.leader in (None, leader), "two leaders in one epoch (R1)"
            if epoch > self.epoch or self.leader is None:
                self._become_follower(epoch, leader, now_ms)

    def _enter(self, role: Role, epoch: int, leader: int | None) -> None:
        assert epoch >= self.epoch, "the epoch never falls (R2)"
        if epoch > self.epoch:
            self.voted_for = None
        tenure, self._tenure = self._tenure, None
        self.role, self.epoch, self.leader = role, epoch, leader
        self._ballot = None
        self._fetched = False
        self._fetch_awaited = False
        self._fetch_at_ms = None
        if tenure is not None:
            for request in tenure.release_all():
                self._refuse_fetch(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def _become_unattached(self, epoch: int, backoff_ms: int | None, now_ms: int) -> None:
        waiting = self.role not in (Role.FOLLOWER, Role.LEADER) and epoch > self.epoch
        self._enter(Role.UNATTACHED, epoch, None)
        if backoff_ms is not None:
            self._election_at_ms = now_ms + backoff_ms
        elif not waiting:
            self._restart_election_timer(now_ms)

    def _become_prospective(self, now_ms: int) -> None:
        self._enter(Role.PROSPECTIVE, self.epoch, self.leader)
        self._ask_for_votes(pre_vote=True, now_ms=now_ms)

    def _become_candidate(self, now_ms: int) -> None:
        self._enter(Role.CANDIDATE, self.epoch + 1, None)
        self.voted_for = self.config.node_id
        self._ask_for_votes(pre_vote=False, now_ms=now_ms)

    def _ask_for_votes(self, pre_vote: bool, now_ms: int) -> None:
        own = self.config.node_id
        self._ballot = Ballot(self.config.voters, self.config.majority, own)
        self._restart_election_timer(now_ms)
        last_epoch, end = self._journal.last_epoch, self._journal.end_offset
        self._outbox.extend(
            VoteRequest(own, voter, self.epoch, last_epoch, end, pre_vote) for voter in self.config.others
        )
        if self._ballot.won:
            self._election_won(now_ms)

    def _become_leader(self, now_ms: int) -> None:
        assert self.voted_for == self.config.node_id
        assert self._ballot is not None
        change = leader_change(self.config.node_id, self.config.voters, self._ballot.granting)
        self._enter(Role.LEADER, self.epoch, self.config.node_id)
        batch = Batch(self._journal.end_offset, self.epoch, True, (change,))
        self._journal.append(batch)
        self._tenure = Leadership(self.config, batch.base_offset, self._synced, now_ms)
        self._tenure.appended(batch)
        self._call_on_voters(self._tenure, now_ms)

    def _become_follower(self, epoch: int, leader: int, now_ms: int) -> None:
        self._enter(Role.FOLLOWER, epoch, leader)
        self._election_at_ms = now_ms + self.config.fetch_timeout_ms
        if self._synced == self._journal.end_offset:
            self._send_fetch(now_ms)

    def _restart_election_timer(self, now_ms: int) -> None:
        timeout = self.config.election_timeout_ms
        self._election_at_ms = now_ms + timeout + self._chance.randrange(timeout)

    # -------------------------------------------------------------------------------------------- following

    def _send_fetch(self, now_ms: int) -> None:
        assert self.leader is not None
        assert self._synced == self._journal.end_offset
        self._fetch_at_ms = now_ms + self.config.request_timeout_ms
        self._fetch_number += 1
        self._fetch_awaited = True
        self._outbox.append(
            FetchRequest(
                self.config.node_id,
                self.leader,
                self.epoch,
                self._journal.end_offset,
                self._journal.last_epoch,
                self.high_watermark,
                self._fetch_number,
            )
        )

    def _on_fetched(self, response: FetchResponse, now_ms: int) -> None:
        self._learn(response.epoch, response.leader, now_ms)
        if not self._fetch_awaited or response.number != self._fetch_number or response.epoch != self.epoch:
            return
        self._fetch_awaited = False
        if response.error is not ErrorCode.NONE:
            self._fetch_at_ms = now_ms + self.config.retry_backoff_ms
            return
        self._fetched = True
        self._election_at_ms = now_ms + self.config.fetch_timeout_ms
        if response.diverging is not None:
            self._truncate(response.diverging)
        else:
            self._append_fetched(response)
        if self._synced == self._journal.end_offset:
            self._send_fetch(now_ms)
        else:
            self._fetch_at_ms = None  # until `synced`

    def _append_fetched(self, response: FetchResponse) -> None:
        for batch in response.batches:
            self._journal.append(batch)
        self.high_watermark = max(self.high_watermark, min(response.high_watermark, self._journal.end_offset))

    def _truncate(self, theirs: EpochEnd) -> None:
        """Cut back to where both logs may agree; it can take several rounds."""
        agreed = self._journal.agreement(theirs)
        assert agreed.offset >= self.high_watermark, "nothing committed is truncated (R7)"
        self._journal.truncate(agreed)
        self._synced = min(self._synced, agreed.offset)

    # --------------------------------------------------------------------------------------------- leading

    def _tick_leader(self, tenure: Leadership, now_ms: int) -> None:
        quorum = tenure.quorum_deadline_ms
        if quorum is not None and now_ms >= quorum:
            self._resign(tenure, now_ms)
            return
        self._call_on_voters(tenure, now_ms)
        self._answer_parked(tenure, now_ms)

    def _call_on_voters(self, tenure: Leadership, now_ms: int) -> None:
        own = self.config.node_id
        self._outbox.extend(BeginQuorumEpochRequest(own, node, self.epoch) for node in tenure.silent(now_ms))

    def _resign(self, tenure: Leadership, now_ms: int) -> None:
        own, successors = self.config.node_id, tenure.successors
        self._become_unattached(self.epoch, None, now_ms)
        self._outbox.extend(EndQuorumEpochRequest(own, voter, self.epoch, successors) for voter in self.config.others)

    def _on_fetch(self, request: FetchRequest, now_ms: int) -> None:
        tenure = self._tenure
        if request.epoch < self.epoch:
            self._refuse_fetch(request, ErrorCode.FENCED_LEADER_EPOCH)
        elif request.epoch > self.epoch:
            self._refuse_fetch(request, ErrorCode.UNKNOWN_LEADER_EPOCH)
        elif tenure is None:
            self._refuse_fetch(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif answers.diverges(self._journal, request):
            self._answer_fetch(request)
        else:
            tenure.fetched(request, now_ms)
            self._advance_high_watermark(tenure)
            self._answer_or_park(tenure, request, now_ms)

    def _answer_or_park(self, tenure: Leadership, request: FetchRequest, now_ms: int) -> None:
        now: FetchRequest | None = request
        if request.offset >= self._journal.written_end and request.high_watermark >= self.high_watermark:
            now = tenure.park(request, now_ms + self.config.fetch_wait_ms)
        if now is not None:
            self._answer_fetch(now)

    def _answer_fetch(self, request: FetchRequest) -> None:
        self._outbox.append(
            answers.answer(self._journal, request, self.epoch, self.high_watermark, self.config.max_fetch_bytes)
        )

    def _refuse_fetch(self, request: FetchRequest, error: ErrorCode) -> None:
        self._outbox.append(answers.refusal(request, self.epoch, self.leader, error))

    def _advance_high_watermark(self, tenure: Leadership) -> None:
        self.high_watermark = tenure.high_watermark(self.high_watermark)
        tenure.committed(self.high_watermark)
        self._answer_parked(tenure, None)

    def _answer_parked(self, tenure: Leadership, now_ms: int | None) -> None:
        for request in tenure.release(self._journal.written_end, self.high_watermark, now_ms):
            self._answer_fetch(request)
