"""What can go wrong between bytes and messages, and whose fault it is.

Raised by the rest of this room, translated by whoever owns the connection or the log. Never carries a Kafka
error code: a handler knows which one fits, this room does not.
"""

from __future__ import annotations


class Malformed(Exception):  # noqa: N818
    """The bytes are not what they claim to be: the sender's fault. Nothing else escapes a decoder."""


class FrameError(Malformed):
    """The length in front of a frame is negative or above the limit; the stream cannot be followed any further."""


class Unencodable(ValueError):  # noqa: N818
    """The message cannot be said in this version: the caller's fault."""


class UnsupportedVersion(ValueError):  # noqa: N818
    """The message has no such version."""
