"""One open client for each broker address in each process.

Spark keeps its Python workers and uses them again, so a connection made for one micro-batch serves the next ones. A
worker is a fork of another process: a client is never used in a process that did not open it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moldau.client import Client

MOST = 8
"""Clients kept open in one process; the one opened first goes first."""

_open: dict[tuple[int, str], Client] = {}


def connect(bootstrap: str) -> Client:
    """An open client, this process's own. Do not close it; call `forget` when it failed."""
    name = (os.getpid(), bootstrap)
    client = _open.get(name)
    if client is None:
        from moldau.client import Client

        client = Client(bootstrap)
        client.__enter__()
        for other in [known for known in _open if known[0] != name[0]]:
            del _open[other]
        while len(_open) >= MOST:
            _open.pop(next(iter(_open))).close()
        _open[name] = client
    return client


def forget(bootstrap: str) -> None:
    """Close it, so that the next caller gets a new one."""
    client = _open.pop((os.getpid(), bootstrap), None)
    if client is not None:
        client.close()
