"""Two independent codecs of the same messages read what this one writes, and write the same bytes again."""

from __future__ import annotations

import importlib
import io
import pkgutil
import random
import re
from typing import Any

import pytest
from msgspec import Struct

from moldau.protocol.codec import encode
from moldau.protocol.layout import layout_of
from moldau.protocol.messages.api_versions import ApiVersionsResponse
from moldau.protocol.tables import Top
from tests.protocol.declared import VERSIONED, flat, name, sample

kio_index = pytest.importorskip("kio.schema.index", reason="kio is not installed")
kafka_protocol = pytest.importorskip("kafka.protocol", reason="kafka-python is not installed")

Case = tuple[type[Top], int]


def examples(case: Case) -> list[Top]:
    message, version = case
    chance = random.Random(name(case))
    return [message(), *(sample(message, version, chance, small=True) for _ in range(2))]


# ------------------------------------------------------------------------------------------------ kio


def kio_class(case: Case) -> Any | None:
    """kio's class for a message in a version, or None when it has none."""
    message, version = case
    spelled = message.__name__.removesuffix("Request").removesuffix("Response")
    if message.TABLE.kind in ("header", "data"):
        spelled = message.__name__
    known = kio_index.schema_name_map.get(re.sub(r"(?<!^)([A-Z])", r"_\1", spelled).lower(), {}).get(version, {})
    for kind, path in known.items():
        if kind.name == message.TABLE.kind or len(known) == 1:
            return pkgutil.resolve_name(path)
    return None


def agrees(theirs: Any, ours: Struct, version: int) -> None:
    """Every field that kio leaves as it is has the value that it has here."""
    for field in layout_of(type(ours), version).plain:
        wanted = getattr(ours, field.name)
        wire_name = field.name.replace("_", "")
        found = next((getattr(theirs, n) for n in theirs.__slots__ if n.replace("_", "") == wire_name), None)
        if field.struct is not None and field.array and wanted is not None:
            assert found is not None, field.name
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted, strict=True):
                agrees(one, other, version)
        elif isinstance(found, (int, str, bytes)) and not isinstance(wanted, (list, tuple)):
            assert found == wanted, field.name


KIO = [case for case in VERSIONED if kio_class(case) is not None]


@pytest.mark.parametrize("case", KIO, ids=name)
def test_kio_reads_and_writes_the_same(case: Case) -> None:
    from kio.serial import entity_reader, entity_writer

    version = case[1]
    theirs = kio_class(case)
    assert theirs is not None
    for filled in examples(case):
        data = flat(encode(filled, version))
        entity, size = entity_reader(theirs)(data, 0)
        assert size == len(data)
        agrees(entity, filled, version)
        written = io.BytesIO()
        entity_writer(theirs)(written, entity)
        assert written.getvalue() == data


def test_kio_has_most_messages() -> None:
    assert {case[0].TABLE.kind for case in KIO} >= {"request", "response", "header", "data"}
    assert len(KIO) > 600


# --------------------------------------------------------------------------------------- kafka-python


def kafka_python_classes() -> dict[str, Any]:
    classes: dict[str, Any] = {}
    for package in ("admin", "consumer", "metadata", "producer"):
        module = importlib.import_module(f"kafka.protocol.{package}")
        for found in pkgutil.iter_modules(module.__path__):
            part = importlib.import_module(f"kafka.protocol.{package}.{found.name}")
            classes.update({n: c for n, c in vars(part).items() if n.endswith(("Request", "Response"))})
    part = importlib.import_module("kafka.protocol.sasl")
    classes.update({n: c for n, c in vars(part).items() if n.endswith(("Request", "Response"))})
    return classes


CLASSES = kafka_python_classes()
KAFKA_PYTHON = [
    case for case in VERSIONED if case[0].__name__ in CLASSES and case[1] <= CLASSES[case[0].__name__].max_version
]


@pytest.mark.parametrize("case", KAFKA_PYTHON, ids=name)
def test_kafka_python_reads_and_writes_the_same(case: Case) -> None:
    message, version = case
    theirs = CLASSES[message.__name__]
    for filled in examples(case):
        if isinstance(filled, ApiVersionsResponse):
            filled.error_code = 0  # with any other, kafka-python takes the body for version 0
        data = flat(encode(filled, version))
        read = theirs.decode(data, version=version)
        read._header = None
        read._version = version
        assert bytes(read.encode(version=version)) == data


def test_kafka_python_has_the_messages_of_a_client() -> None:
    assert len(KAFKA_PYTHON) > 300
