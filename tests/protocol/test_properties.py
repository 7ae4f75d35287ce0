"""Whatever a message holds comes back, for every message in every version."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from moldau.protocol.codec import decode, encode
from moldau.protocol.layout import is_nullable, layout_of
from moldau.protocol.tables import Field, Top
from tests.protocol.declared import VERSIONED, flat, plain

INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TAGS = st.none() | st.dictionaries(st.integers(100, 2**32 - 1), st.binary(max_size=5), min_size=1, max_size=3)


def messages(struct: type[Struct], version: int, flexible: bool) -> st.SearchStrategy[Any]:
    layout = layout_of(struct, version)
    fields = {field.name: values(field, version, flexible) for field in (*layout.plain, *layout.tagged)}
    if flexible:
        fields["unknown_tags"] = TAGS
    return st.builds(struct, **fields)


def values(field: Field, version: int, flexible: bool) -> st.SearchStrategy[Any]:
    one = messages(field.struct, version, flexible) if field.struct is not None else scalars(field)
    many = st.lists(one, max_size=3) if field.array else one
    return st.none() | many if is_nullable(field, version) else many


def scalars(field: Field) -> st.SearchStrategy[Any]:
    assert field.wire is not None
    kind = field.wire.name
    if kind in INTEGERS:
        return st.integers(*INTEGERS[kind])
    if kind == "bool":
        return st.booleans()
    if kind == "string":
        return TEXT
    if kind == "uuid":
        return st.binary(min_size=16, max_size=16)
    return st.binary(max_size=50)


STRATEGIES: dict[tuple[type[Top], int], st.SearchStrategy[Any]] = {}


def versioned(case: tuple[type[Top], int]) -> st.SearchStrategy[Any]:
    message, version = case
    if case not in STRATEGIES:
        STRATEGIES[case] = messages(message, version, message.TABLE.is_flexible(version))
    return st.tuples(st.just(case), STRATEGIES[case])


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(VERSIONED).flatmap(versioned))
def test_messages_come_back(example: tuple[tuple[type[Top], int], Top]) -> None:
    (kind, version), message = example
    data = flat(encode(message, version))
    assert plain(decode(kind, version, data)) == plain(message)
