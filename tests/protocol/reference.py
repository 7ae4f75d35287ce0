"""Kafka's schemas, where they are at hand, and how the declared tables differ from them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from moldau.protocol.tables import FOREVER, Field, Top, Versions, fields_of

ROOT = Path(__file__).parents[2]
REFERENCE = Path(os.environ.get("MOLDAU_REFERENCE") or ROOT.parent / "shared" / "reference")
SCHEMAS = REFERENCE / "kafka-messages"

Span = tuple[int, int] | None


def load_schemas() -> dict[str, Any]:
    """Every schema by its name."""
    schemas = (_parse(path.read_text()) for path in sorted(SCHEMAS.glob("*/*.json")))
    return {schema["name"]: schema for schema in schemas}


def _parse(text: str) -> Any:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"(?m)^\s*//.*$|\s//.*$", "", text)
    return json.loads(re.sub(r",(\s*[\]}])", r"\1", text))


def differences(declared: type[Top], schema: Any) -> list[str]:
    """What the declaration says otherwise than the schema, as far as it can matter in the valid versions."""
    table = declared.TABLE
    valid = _span(schema["validVersions"])
    flexible = _span(schema["flexibleVersions"])
    found = []
    for what, ours, theirs in (
        ("kind", table.kind, schema["type"]),
        ("api key", table.key, schema.get("apiKey")),
        ("versions", table.versions, valid),
        ("flexible", table.flexible, flexible[0] if flexible else None),
        ("unstable", table.unstable, bool(schema.get("latestVersionUnstable"))),
    ):
        if ours != theirs:
            found.append(f"{declared.__name__}: {what} is {ours!r}, the schema has {theirs!r}")
    common = {struct["name"]: struct["fields"] for struct in schema.get("commonStructs", ())}
    return found + _compare(declared, schema["fields"], valid, common, declared.__name__)


def _compare(struct: Any, theirs: Any, within: Span, common: dict[str, Any], path: str) -> list[str]:
    ours = [field for field in fields_of(struct) if _cut(field.versions, within)]
    theirs = [entry for entry in theirs if _cut(_exists(entry), within)]
    names = [_flat(field.name) for field in ours]
    wanted = [entry["name"].lower() for entry in theirs]
    if names != wanted:
        return [f"{path}: fields are {names}, the schema has {wanted}"]
    found = []
    for field, entry in zip(ours, theirs, strict=True):
        here = f"{path}.{field.name}"
        facts, truth = _declared_facts(field, within), _schema_facts(entry, within)
        found += [
            f"{here}: {what} is {facts[what]!r}, the schema has {truth[what]!r}"
            for what in truth
            if facts[what] != truth[what]
        ]
        if field.struct is not None:
            inner = entry["fields"] if "fields" in entry else common.get(entry["type"].removeprefix("[]"), [])
            found += _compare(field.struct, inner, _cut(field.versions, within), common, here)
    return found


def _declared_facts(field: Field, within: Span) -> dict[str, Any]:
    span = _cut(field.versions, within)
    kind = field.wire.name if field.wire is not None else "struct"
    default = field.default
    if field.struct is not None and not field.array and default == field.struct():
        default = "struct"
    return {
        "type": ("[]" if field.array else "") + kind,
        "versions": span,
        "nullable": _cut(field.nullable, span),
        "tag": field.tag,
        "tagged versions": span if field.tag is not None else None,
        "ignorable": field.ignorable and span != within,
        "inflexible": field.inflexible,
        "default": (type(default).__name__, default),
    }


def _schema_facts(entry: Any, within: Span) -> dict[str, Any]:
    span = _cut(_exists(entry), within)
    item = entry["type"].removeprefix("[]")
    array = item != entry["type"]
    kind = "struct" if item[0].isupper() else item
    nullable = _cut(_span(entry.get("nullableVersions")), span)
    default = _default("array" if array else kind, entry.get("default"))
    if kind == "records" and nullable is None:
        default = b""
    return {
        "type": ("[]" if array else "") + kind,
        "versions": span,
        "nullable": nullable,
        "tag": entry.get("tag"),
        "tagged versions": _cut(_span(entry.get("taggedVersions")), span),
        "ignorable": bool(entry.get("ignorable")) and span != within,
        "inflexible": entry.get("flexibleVersions") == "none",
        "default": (type(default).__name__, default),
    }


def _default(kind: str, text: Any) -> Any:
    if text == "null" or kind == "records":
        return None
    if kind == "array":
        return []
    if kind in ("string", "struct"):
        return text or ("" if kind == "string" else "struct")
    if kind in ("bytes", "uuid"):
        return bytes(16 if kind == "uuid" else 0)
    if kind == "bool":
        return str(text).lower() == "true"
    return float(text or 0) if kind == "float64" else int(str(text or 0), 0)


def _exists(entry: Any) -> Span:
    """A field that names no versions exists where it is tagged."""
    return _span(entry.get("versions", entry.get("taggedVersions")))


def _span(text: Any) -> Span:
    if text is None or text == "none":
        return None
    first, _, last = str(text).partition("-")
    if first.endswith("+"):
        return int(first[:-1]), FOREVER
    return int(first), int(last or first)


def _cut(one: Versions | Span, other: Span) -> Span:
    if one is None or other is None:
        return None
    first, last = max(one[0], other[0]), min(one[1], other[1])
    return (first, last) if first <= last else None


def _flat(name: str) -> str:
    return name.replace("_", "").lower()
