"""How a run ends badly. Each is a finding about the code that was run, not about the simulator.

Raised by the loop, the doors and the checkers; caught by `run`, which turns it into a failed report.
"""

from __future__ import annotations


class Finding(Exception):  # noqa: N818 (what was found, not who erred)
    """Something that must never happen did."""


class Deadlock(Finding):
    """Nothing is ready and no timer is set, yet somebody waits."""


class Stuck(Finding):
    """Virtual time or the number of steps passed its limit before the run was over."""


class Escape(Finding):
    """The code reached for the machine past its five doors."""


class Unhandled(Finding):
    """A task or a callback ended with an exception that nobody took."""


class Broken(Finding):
    """A promise was broken; the text begins with the promise's number."""


class PowerCut(BaseException):
    """Unwinds the code that was at the disk when the power went. No door answers it any more; what it does while it
    unwinds reaches nobody."""
