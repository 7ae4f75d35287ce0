"""Generated functions: collecting their lines, compiling them, and keeping their source where tracebacks look.

Used by the two compilers only.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Source:
    """The text of one function in the making, with the names its lines refer to."""

    def __init__(self, **names: Any) -> None:
        self.names: dict[str, Any] = dict(names)
        self._lines: list[str] = []
        self._depth = 0
        self._counter = 0

    def line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Everything written inside stands under this line."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, hint: str) -> str:
        """A local name not yet used."""
        self._counter += 1
        return f"{hint}_{self._counter}"

    def constant(self, name: str, value: Any) -> str:
        """The name of an object that the text cannot spell; equal names mean equal objects."""
        self.names.setdefault(name, value)
        return name

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def compile(self, function: str, title: str) -> Callable[..., Any]:
        """The finished function; its lines show in tracebacks under `<title>`."""
        filename = f"<{title}>"
        text = self.text()
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), self.names)
        result: Callable[..., Any] = self.names[function]
        return result


def literal(source: Source, value: Any) -> str:
    """How a default is written in generated code."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, bytes):
        return repr(value) if not value else source.constant("ZERO_UUID", value)
    return "[]" if value == [] else source.constant(type(value).__name__.upper(), value)
