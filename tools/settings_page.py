"""The documentation page of all settings, made from the tables that the broker reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from moldau.broker.configs import table_of
from moldau.broker.settings import BrokerSettings
from moldau.broker.topic_settings import TopicSettings
from moldau.broker.without_effect import without_effect

_HEAD = """# Configuration

This page is made from the tables that the broker reads (`make docs` writes it).

A broker takes Kafka's names, from a `server.properties` (`moldau start --config FILE`) or one by one
(`moldau start --set NAME=VALUE`). A name that nobody knows is an error that names the nearest one. A topic takes its
settings at its creation (`moldau topics create orders --config NAME=VALUE`), and where it has none, the broker's
default holds.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD, "\n## Broker\n\n", *_table(BrokerSettings)]
    parts += ["\n## Topics\n\n", *_table(TopicSettings)]
    parts += [
        "\n## Names without effect\n\n",
        "Kafka's other broker settings are accepted, so that its files can be used as they are, and change nothing here"
        " (yet). The start says which of them were given.\n\n",
        ", ".join(f"`{name}`" for name in sorted(without_effect())),
        "\n",
    ]
    return "".join(parts)


def _table(settings: type) -> Iterable[str]:
    yield "| name | type | default | meaning |\n|---|---|---|---|\n"
    for _, (_, one) in sorted(table_of(settings).items()):
        bounds = f" At least {one.at_least:g}." if one.at_least not in (None, 0) else ""
        choice = f" One of: {', '.join(one.one_of)}." if one.one_of else ""
        own = " *(Moldau's own)*" if one.own else ""
        kind = one.kind.name.lower() + (f", {one.unit}" if one.unit else "")
        yield f"| `{one.name}` | {kind} | {_text(one.default)} | {one.doc}{choice}{bounds}{own} |\n"


def _text(value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
