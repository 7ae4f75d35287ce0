"""What ends a broker."""

from __future__ import annotations


class CannotStart(Exception):  # noqa: N818 - it says what happened
    """The broker cannot serve; the text is one line that says what to change."""
