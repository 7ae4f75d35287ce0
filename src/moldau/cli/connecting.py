"""What the commands that speak to a cluster share: how it is found, and how failures are told."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moldau.client import Client

BOOTSTRAP = "127.0.0.1:9092"
VARIABLE = "MOLDAU_BOOTSTRAP"
TIMEOUT_S = 10.0
MOST_FAILURES = 5


def add_connection(parser: argparse.ArgumentParser) -> None:
    """The options that say which cluster is meant."""
    parser.add_argument(
        "-b",
        "--bootstrap",
        metavar="HOST:PORT",
        default=os.environ.get(VARIABLE, BOOTSTRAP),
        help=f"a broker of the cluster, or several with commas between; {VARIABLE} sets it for all commands",
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=TIMEOUT_S, help="how long to try before giving up"
    )


def connect(options: argparse.Namespace, *, create_topics: bool = False) -> Client:
    """A client of the cluster that the options name, to be used in a `with` block."""
    from moldau.client import Client

    return Client(
        options.bootstrap,
        client_id="moldau-cli",
        operation_timeout=options.timeout,
        request_timeout=options.timeout,
        connect_timeout=min(options.timeout, TIMEOUT_S),
        auto_create_topics=create_topics,
    )


def tell_failure(failure: Exception) -> bool:
    """Say on standard error what a cluster could not do; whether it was such a failure."""
    from moldau.client.errors import MoldauError

    failures = failure.exceptions if isinstance(failure, ExceptionGroup) else (failure,)
    if not all(isinstance(each, MoldauError) for each in failures):
        return False
    for each in failures[:MOST_FAILURES]:
        print(f"moldau: {each}", file=sys.stderr)
    if len(failures) > MOST_FAILURES:
        print(f"moldau: and {len(failures) - MOST_FAILURES} more failures", file=sys.stderr)
    return True
