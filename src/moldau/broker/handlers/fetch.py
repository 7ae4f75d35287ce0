"""Fetch 4-18: file slices of whole batches, now or once there are enough bytes or the time is over.

Always without a session: a client that asks for one gets the id 0, which tells it to name all its partitions each
time. From version 13 topics are named by their ids. At least one batch is returned, however large, unless
every partition is at its end. A parked fetch holds no slice: it looks again when one of its partitions wakes it.
"""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.broker.hosting import HostedTopic
from moldau.environment.doors import FileSlice, Part, Timer
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    PartitionData,
)
from moldau.replication import Partition
from moldau.replication.waiting import ParkedFetch

API = ApiKey.FETCH

_LONGEST_WAIT_MS = 10 * 60_000
_READ_COMMITTED = 1
WITH_LEADER = 12
_STALE_LEADER = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH}
)


def handle(request: FetchRequest, call: Call) -> FetchResponse | Outcome:
    if request.session_id:
        return failed(request, ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    fetch = _Fetch(request, call)
    response = fetch.attempt(request.max_wait_ms <= 0)
    return response if response is not None else fetch.park()


def failed(request: FetchRequest, code: ErrorCode) -> FetchResponse:
    return FetchResponse(error_code=code, responses=[])


class _Fetch:
    """One request, looked at as often as it is woken."""

    __slots__ = ("_call", "_max_bytes", "_partitions", "_request", "_timer", "_tokens", "_woken")

    def __init__(self, request: FetchRequest, call: Call) -> None:
        self._request = request
        self._call = call
        self._max_bytes = min(max(request.max_bytes, 0), call.node.settings.fetch_max_bytes)
        self._partitions: list[Partition] = []
        self._tokens: list[tuple[Partition, ParkedFetch]] = []
        self._timer: Timer | None = None
        self._woken = False

    def attempt(self, whatever_there_is: bool) -> FetchResponse | None:
        """The answer, unless it is worth waiting for more; then nothing is held."""
        request, node = self._request, self._call.node
        self._partitions.clear()
        response = FetchResponse(responses=[])
        total = 0
        failure = False
        by_id = self._call.version >= 13
        for wanted in request.topics:
            hosted = node.hosting.by_id.get(wanted.topic_id) if by_id else node.hosting.by_name.get(wanted.topic)
            answers: list[PartitionData] = []
            response.responses.append(
                FetchableTopicResponse(topic=wanted.topic, topic_id=wanted.topic_id, partitions=answers)
            )
            for each in wanted.partitions:
                answer, size = self._read(hosted, each, total, by_id)
                total += size
                failure = failure or answer.error_code != 0
                answers.append(answer)
        if whatever_there_is or failure or total >= request.min_bytes or not self._partitions:
            node.fetched_bytes.value += total
            return response
        if total:
            _release(response)
        return None

    def park(self) -> Outcome:
        """Wait for a partition to wake it, or for its time to be over."""
        node = self._call.node
        for partition in self._partitions:
            token = partition.park_fetch(self._wake)
            if token is None:
                self._woken = True
                node.turn.later(self._answer_now)
                break
            self._tokens.append((partition, token))
        wait_ms = min(self._request.max_wait_ms, _LONGEST_WAIT_MS)
        if self._timer is None:
            self._call.park(self._dropped)
            self._timer = node.clock.call_at(node.clock.monotonic_ms() + wait_ms, self._answer_now)
        return PARKED

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._call.node.turn.later(self._look_again)

    def _look_again(self) -> None:
        if self._timer is None:
            return  # answered or dropped meanwhile
        self._cancel_tokens()
        response = self.attempt(whatever_there_is=False)
        if response is not None:
            self._finish(response)
            return
        self._woken = False
        self.park()

    def _answer_now(self) -> None:
        if self._timer is None:
            return
        response = self.attempt(whatever_there_is=True)
        assert response is not None
        self._finish(response)

    def _finish(self, response: FetchResponse) -> None:
        self._dropped()
        self._call.answer(response)

    def _dropped(self) -> None:
        self._cancel_tokens()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cancel_tokens(self) -> None:
        for partition, token in self._tokens:
            partition.cancel(token)
        self._tokens.clear()

    def _read(
        self, hosted: HostedTopic | None, wanted: FetchPartition, total: int, by_id: bool
    ) -> tuple[PartitionData, int]:
        partition = hosted.partitions.get(wanted.partition) if hosted is not None else None
        if partition is None:
            unknown_id = by_id and hosted is None
            code = ErrorCode.UNKNOWN_TOPIC_ID if unknown_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            return _refused(wanted, code), 0
        self._partitions.append(partition)
        limit = max(min(wanted.partition_max_bytes, self._max_bytes - total), 0)
        read = partition.read(
            wanted.fetch_offset, limit, leader_epoch=wanted.current_leader_epoch, at_least_one=not total
        )
        if read.error:
            answer = _refused(wanted, read.error)
            if read.error in _STALE_LEADER and self._call.version >= WITH_LEADER:
                assert hosted is not None
                leader_id, leader_epoch = self._call.node.leader_of(hosted.id, wanted.partition)
                answer.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
            return answer, 0
        records: list[Part] = list(read.slices)
        return (
            PartitionData(
                partition_index=wanted.partition,
                high_watermark=read.high_watermark,
                last_stable_offset=read.last_stable_offset,
                log_start_offset=read.log_start_offset,
                aborted_transactions=[] if self._request.isolation_level == _READ_COMMITTED else None,
                records=records or b"",
            ),
            read.bytes,
        )


def _refused(wanted: FetchPartition, code: ErrorCode) -> PartitionData:
    return PartitionData(
        partition_index=wanted.partition, error_code=code, high_watermark=-1, aborted_transactions=None, records=b""
    )


def _release(response: FetchResponse) -> None:
    for topic in response.responses:
        for answer in topic.partitions:
            for part in answer.records or ():
                if isinstance(part, FileSlice):
                    part.release()
