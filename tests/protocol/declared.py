"""Every declared message, and values to fill them with."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

import moldau.protocol.messages
from moldau.environment.doors import FileSlice, Part
from moldau.protocol.layout import is_nullable, layout_of
from moldau.protocol.tables import Field, Top, Wire


def _declared() -> list[type[Top]]:
    """Every message that stands alone, in all the files of messages."""
    files = sorted(found.name for found in pkgutil.iter_modules(moldau.protocol.messages.__path__))
    modules = [importlib.import_module(f"moldau.protocol.messages.{file}") for file in files]
    return [
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Top) and found.__module__ == module.__name__
    ]


MESSAGES = _declared()

VERSIONED = [
    (message, version)
    for message in MESSAGES
    for version in range(message.TABLE.versions[0], message.TABLE.versions[1] + 1)
]


def name(case: tuple[type[Top], int]) -> str:
    return f"{case[0].__name__}-v{case[1]}"


TEXT = "abcxyz-_ äß€𝄞"
RANGES = {"int8": 7, "int16": 15, "uint16": 16, "int32": 31, "uint32": 32, "int64": 63}


def sample(struct: type[Struct], version: int, chance: random.Random, small: bool = False) -> Any:
    """A message with something in every field of the version; `small` keeps numbers where every peer takes them."""
    layout = layout_of(struct, version)
    values = {field.name: _value(field, version, chance, small) for field in layout.plain}
    for field in layout.tagged:
        if chance.random() < 0.6:
            values[field.name] = _value(field, version, chance, small)
    return struct(**values)


def _value(field: Field, version: int, chance: random.Random, small: bool) -> Any:
    if is_nullable(field, version) and chance.random() < 0.25:
        return None
    if field.array:
        return [_item(field, version, chance, small) for _ in range(chance.choice((0, 1, 1, 2, 3, 17)))]
    return _item(field, version, chance, small)


def _item(field: Field, version: int, chance: random.Random, small: bool) -> Any:
    if field.struct is not None:
        return sample(field.struct, version, chance, small)
    assert field.wire is not None
    return _scalar(field.wire, chance, small)


def _scalar(wire: Wire, chance: random.Random, small: bool) -> Any:
    if wire.name == "bool":
        return chance.random() < 0.5
    if wire.name == "string":
        return "".join(chance.choices(TEXT, k=chance.choice((0, 1, 5, 200))))
    if wire.name == "uuid":
        return chance.randbytes(16)
    if wire.name == "float64":
        return chance.uniform(-1e9, 1e9)
    if wire.name in ("bytes", "records"):
        return chance.randbytes(chance.choice((0, 1, 100, 20_000)))
    if small:
        return chance.randrange(100)
    bits = RANGES[wire.name]
    return chance.choice((0, 1, 2**bits - 1, 0 if wire.name.startswith("u") else -(2**bits), chance.randrange(2**bits)))


def flat(parts: Sequence[Part]) -> bytes:
    """All the parts as the bytes that would be sent."""
    return b"".join(part.read() if isinstance(part, FileSlice) else part for part in parts)


def plain(message: Any) -> Any:
    """The message as nested tuples, with views of record bytes turned into bytes."""
    if isinstance(message, Struct):
        return (type(message).__name__, *(plain(getattr(message, name)) for name in message.__struct_fields__))
    if isinstance(message, list):
        return [plain(item) for item in message]
    return bytes(message) if isinstance(message, memoryview) else message
