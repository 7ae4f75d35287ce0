"""The connection machine: order, parking, bounds, deadlines, ends."""

from __future__ import annotations

from moldau.broker.connection import (
    FRAME_MS,
    MOST_UNSENT_BYTES,
    MOST_WAITING,
    UNREAD_MS,
    ClientConnection,
)
from moldau.environment.doors import File, FileSlice
from tests.broker.doors import Echo, connected, frame


class CountedFile:
    path = "/log"

    def __init__(self) -> None:
        self.users = 1

    def read(self, position: int, length: int) -> bytes:
        return b"s" * length

    def retain(self) -> None:
        self.users += 1

    def release(self) -> None:
        self.users -= 1


def slice_of(file: CountedFile, length: int) -> FileSlice:
    door: File = file  # type: ignore[assignment]
    return FileSlice(door, 0, length)


def test_pipelined_requests_are_answered_with_one_write() -> None:
    peer, _, _, _ = connected(Echo())
    peer.say(frame(b"a") + frame(b"b") + frame(b"c"))
    assert peer.sends == [b"a;b;c;"]


def test_a_frame_may_come_byte_by_byte() -> None:
    peer, _, _, _ = connected(Echo())
    for byte in frame(b"hello"):
        peer.say(bytes((byte,)))
    assert peer.sends == [b"hello;"]


def test_a_parked_request_keeps_its_place_and_what_follows_waits_behind_it() -> None:  # I1
    echo = Echo()
    peer, _, _, _ = connected(echo)
    peer.say(frame(b"a") + frame(b"park1") + frame(b"b") + frame(b"park2") + frame(b"c"))
    assert peer.sends == [b"a;"]
    echo.parked[b"park2"].answer([b"2;"])
    assert peer.sends == [b"a;"]
    echo.parked[b"park1"].answer([b"1;"])
    assert peer.sends == [b"a;", b"1;b;2;c;"]


def test_many_answers_of_one_turn_leave_in_one_write() -> None:
    echo = Echo()
    peer, _, _, turn = connected(echo)
    peer.say(frame(b"park1") + frame(b"park2"))
    turn.enter()
    echo.parked[b"park1"].answer([b"1;"])
    echo.parked[b"park2"].answer([b"2;"])
    assert peer.sends == []
    turn.leave()
    assert peer.sends == [b"1;2;"]


def test_requests_behind_a_parked_one_are_bounded_and_go_on_when_it_is_answered() -> None:  # I2
    echo = Echo()
    peer, _, _, _ = connected(echo)
    peer.say(frame(b"park") + frame(b"x") * (2 * MOST_WAITING))
    assert len(echo.served) == MOST_WAITING
    assert peer.paused
    echo.parked[b"park"].answer([b"1;"])
    assert peer.sent == b"1;" + b"x;" * (2 * MOST_WAITING)
    assert not peer.paused


def test_a_peer_that_does_not_read_stops_being_handled_until_it_does() -> None:  # I2, I4
    big = b"B" * (MOST_UNSENT_BYTES // 2)
    served: list[bytes] = []

    def serve(request: memoryview, connection: ClientConnection) -> None:
        served.append(bytes(request))
        connection.answer([big])

    peer, _, _, _ = connected(serve)
    peer.reads = False
    peer.say(b"".join(frame(b"%d" % number) for number in range(5)))
    assert served == [b"0", b"1"]
    assert peer.paused
    peer.read_on()
    assert served == [b"0", b"1", b"2", b"3", b"4"]
    assert peer.sent == big * 5


def test_large_answers_are_not_copied_and_slices_are_released() -> None:
    file = CountedFile()
    peer, _, _, _ = connected(lambda request, connection: connection.answer([b"head", slice_of(file, 3)]))
    peer.say(frame(b"a") + frame(b"b"))
    assert peer.sends == [b"headssshead" + b"sss"]
    assert file.users == 1


def test_a_negative_or_too_large_length_closes_after_what_was_answered() -> None:
    for length in (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"):
        peer, _, owners, _ = connected(Echo())
        peer.say(frame(b"a"))
        peer.say(length + b"garbage")
        assert peer.sends == [b"a;"]
        assert peer.ended == "closed"
        assert owners.refusals[0][0] == "malformed"


def test_when_the_connection_goes_the_parked_are_told_and_late_answers_release_their_slices() -> None:  # I3
    echo, file = Echo(), CountedFile()
    peer, connection, owners, _ = connected(echo)
    peer.say(frame(b"park1") + frame(b"park2"))
    echo.parked[b"park2"].answer([slice_of(file, 5)])
    assert file.users == 2
    connection.closed(None)
    assert echo.dropped == [b"park1"]
    assert file.users == 1
    echo.parked[b"park1"].answer([slice_of(file, 5)])
    assert file.users == 1
    assert peer.sends == []
    assert owners.ends == [None]


def test_an_idle_connection_is_overdue_but_not_one_that_waits_for_its_answer() -> None:
    echo = Echo()
    peer, connection, _, _ = connected(echo)
    assert connection.overdue(0, idle_ms=1000) is None
    assert connection.overdue(999, idle_ms=1000) is None
    overdue = connection.overdue(1000, idle_ms=1000)
    assert overdue is not None
    assert overdue[0] == "idle"
    peer.say(frame(b"park"))
    assert connection.overdue(2000, idle_ms=1000) is None
    assert connection.overdue(9000, idle_ms=1000) is None


def test_a_request_that_never_ends_is_overdue() -> None:
    peer, connection, _, _ = connected(Echo())
    peer.say(frame(b"whole") + frame(b"half a request")[:8])
    now = 0
    while (overdue := connection.overdue(now, idle_ms=10**9)) is None:
        now += 1000
        peer.say(b".") if now == 5000 else None
    assert overdue[0] == "unfinished"
    assert FRAME_MS <= now <= FRAME_MS + 2000


def test_a_peer_that_reads_nothing_is_overdue_and_one_that_reads_slowly_is_not() -> None:
    file = CountedFile()
    peer, connection, _, _ = connected(lambda request, made: made.answer([slice_of(file, 100), b"x" * 100]))
    peer.reads = False
    peer.say(frame(b"a"))
    assert connection.overdue(0, idle_ms=10**9) is None
    peer.queued.pop()
    assert connection.overdue(UNREAD_MS - 1, idle_ms=10**9) is None
    assert connection.overdue(2 * UNREAD_MS - 2, idle_ms=10**9) is None
    overdue = connection.overdue(2 * UNREAD_MS - 1, idle_ms=10**9)
    assert overdue is not None
    assert overdue[0] == "unread"
