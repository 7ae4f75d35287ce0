"""Documents that say what is: each statement that a machine can check is checked here.

The folder table equals the folders, the floors in the drawing equal the law, pages made from tables are fresh,
links lead somewhere, and every command that a document names exists.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tools import floors


def problems(root: Path) -> Iterator[str]:
    """What no longer holds, as `file: what is wrong`."""
    yield from _folder_table(root)
    yield from _floor_drawing(root)
    yield from _generated_pages(root)
    for page in _pages(root):
        text = page.read_text()
        where = str(page.relative_to(root))
        yield from (f"{where}: {problem}" for problem in _links(page, text))
        yield from (f"{where}: {problem}" for problem in _make_targets(root, text))
        yield from (f"{where}: {problem}" for problem in _commands(root, text))


def _pages(root: Path) -> list[Path]:
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])


def _folder_table(root: Path) -> Iterator[str]:
    """The table in the architecture page and the folders of the package name the same rooms."""
    page = root / "docs" / "architecture.md"
    named = set(re.findall(r"^\| `(\w+)/` \|", page.read_text(), re.MULTILINE))
    package = root / "src" / "moldau"
    there = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    for name in sorted(named - there):
        yield f"docs/architecture.md: names the room `{name}/`, which is not there"
    for name in sorted(there - named):
        yield f"docs/architecture.md: the room `{name}/` is not in the folder table"


def _floor_drawing(root: Path) -> Iterator[str]:
    """The drawing shows, floor by floor, just the rooms of the law that exist."""
    package = root / "src" / "moldau"
    drawn = re.findall(r"^ *(\d) │ ([\w ]+?) *│$", (root / "docs" / "architecture.md").read_text(), re.MULTILINE)
    if not drawn:
        yield "docs/architecture.md: the drawing of the floors is not there"
    for number, rooms in drawn:
        law = {room for room in floors.FLOORS[int(number)] if (package / room).exists()} | (
            floors.FLOORS[int(number)] & {"_core"}
        )
        if set(rooms.split()) != law:
            yield f"docs/architecture.md: floor {number} is drawn as {rooms}; it is {' '.join(sorted(law))}"


def _generated_pages(root: Path) -> Iterator[str]:
    for path, made in generated(root):
        if not path.exists() or path.read_text() != made:
            yield f"{path.relative_to(root)}: not what the tables say now; write it with: make docs"


def generated(root: Path) -> Iterator[tuple[Path, str]]:
    """The pages that are made from tables, and what they must hold."""
    from tools.settings_page import page

    yield root / "docs" / "configuration.md", page()


def _links(page: Path, text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith(("#", "mailto:")):
            continue
        if not (page.parent / target.partition("#")[0]).exists():
            yield f"the link to {target} leads nowhere"


def _code(text: str) -> list[str]:
    """What stands in code: fenced blocks line by line, and inline code."""
    lines = [
        line
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    return lines + re.findall(r"`([^`\n]+)`", text)


def _make_targets(root: Path, text: str) -> Iterator[str]:
    there = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    for code in _code(text):
        if (found := re.match(r"(?:\$ )?make ([a-z-]+)", code)) and found[1] not in there:
            yield f"`make {found[1]}` is not a target of the Makefile"


def _commands(root: Path, text: str) -> Iterator[str]:
    """Every `moldau VERB` that a document shows is one, with the options shown."""
    verbs = _options_of_commands()
    for code in _code(text):
        found = re.match(r"(?:\$ )?(?:\.venv/bin/)?moldau ([a-z]+)\b(.*)", code)
        if not found or found[1] == "ready":
            continue
        verb, rest = found[1], found[2]
        if verb not in verbs:
            yield f"`moldau {verb}` is not a command"
            continue
        for option in re.findall(r"(?<!\S)(--[a-z-]+)", rest.partition("#")[0]):
            if option not in verbs[verb]:
                yield f"`moldau {verb} {option}`: there is no such option"


def _options_of_commands() -> dict[str, set[str]]:
    """Each command of `moldau` with its options, those of the verbs below it included."""
    from moldau.cli import COMMANDS

    found = {}
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"moldau.cli.{name}").arguments(parser)
        found[name] = set(_options_of(parser))
    return found


def _options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _options_of(below)


def write(root: Path) -> None:
    """Write the pages that are made from tables."""
    for path, made in generated(root):
        path.write_text(made)


if __name__ == "__main__":
    here = Path.cwd()
    if sys.argv[1:] == ["--write"]:
        write(here)
        sys.exit(0)
    found = list(problems(here))
    print("\n".join(found))
    sys.exit(bool(found))
