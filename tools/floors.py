"""The floors of the house: imports go down only, rooms on one floor do not know each other, pure rooms stay pure.

Called by `tools.check`; the table below is the law and `docs/architecture.md` shows the same one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"model"}),
    frozenset({"environment", "metrics"}),
    frozenset({"_core"}),
    frozenset({"records", "protocol"}),
    frozenset({"security", "channel", "storage", "raft", "coordination"}),
    frozenset({"metadata"}),
    frozenset({"replication", "controller", "groups", "transactions", "shares", "client"}),
    frozenset({"broker", "registry", "connect", "pipelines", "console"}),
    frozenset({"mirror"}),
    frozenset({"testing", "simulator", "cli"}),
)
CORE_USERS = frozenset({"records", "protocol", "storage", "client"})
"""The rooms that may import the compiled core."""

ENVIRONMENT_CHOOSERS = frozenset({"testing", "simulator", "cli"})
"""The rooms that may choose an environment; beside them the files below."""
ENVIRONMENT_CHOOSING_FILES = frozenset({"broker/assembly.py", "client/runner.py", "client/_sync/runner.py"})
"""A client that a user makes has nobody above it to hand it one: it takes the real doors unless it is given others."""

PURE_ROOMS = frozenset({"model", "records", "protocol", "raft", "metadata", "controller"})
PURE_FILES = frozenset({"replication/progress.py", "storage/retention.py"})
IMPURE_MODULES = frozenset(
    {
        "asyncio",
        "concurrent",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "selectors",
        "signal",
        "socket",
        "subprocess",
        "threading",
        "time",
    }
)


def problems(root: Path) -> Iterator[str]:
    """Every import that goes up and every impurity, as `file:line: what is wrong`."""
    package = root / "src" / "moldau"
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        room = inside.parts[0].removesuffix(".py")
        tree = ast.parse(path.read_text())
        where = path.relative_to(root)
        if len(inside.parts) > 1 and room not in _level:
            yield f"{where}:1: the room `{room}` stands on no floor"
            continue
        for line, target in _imports(tree, inside):
            if problem := _import_problem(room, inside.as_posix(), target):
                yield f"{where}:{line}: {problem}"
        if room in PURE_ROOMS or inside.as_posix() in PURE_FILES:
            for line, problem in _impurities(tree):
                yield f"{where}:{line}: {problem}, but `{room}` is pure"


_level = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def _imports(tree: ast.Module, inside: Path) -> Iterator[tuple[int, str]]:
    """Each imported module of the project, as a dotted path below `moldau`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("moldau."):
                    yield node.lineno, alias.name.removeprefix("moldau.")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, ".".join([*inside.parts[: len(inside.parts) - node.level], node.module or ""])
            elif node.module == "moldau":
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif node.module and node.module.startswith("moldau."):
                yield node.lineno, node.module.removeprefix("moldau.")


def _import_problem(room: str, file: str, target: str) -> str | None:
    target_room, _, rest = target.partition(".")
    if target_room == room or target_room not in _level or room not in _level:
        return None
    if target_room == "_core" and room not in CORE_USERS:
        return f"`{room}` imports the compiled core; only {', '.join(sorted(CORE_USERS))} may"
    chooses = room in ENVIRONMENT_CHOOSERS or file in ENVIRONMENT_CHOOSING_FILES
    if target_room == "environment" and rest.split(".")[0] in ("real", "memory") and not chooses:
        return f"`{room}` chooses an environment; it is handed in"
    if _level[target_room] >= _level[room]:
        upwards = f"`{room}` (floor {_level[room]}) imports `{target_room}` (floor {_level[target_room]})"
        return f"{upwards}; imports go down only"
    return None


def _impurities(tree: ast.Module) -> Iterator[tuple[int, str]]:
    typing_only = {id(node) for block in ast.walk(tree) if _is_typing_block(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield node.lineno, "waits"
        elif isinstance(node, ast.Global):
            yield node.lineno, "changes a module's global"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                if name.split(".")[0] in IMPURE_MODULES and not getattr(node, "level", 0):
                    yield node.lineno, f"imports `{name}`"
        elif isinstance(node, ast.For | ast.comprehension) and _is_set(node.iter):
            yield node.iter.lineno, "iterates over a set"


def _is_typing_block(node: ast.AST) -> bool:
    """`if TYPE_CHECKING:`, whose imports never run."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")


if __name__ == "__main__":
    found = list(problems(Path.cwd()))
    print("\n".join(found))
    sys.exit(bool(found))
