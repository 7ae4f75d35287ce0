"""What the broker tells its operator: one line for each event worth knowing, limited per kind.

Called by the drivers and the connection machine; never by pure rooms.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from moldau.environment.doors import Clock

WINDOW_MS = 10_000
LINES_PER_WINDOW = 5
"""Of one kind; what is left out is counted and told with the next line."""


class Journal:
    """Lines to one sink (standard error in a process, a list in a test)."""

    def __init__(self, clock: Clock, write: Callable[[str], None]) -> None:
        self._clock = clock
        self._write = write
        self._windows: dict[str, _Window] = {}

    def tell(self, kind: str, text: str) -> None:
        """Write one line, unless this kind has had its share of this window."""
        now = self._clock.monotonic_ms()
        window = self._windows.get(kind)
        if window is None or now - window.began_ms >= WINDOW_MS:
            left_out = window.left_out if window is not None else 0
            window = self._windows[kind] = _Window(now)
            if left_out:
                text += f" ({left_out} more like this before it)"
        elif window.lines == LINES_PER_WINDOW:
            window.left_out += 1
            return
        window.lines += 1
        self._write(f"{_stamp(self._clock.wall_ms())} {text}\n")


class _Window:
    __slots__ = ("began_ms", "left_out", "lines")

    def __init__(self, began_ms: int) -> None:
        self.began_ms = began_ms
        self.lines = 0
        self.left_out = 0


def _stamp(wall_ms: int) -> str:
    seconds, milliseconds = divmod(wall_ms, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03d}Z"
