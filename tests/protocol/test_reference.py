"""The declared tables say what Kafka's schemas say, field by field."""

from __future__ import annotations

import re
import types
from typing import Annotated, Any, ClassVar

import pytest

from moldau.protocol.apis import API, RETIRED, ApiKey
from moldau.protocol.tables import (
    Bool,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    Table,
    Top,
    ignorable,
    nullable_since,
    since,
    tag,
)
from tests.protocol.declared import MESSAGES
from tests.protocol.reference import REFERENCE, SCHEMAS, differences, load_schemas

pytestmark = pytest.mark.skipif(
    not SCHEMAS.is_dir(), reason=f"no schemas to compare with at {SCHEMAS}: set MOLDAU_REFERENCE"
)


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return load_schemas()


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_declared_as_in_the_schema(message: type[Top], schemas: dict[str, Any]) -> None:
    assert differences(message, schemas[message.__name__]) == []


def test_every_message_is_declared(schemas: dict[str, Any]) -> None:
    published = {name for name, schema in schemas.items() if schema["validVersions"] != "none"}
    assert {message.__name__ for message in MESSAGES} == published
    assert len(MESSAGES) == len(published)


SCHEMA = {
    "apiKey": 77,
    "type": "request",
    "name": "Planted",
    "validVersions": "1-5",
    "flexibleVersions": "3+",
    "fields": [
        {"name": "First", "type": "int32", "versions": "0+", "default": "-1"},
        {"name": "Second", "type": "string", "versions": "2+", "nullableVersions": "2+", "ignorable": True},
        {"name": "Third", "type": "int64", "versions": "4+", "taggedVersions": "4+", "tag": 0},
        {
            "name": "Items",
            "type": "[]Item",
            "versions": "1+",
            "fields": [{"name": "Id", "type": "int16", "versions": "0+"}],
        },
    ],
}


class Item(Message):
    id: Int16 = 0


class Planted(Top):
    TABLE: ClassVar[Table] = Table("request", key=77, versions=(1, 5), flexible=3)

    first: Int32 = -1
    second: Annotated[NullableString, since(2), ignorable] = ""
    third: Annotated[Int64, since(4), tag(0)] = 0
    items: list[Item] = []


def changed(annotations: dict[str, Any] | None = None, first: int = -1) -> type[Top]:
    """The planted message with one annotation, or the default of its first field, changed."""
    annotated = {**Planted.__annotations__, **(annotations or {})}
    defaults = {"first": first, "second": "", "third": 0, "items": []}
    namespace = {"__annotations__": annotated, "__module__": __name__, "TABLE": Planted.TABLE, **defaults}
    made: type[Top] = types.new_class("Planted", (Top,), exec_body=lambda body: body.update(namespace))
    return made


def test_a_faithful_declaration_has_no_differences() -> None:
    assert differences(Planted, SCHEMA) == []
    assert differences(changed(), SCHEMA) == []


@pytest.mark.parametrize(
    ("annotations", "complaint"),
    [
        ({"first": Int64}, "Planted.first: type is 'int64'"),
        ({"first": Annotated[Int32, since(2)]}, "Planted.first: versions is (2, 5)"),
        ({"second": Annotated[Bool, since(2), ignorable]}, "Planted.second: type is 'bool'"),
        (
            {"second": Annotated[NullableString, since(2), nullable_since(3), ignorable]},
            "Planted.second: nullable is (3",
        ),
        ({"second": Annotated[NullableString, since(2)]}, "Planted.second: ignorable is False"),
        ({"third": Annotated[Int64, since(4), tag(1)]}, "Planted.third: tag is 1"),
        ({"third": Annotated[Int64, since(4)]}, "Planted.third: tag is None"),
        ({"items": list[Int16]}, "Planted.items: type is '[]int16'"),
    ],
)
def test_one_changed_field_is_found(annotations: dict[str, Any], complaint: str) -> None:
    assert any(found.startswith(complaint) for found in differences(changed(annotations), SCHEMA))


def test_a_changed_default_is_found() -> None:
    assert differences(changed(first=0), SCHEMA) == ["Planted.first: default is ('int', 0), the schema has ('int', -1)"]


def test_a_changed_table_is_found() -> None:
    class Other(Planted):
        TABLE: ClassVar[Table] = Table("request", key=78, versions=(1, 6), flexible=2)

    found = "\n".join(differences(Other, SCHEMA))
    assert "api key is 78" in found
    assert "versions is (1, 6)" in found
    assert "flexible is 2" in found


def test_a_missing_field_is_found() -> None:
    class Short(Top):
        TABLE: ClassVar[Table] = Planted.TABLE

        first: Int32 = -1

    assert "fields are ['first']" in differences(Short, SCHEMA)[0]


def test_every_key_that_kafka_has_given_out() -> None:
    text = (REFERENCE / "api-keys.md").read_text()
    keys = {int(key): name for key, name in re.findall(r"(?m)^\| (\d+) \| (\w+) \|", text)}
    assert {int(key): key.name.replace("_", "").lower() for key in ApiKey} == {k: n.lower() for k, n in keys.items()}
    assert not RETIRED & set(API)
