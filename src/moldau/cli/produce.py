"""`moldau produce`: one record for each line of standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import BinaryIO

from moldau.cli.connecting import add_connection, connect
from moldau.cli.output import add_output, print_json

_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_EPILOG = """examples:
  echo hello | moldau produce greetings
  moldau produce orders --key-separator : < orders.txt      lines such as 17:three apples
  seq 1000000 | moldau produce numbers --compression zstd"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = _EPILOG
    parser.add_argument("topic", metavar="TOPIC", help="where to; it is made if the broker allows that")
    parser.add_argument("--partition", type=int, metavar="N", default=None, help="only to this partition")
    parser.add_argument("--key-separator", metavar="TEXT", default=None, help="what ends the key at a line's beginning")
    parser.add_argument("--compression", choices=_CODECS, default="none", help="how batches are compressed")
    add_connection(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Send every line; tell how many."""
    sent = 0
    separator = options.key_separator.encode() if options.key_separator else None
    with connect(options, create_topics=True) as kafka, kafka.producer(compression=options.compression) as out:
        for line in _lines(sys.stdin.buffer):
            key, value = _split(line, separator)
            out.send(options.topic, value, key=key, partition=options.partition)
            sent += 1
    if options.output == "json":
        print_json({"topic": options.topic, "records": sent})
    else:
        print(f"sent {sent} record{'' if sent == 1 else 's'} to {options.topic}", file=sys.stderr)
    return 0


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    for line in stream:
        yield line.removesuffix(b"\n").removesuffix(b"\r")


def _split(line: bytes, separator: bytes | None) -> tuple[bytes | None, bytes]:
    if separator is None or separator not in line:
        return None, line
    key, _, value = line.partition(separator)
    return key, value
