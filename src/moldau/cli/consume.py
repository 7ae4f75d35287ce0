"""`moldau consume`: print a topic's records, those that are there and those that come."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from moldau.cli.connecting import add_connection, connect
from moldau.cli.output import print_json

if TYPE_CHECKING:
    from moldau.client import ConsumedRecord

_EPILOG = """examples:
  moldau consume orders --from earliest               everything, then what comes, until Ctrl-C
  moldau consume orders --from earliest --until-end   everything that is there now
  moldau consume orders --count 10 -o json            the next ten as JSON, one object in a line"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = _EPILOG
    parser.add_argument("topic", metavar="TOPIC", help="what to read")
    parser.add_argument(
        "--from", dest="start", type=_start, metavar="WHERE", default="latest", help="earliest, latest or an offset"
    )
    parser.add_argument(
        "--partition", type=int, action="append", metavar="N", default=None, help="only this one; may be repeated"
    )
    parser.add_argument("--count", type=int, metavar="N", default=None, help="end after so many records")
    parser.add_argument("--until-end", action="store_true", help="end at what is the end now")
    parser.add_argument(
        "-o",
        "--output",
        choices=("value", "table", "json"),
        default="value",
        help="the value alone, a line with all there is, or JSON",
    )
    add_connection(parser)


def run(options: argparse.Namespace) -> int:
    """Print records until the end that was asked for."""
    left = options.count
    with connect(options) as kafka:
        partitions = options.partition or [one.index for one in kafka.admin.describe_topic(options.topic).partitions]
        start: Any = options.start if isinstance(options.start, str) else dict.fromkeys(partitions, options.start)
        stop: Any = "latest" if options.until_end else None
        with kafka.consumer(options.topic, partitions=partitions, start=start, stop=stop) as records:
            for record in records:
                _print(options.output, record)
                if left is not None:
                    left -= 1
                    if left <= 0:
                        break
    return 0


def _start(text: str) -> str | int:
    if text in ("earliest", "latest"):
        return text
    if text.isdigit():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text}: expected earliest, latest or an offset")


def _print(output: str, record: ConsumedRecord) -> None:
    if output == "json":
        print_json(
            {
                "topic": record.topic,
                "partition": record.partition,
                "offset": record.offset,
                "timestamp_ms": record.timestamp_ms,
                "key": _plain(record.key),
                "value": _plain(record.value),
                "headers": [[name, _plain(value)] for name, value in record.headers],
            }
        )
        return
    value = b"" if record.value is None else record.value
    if output == "table":
        key = "-" if record.key is None else record.key.decode("utf-8", "backslashreplace")
        place = f"{record.partition}@{record.offset}  {record.datetime.isoformat(timespec='milliseconds')}  {key}  "
        value = place.encode() + value
    sys.stdout.buffer.write(value + b"\n")
    sys.stdout.buffer.flush()


def _plain(data: bytes | None) -> Any:
    """Text where it is text, else an object that says how it is encoded."""
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        import base64

        return {"base64": base64.b64encode(data).decode("ascii")}
