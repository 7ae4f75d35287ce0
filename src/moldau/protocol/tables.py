"""The notation in which messages are declared: the class *is* the table.

A message is a `Message` class whose annotations carry what Kafka's schemas say of a field. The wire type is the
annotation itself, the default is the Python default, and `Annotated` adds what differs between versions:

    class TopicProduceResponse(Message):
        name: Annotated[String, until(12), ignorable] = ""
        topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
        partition_responses: list[PartitionProduceResponse] = []

Only what can make a difference is written down: no range where a field exists in every version its message has,
no `ignorable` on a field that is never absent.

Every file of messages imports this; the compiler reads it through `fields_of`. Annotations stay text until then, so
importing a message costs its class and nothing more. Nothing here knows how a field is laid out in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from moldau.environment.doors import Part

T = TypeVar("T")

ZERO_UUID = bytes(16)
FOREVER = 32767

Payload = bytes | bytearray | memoryview | list[Part]
"""Record batches: a decoder gives a view of the frame, an encoder also takes a list of buffers and file slices."""


class Wire(NamedTuple):
    """A wire type; `format` is its `struct` code, empty for what has a length in front."""

    name: str
    format: str = ""


class Versions(NamedTuple):
    """A range of versions, both ends included."""

    first: int
    last: int

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.first <= version <= self.last


class Tag(NamedTuple):
    """The field travels in the tagged section, under this number."""

    number: int


class Nullable(NamedTuple):
    """The field may be null from this version on (a nullable type without this mark may be null in all)."""

    first: int


class Mark(NamedTuple):
    """A property that a field has or has not."""

    name: str


Bool = Annotated[bool, Wire("bool", "?")]
Int8 = Annotated[int, Wire("int8", "b")]
Int16 = Annotated[int, Wire("int16", "h")]
Uint16 = Annotated[int, Wire("uint16", "H")]
Int32 = Annotated[int, Wire("int32", "i")]
Uint32 = Annotated[int, Wire("uint32", "I")]
Int64 = Annotated[int, Wire("int64", "q")]
Float64 = Annotated[float, Wire("float64", "d")]
Uuid = Annotated[bytes, Wire("uuid", "16s")]
String = Annotated[str, Wire("string")]
NullableString = Annotated[str | None, Wire("string")]
Bytes = Annotated[bytes, Wire("bytes")]
NullableBytes = Annotated[bytes | None, Wire("bytes")]
Records = Annotated[Payload, Wire("records")]
NullableRecords = Annotated[Payload | None, Wire("records")]

ignorable = Mark("ignorable")
"""A value other than the default is dropped, not refused, in a version that lacks the field."""

inflexible = Mark("inflexible")
"""The field keeps its old layout in flexible versions too."""


def since(version: int) -> Versions:
    """The field exists from this version on."""
    return Versions(version, FOREVER)


def until(version: int) -> Versions:
    """The field exists up to this version."""
    return Versions(0, version)


def between(first: int, last: int) -> Versions:
    """The field exists in these versions, both included."""
    return Versions(first, last)


def tag(number: int) -> Tag:
    """The field travels in the tagged section in every version it has."""
    return Tag(number)


def nullable_since(version: int) -> Nullable:
    """The field may be null from this version on."""
    return Nullable(version)


@dataclass(frozen=True, slots=True)
class Table:
    """What Kafka's schemas say of a whole message."""

    kind: Literal["request", "response", "metadata", "header", "data", "coordinator-key", "coordinator-value"]
    key: int | None = None
    versions: tuple[int, int] = (0, 0)
    flexible: int | None = 0
    unstable: bool = False
    """Whether the last version may still change, and is therefore not offered."""

    def is_flexible(self, version: int) -> bool:
        return self.flexible is not None and version >= self.flexible


class Message(msgspec.Struct, gc=False, kw_only=True):
    """Any struct on the wire; messages are trees, so the garbage collector has nothing to find in them."""

    unknown_tags: dict[int, bytes] | None = None
    """Tagged fields that the decoder does not know, kept so that a forwarded message still has them."""


class Value(msgspec.Struct, gc=False, kw_only=True, frozen=True):
    """A struct that is never changed once made, so that one object can be everyone's default."""

    unknown_tags: dict[int, bytes] | None = None


class Top(Message):
    """A message that stands alone and therefore has a table of its own."""

    TABLE: ClassVar[Table]


@dataclass(frozen=True, slots=True)
class Field:
    """One field as the compiler sees it."""

    name: str
    wire: Wire | None
    """None for a struct."""
    struct: type[msgspec.Struct] | None
    array: bool
    versions: Versions
    nullable: Versions | None
    tag: int | None
    ignorable: bool
    inflexible: bool
    default: Any


@cache
def fields_of(cls: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a message or struct in the order of the wire."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(
        _field(info.name, hints[info.name], info) for info in msgspec.structs.fields(cls) if info.name != "unknown_tags"
    )


def _field(name: str, hint: Any, info: msgspec.structs.FieldInfo) -> Field:
    base, marks = _strip(hint)
    optional = NoneType in get_args(base)
    wire = _only(Wire, marks)
    array = False
    struct = None
    if wire is None:
        base = next(kind for kind in get_args(base) if kind is not NoneType) if optional else base
        array = get_origin(base) is list
        base, inner = _strip(get_args(base)[0]) if array else (base, ())
        wire = _only(Wire, inner)
        struct = base if wire is None else None
    late = _only(Nullable, marks)
    return Field(
        name=name,
        wire=wire,
        struct=struct,
        array=array,
        versions=_only(Versions, marks) or Versions(0, FOREVER),
        nullable=Versions(late.first if late else 0, FOREVER) if optional else None,
        tag=number.number if (number := _only(Tag, marks)) else None,
        ignorable=ignorable in marks,
        inflexible=inflexible in marks,
        default=[] if info.default is msgspec.NODEFAULT else info.default,
    )


def _strip(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def _only(kind: type[T], marks: tuple[Any, ...]) -> T | None:
    return next((mark for mark in marks if isinstance(mark, kind)), None)
