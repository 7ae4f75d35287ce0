"""What the client raises: one hierarchy under `MoldauError`, each with the broker's code and whether to try again.

Every room of the client raises these; `broker_error` is the one place that turns a code from the wire into one.
Messages say what was tried and what to change.
"""

# ruff: noqa: N818  (each is named after what happened, as Kafka's own words do)
from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar, Self

from moldau.model import ErrorCode


class MoldauError(Exception):
    """Anything that the client could not do."""

    default_code: ClassVar[ErrorCode] = ErrorCode.UNKNOWN_SERVER_ERROR

    def __init__(self, message: str, code: ErrorCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = self.default_code if code is None else code

    @property
    def retriable(self) -> bool:
        """Whether the same call may succeed later without any change."""
        return self.code.retriable

    def again(self) -> Self:
        """A fresh one to raise: one failure may be told to many callers, each with a traceback of its own."""
        fresh = type(self)(self.message, self.code)
        fresh.__cause__ = self.__cause__
        return fresh


class ClientClosed(MoldauError):
    """The client, producer or consumer is not open (any more), or belongs to another process."""

    default_code = ErrorCode.INVALID_REQUEST


class BrokerUnavailable(MoldauError):
    """No broker could be reached, or the connection broke and retries did not help."""

    default_code = ErrorCode.NETWORK_EXCEPTION


class TimedOut(MoldauError):
    """The time that the caller allowed has passed."""

    default_code = ErrorCode.REQUEST_TIMED_OUT


class DeliveryTimedOut(TimedOut):
    """Records were not acknowledged within `delivery_timeout`; they may or may not have been written."""


class BufferFull(TimedOut):
    """The producer's buffer stayed full."""


class UnsupportedByBroker(MoldauError):
    """The broker serves no version of an API that this call needs."""

    default_code = ErrorCode.UNSUPPORTED_VERSION


class UnknownTopic(MoldauError):
    """The topic, or that partition of it, is not on the cluster."""

    default_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


class TopicExists(MoldauError):
    """A topic of that name is already there."""

    default_code = ErrorCode.TOPIC_ALREADY_EXISTS


class NotAuthorized(MoldauError):
    """The broker knows who asks and refuses."""

    default_code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED


class RecordTooLarge(MoldauError):
    """A record, or a batch of them, is larger than somebody allows."""

    default_code = ErrorCode.MESSAGE_TOO_LARGE


class InvalidRecord(MoldauError):
    """The broker refuses the content of a record."""

    default_code = ErrorCode.INVALID_RECORD


class CorruptRecords(MoldauError):
    """What came from the broker is not a valid record batch."""

    default_code = ErrorCode.CORRUPT_MESSAGE


class OffsetOutOfRange(MoldauError):
    """The offset is not (or no longer) in the partition."""

    default_code = ErrorCode.OFFSET_OUT_OF_RANGE


class ProducerFenced(MoldauError):
    """Another producer took over; this one must end."""

    default_code = ErrorCode.PRODUCER_FENCED


class BrokerError(MoldauError):
    """Any other error that a broker answered with."""


_CLASS_OF: dict[ErrorCode, type[MoldauError]] = {
    ErrorCode.REQUEST_TIMED_OUT: TimedOut,
    ErrorCode.NETWORK_EXCEPTION: BrokerUnavailable,
    ErrorCode.UNSUPPORTED_VERSION: UnsupportedByBroker,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: UnknownTopic,
    ErrorCode.UNKNOWN_TOPIC_ID: UnknownTopic,
    ErrorCode.TOPIC_ALREADY_EXISTS: TopicExists,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: NotAuthorized,
    ErrorCode.GROUP_AUTHORIZATION_FAILED: NotAuthorized,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: NotAuthorized,
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: NotAuthorized,
    ErrorCode.MESSAGE_TOO_LARGE: RecordTooLarge,
    ErrorCode.RECORD_LIST_TOO_LARGE: RecordTooLarge,
    ErrorCode.INVALID_RECORD: InvalidRecord,
    ErrorCode.INVALID_TIMESTAMP: InvalidRecord,
    ErrorCode.OFFSET_OUT_OF_RANGE: OffsetOutOfRange,
    ErrorCode.PRODUCER_FENCED: ProducerFenced,
    ErrorCode.INVALID_PRODUCER_EPOCH: ProducerFenced,
}

_ADVICE: dict[ErrorCode, str] = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "create it with admin.create_topic(...) or see whether its name is right",
    ErrorCode.MESSAGE_TOO_LARGE: "send smaller records, lower batch_bytes, or raise the topic's max.message.bytes",
    ErrorCode.RECORD_LIST_TOO_LARGE: "lower batch_bytes or raise the broker's segment.bytes",
    ErrorCode.TOPIC_ALREADY_EXISTS: "choose another name or use the topic that is there",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "use letters, digits, '.', '_' and '-', at most 249 of them",
    ErrorCode.INVALID_REPLICATION_FACTOR: "ask for no more replicas than there are brokers",
    ErrorCode.INVALID_PARTITIONS: "ask for at least one partition",
    ErrorCode.NOT_ENOUGH_REPLICAS: "bring brokers back or lower the topic's min.insync.replicas",
    ErrorCode.OFFSET_OUT_OF_RANGE: "seek to an offset between the earliest and the latest, or set out_of_range",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "grant this principal the operation on the topic",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "grant this principal the operation on the cluster",
    ErrorCode.INVALID_TIMESTAMP: "see the topic's message.timestamp.before.max.ms and message.timestamp.after.max.ms",
    ErrorCode.UNSUPPORTED_COMPRESSION_TYPE: "use another compression",
}


def error_code(code: int) -> ErrorCode:
    """The code as the client knows it; one it does not know is an unknown server error."""
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


def broker_error(code: int, tried: str, said: str | None = None) -> MoldauError:
    """The exception for an error code: what was tried, what the broker said, what to change."""
    known = error_code(code)
    name = known.name if known == code else f"unknown error code {code}"
    text = f"{tried}: {name}"
    if said:
        text += f" ({said})"
    advice = _ADVICE.get(known)
    if advice:
        text += f"; {advice}"
    return _CLASS_OF.get(known, BrokerError)(text, known)


def unknown_option(name: str, known: Iterable[str], owner: str) -> TypeError:
    """The TypeError for an option that nobody knows, with the nearest one that somebody does."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; it knows {', '.join(names)}"
    return TypeError(f"{owner} has no option {name!r}{hint}")
