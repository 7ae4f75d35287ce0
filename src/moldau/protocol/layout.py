"""One struct in one version: which of its fields are on the wire, where, and how small it can be.

The two compilers ask here, so that both see the same layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from struct import calcsize

from msgspec import Struct

from moldau.protocol.tables import Field, fields_of


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a struct, sorted by how one version treats them."""

    fields: tuple[Field, ...]
    plain: tuple[Field, ...]
    """On the wire in this order."""
    tagged: tuple[Field, ...]
    """In the tagged section, by number."""
    absent: tuple[Field, ...]


@cache
def layout_of(struct: type[Struct], version: int) -> Layout:
    """The layout of a struct in a version of the message it belongs to."""
    fields = fields_of(struct)
    present = [field for field in fields if version in field.versions]
    return Layout(
        fields=fields,
        plain=tuple(field for field in present if field.tag is None),
        tagged=tuple(sorted((field for field in present if field.tag is not None), key=lambda field: field.tag or 0)),
        absent=tuple(field for field in fields if version not in field.versions),
    )


def is_nullable(field: Field, version: int) -> bool:
    """Whether the field may be null in this version."""
    return field.nullable is not None and version in field.nullable


def minimum_size(struct: type[Struct], version: int, flexible: bool) -> int:
    """The fewest bytes such a struct can take; it bounds how many of them an array can claim to hold."""
    sizes = (_minimum(field, version, flexible) for field in layout_of(struct, version).plain)
    return sum(sizes) + (1 if flexible else 0)


def _minimum(field: Field, version: int, flexible: bool) -> int:
    compact = flexible and not field.inflexible
    if field.array:
        return 1 if compact else 4
    if field.struct is not None:
        return 1 if is_nullable(field, version) else minimum_size(field.struct, version, flexible)
    assert field.wire is not None
    if field.wire.format:
        return calcsize(">" + field.wire.format)
    if compact:
        return 1
    return 2 if field.wire.name == "string" else 4


def carries_records(struct: type[Struct]) -> bool:
    """Whether record batches travel somewhere inside; such a message is read and written without copying them."""
    return any(
        carries_records(field.struct)
        if field.struct is not None
        else field.wire is not None and field.wire.name == "records"
        for field in fields_of(struct)
    )
