"""`moldau demo`: a broker, a shop's orders and a Spark pipeline over them, live in the terminal.

Without a terminal it prints plain lines, ends by itself and says whether a recount agrees.
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moldau.pipelines.demo.run import Demonstration, Settings

RATE = 10_000
RECORDS_WITHOUT_TERMINAL = 200_000
NEEDED = ("pyspark", "deltalake", "pyarrow")
NEEDED_ON_SCREEN = ("rich",)

_EPILOG = """examples:
  moldau demo                                 live until Ctrl-C
  moldau demo --data shop                     the same; a second run goes on where the first ended
  moldau demo --records 50000 | cat           plain lines, ends by itself, checks itself

The exit code is 0 when everything that Spark computed is what a recount without Spark finds, 1 when not."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "--records",
        type=_count,
        metavar="N",
        default=argparse.SUPPRESS,
        help=f"end after N orders (default: never in a terminal, else {RECORDS_WITHOUT_TERMINAL})",
    )
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same orders")
    parser.add_argument("--rate", type=_count, metavar="N", default=RATE, help="orders per second")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="keep all data here, go on with what is there",
    )
    parser.add_argument("--keep", action="store_true", help="keep the temporary data and say where it is")
    parser.add_argument(
        "--master",
        default=argparse.SUPPRESS,
        help="where Spark runs (default: $MOLDAU_SPARK or all cores of this machine)",
    )
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", default=argparse.SUPPRESS, help="save the dashboard as an SVG file"
    )


def run(options: argparse.Namespace) -> int:
    """0 when the recount agrees, 1 when it does not or something failed, 130 when Ctrl-C came before any result."""
    began_s = time.monotonic()
    on_screen = sys.stdout.isatty()
    picture: Path | None = getattr(options, "picture", None)
    missing = _missing([*NEEDED, *(NEEDED_ON_SCREEN if on_screen or picture else ())])
    if missing:
        print(f"moldau: the demo needs {', '.join(missing)}; run: pip install 'moldau[spark,demo]'", file=sys.stderr)
        return 1
    from moldau.native import NATIVE, WITHOUT_CORE

    if not NATIVE:
        print(f"moldau: {WITHOUT_CORE}", file=sys.stderr)
    settings = _settings(options, on_screen)
    try:
        return _run(settings, began_s, on_screen, picture)
    except RuntimeError as failure:
        print(f"moldau: {failure}", file=sys.stderr)
        return 1


def _run(settings: Settings, began_s: float, on_screen: bool, picture: Path | None) -> int:
    from moldau.pipelines.demo.report import Lines, next_steps, summary
    from moldau.pipelines.demo.run import Demonstration, Interruption

    interruption = Interruption()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interruption)
    if on_screen:
        from moldau.pipelines.demo.view import Screen

        view: Screen | Lines = Screen()
    else:
        view = Lines(sys.stdout)
    demonstration = Demonstration(settings, view, began_s, interruption)
    with view:
        told = demonstration.run()
    _save(demonstration, picture)
    if told is None:
        return 128 + (interruption.asked or signal.SIGINT)
    print(summary(told))
    kept = demonstration.kept
    print(f"\n{next_steps(str(kept / 'broker') if kept else None)}")
    return told.exit_code


def _save(demonstration: Demonstration, picture: Path | None) -> None:
    if picture is None or demonstration.last_busy is None:
        return
    from moldau.pipelines.demo.view import save_picture

    save_picture(demonstration.last_busy, picture)


def _settings(options: argparse.Namespace, on_screen: bool) -> Settings:
    from moldau.pipelines.demo.run import Settings

    return Settings(
        records=getattr(options, "records", None if on_screen else RECORDS_WITHOUT_TERMINAL),
        seed=options.seed,
        rate=options.rate,
        data=getattr(options, "data", None),
        keep=options.keep,
        master=getattr(options, "master", None),
    )


def _missing(packages: Sequence[str]) -> list[str]:
    return [package for package in packages if importlib.util.find_spec(package) is None]


def _count(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number
