"""Generate the synchronous client's verbs from the asynchronous ones, or check that what is committed is fresh.

    python tools/unasync.py           writes src/moldau/client/_sync/*.py
    python tools/unasync.py --check   ends with 1 and names the files that are not what would be written

Only tokens change: `async` and `await` go, names of the asynchronous side become names of the synchronous one. What
differs beyond that is in the two runners, which are written by hand.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from pathlib import Path

CLIENT = Path(__file__).resolve().parent.parent / "src" / "moldau" / "client"
TARGET = CLIENT / "_sync"
FILES = ("delivery.py", "producer.py", "consumer.py", "admin.py", "client.py")

NAMES = {
    "AsyncClient": "Client",
    "AsyncProducer": "Producer",
    "AsyncConsumer": "Consumer",
    "AsyncAdmin": "Admin",
    "AsyncDelivery": "Delivery",
    "AsyncDeliveries": "Deliveries",
    "AsyncRunner": "Runner",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
}
MODULES = ("admin", "consumer", "delivery", "producer", "runner")
"""Modules of the client that have a twin of their own."""

_AWAITABLE = re.compile(r"\n    def __await__\(self\).*?(?=\n\n\n|\n\n    \S|\Z)", re.DOTALL)
_YIELDING = re.compile(r"for (\w+) in (.+):\n +yield \1\n")
_HEAD = """# Generated from client/{name} by tools/unasync.py; change it there.
# fmt: off
# ruff: noqa: I001, RUF100
"""
_WORDS = {
    " The synchronous producer is generated\nfrom this file.": "",
    " The synchronous producer is generated from this file.": "",
    " The synchronous one is generated from this file.": "",
    " The synchronous ones are generated from this file.": "",
    " The synchronous `Client` is generated from this file.": "",
    "`await` it for the record's place": "Ask its `result()` for the record's place",
}


def generated(name: str) -> str:
    """The synchronous text of one file."""
    source = (CLIENT / name).read_text()
    for old, new in _WORDS.items():
        source = source.replace(old, new)
    source = _AWAITABLE.sub("", source)
    text = _without_async(source)
    text = _YIELDING.sub(r"yield from \2\n", text)
    for module in MODULES:
        text = text.replace(f"from moldau.client.{module} import", f"from moldau.client._sync.{module} import")
    text = text.replace("from collections.abc import Generator\nfrom typing import Any\n\n", "")
    return _HEAD.format(name=name) + text


def stale() -> list[str]:
    """The files whose committed text is not what would be written."""
    return [name for name in FILES if not (TARGET / name).exists() or (TARGET / name).read_text() != generated(name)]


def main() -> int:
    """Write or check."""
    if "--check" in sys.argv:
        old = stale()
        for name in old:
            print(f"src/moldau/client/_sync/{name} is not what tools/unasync.py would write; run it", file=sys.stderr)
        return 1 if old else 0
    for name in FILES:
        (TARGET / name).write_text(generated(name))
    return 0


def _without_async(source: str) -> str:
    """The source without `async` and `await` and with the other names; all else keeps its place."""
    lines = source.splitlines(keepends=True)
    edits: list[tuple[int, int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.NAME:
            continue
        (row, start), (_, end) = token.start, token.end
        if token.string in ("async", "await"):
            edits.append((row, start, end + 1, ""))
        elif token.string in NAMES:
            edits.append((row, start, end, NAMES[token.string]))
    for row, start, end, new in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
