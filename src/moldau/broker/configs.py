"""What one configuration name is: its type, default, range, unit and meaning, and how its text is read.

Declared once, as a field of a settings class; the class, validation, DescribeConfigs and the documentation page
are made of the same declarations. Values are text at the edges (files, command line, topic configs) and typed inside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1


class Kind(IntEnum):
    """Kafka's types of configuration values, numbered as DescribeConfigs numbers them."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigError(ValueError):
    """A name or value that cannot be used; the text says which and what to change."""


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """One configuration name."""

    name: str
    kind: Kind
    default: Any
    doc: str
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    one_of: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    """Other names that give this value when this one is not given, in order of precedence."""
    changeable: bool = False
    own: bool = False
    """Whether the name is Moldau's own, not Kafka's."""

    def parse(self, text: str) -> Any:
        """The value of this text; ConfigError when it is not one."""
        text = text.strip()
        try:
            value = _PARSERS[self.kind](text)
        except ValueError:
            raise ConfigError(f"{self.name}={text}: expected {_EXPECTED[self.kind]}") from None
        return self.check(value)

    def check(self, value: Any) -> Any:
        """The value itself; ConfigError when it is out of range."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if self.at_least is not None and value < self.at_least:
                raise ConfigError(f"{self.name}={value}: must be at least {self.at_least}")
            if self.at_most is not None and value > self.at_most:
                raise ConfigError(f"{self.name}={value}: must be at most {self.at_most}")
        if self.one_of:
            for one in value if isinstance(value, tuple) else (value,):
                if one not in self.one_of:
                    raise ConfigError(f"{self.name}={one}: must be one of {', '.join(self.one_of)}")
        return value


def config(name: str, kind: Kind, default: Any, doc: str, **more: Any) -> Any:
    """A field of a settings class that is read from this configuration name."""
    return dataclasses.field(default=default, metadata={"config": Config(name, kind, default, doc, **more)})


def table_of(settings: type) -> dict[str, tuple[str, Config]]:
    """Each configuration name of a settings class, with its field's name."""
    found: dict[str, tuple[str, Config]] = {}
    for field in dataclasses.fields(settings):
        row: Config | None = field.metadata.get("config")
        if row is not None:
            found[row.name] = (field.name, row)
    return found


def format_value(value: Any) -> str | None:
    """The text of a typed value as Kafka writes it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the known name that an unknown one probably means."""
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def read_properties(text: str) -> dict[str, str]:
    """The names and values of a Java properties file."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        entry = line.strip()
        if not entry or entry[0] in "#!":
            continue
        while entry.endswith("\\") and not entry.endswith("\\\\"):
            entry = entry[:-1] + next(lines, "").strip()
        cut = min((at for at in (entry.find("="), entry.find(":")) if at >= 0), default=len(entry))
        found[entry[:cut].strip()] = entry[cut + 1 :].strip().replace("\\\\", "\\")
    return found


def resolve(row: Config, given: Mapping[str, str]) -> str | None:
    """The text given for this name or for the first of its synonyms; None when none is given."""
    for name in (row.name, *row.synonyms):
        if name in given:
            return given[name]
    return None


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _within(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return parse


def _list(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


_PARSERS: dict[Kind, Callable[[str], Any]] = {
    Kind.BOOLEAN: _boolean,
    Kind.STRING: str,
    Kind.INT: _within(-(2**31), INT_MAX),
    Kind.SHORT: _within(-(2**15), 2**15 - 1),
    Kind.LONG: _within(-(2**63), LONG_MAX),
    Kind.DOUBLE: float,
    Kind.LIST: _list,
    Kind.CLASS: str,
    Kind.PASSWORD: str,
}
_EXPECTED = {
    Kind.BOOLEAN: "true or false",
    Kind.INT: "a whole number of 32 bits",
    Kind.SHORT: "a whole number of 16 bits",
    Kind.LONG: "a whole number of 64 bits",
    Kind.DOUBLE: "a number",
}
