"""The command line, one file per noun.

`main` imports only the command that is asked for, so that help and typing errors come at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

COMMANDS = {
    "start": "run a broker on this machine",
    "topics": "list, show, create and delete topics",
    "produce": "send records to a topic, one per line of standard input",
    "consume": "print the records of a topic",
    "demo": "see a broker and a Spark pipeline at work",
}
"""Each is a module of this package with `arguments(parser)` and `run(args) -> exit code`."""

_EXAMPLES = """examples:
  moldau start                                run a broker at 127.0.0.1:9092, data in ./moldau-data
  moldau topics create orders --partitions 3  make a topic
  echo hello | moldau produce orders          send a record
  moldau consume orders --from earliest       read what is there, and what comes

Any Kafka client can connect to the address that `moldau start` prints.
`moldau COMMAND --help` explains a command."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 when it did what was asked, 1 when it failed, 2 when it was asked wrongly."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _Parser(
        prog="moldau",
        description="A streaming platform that any Kafka client can speak to.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", formatter_class=_Formatter
        )
        if name in arguments:
            import_module(f"moldau.cli.{name}").arguments(command)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        commands.choices.get(options.command, parser).error(_unknown(unknown[0], commands.choices.get(options.command)))
    if options.version:
        from moldau import __version__

        print(f"moldau {__version__}")
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    try:
        code: int = import_module(f"moldau.cli.{options.command}").run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _reader_has_gone()
    except Exception as failure:
        from moldau.cli.connecting import tell_failure

        if not tell_failure(failure):
            raise
        return 1
    return code


def _unknown(word: str, command: argparse.ArgumentParser | None) -> str:
    """What is said of a word that nobody understands."""
    from difflib import get_close_matches  # only on the way to an error

    there = command.format_help().replace(",", " ").split() if command is not None else ["--help", "--version"]
    near = get_close_matches(word.partition("=")[0], [option for option in there if option.startswith("--")], n=1)
    return f"{word} is unknown" + (f": did you mean {near[0]}?" if near else "")


def _reader_has_gone() -> int:
    """Whoever read our output has read enough, as `| head` does; nothing is flushed into the broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


class _Parser(argparse.ArgumentParser):
    """Says in one line what was asked wrongly, and where to read how it is asked."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"moldau: {message}; see: {self.prog} --help\n")


class _Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Examples keep their lines, options say their defaults."""
