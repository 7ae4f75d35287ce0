"""How commands print: tables for people, JSON for programs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

Row = Sequence[object]


def add_output(parser: argparse.ArgumentParser) -> None:
    """The option that chooses."""
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table", help="how to print")


def print_rows(output: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """A table with a heading, or a JSON list of objects."""
    if output == "json":
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    heading = [column.replace("_", " ").upper() for column in columns]
    lines = [heading, *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_json(value: object) -> None:
    """One line of JSON."""
    import json

    print(json.dumps(value, ensure_ascii=False), flush=True)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
