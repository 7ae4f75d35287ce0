"""What can go wrong between a request and its answer, told to whoever asked; never an error code of the answer."""

# ruff: noqa: N818  (each is named after what happened, as Kafka's own words do)
from __future__ import annotations


class ChannelError(Exception):
    """The request has no answer. When `retriable`, the same request may succeed on another connection."""

    retriable = True


class ChannelClosed(ChannelError):
    """The connection could not be made or is gone; a request in flight may or may not have been carried out."""


class RequestExpired(ChannelError):
    """No answer came before the deadline; the request may or may not have been carried out."""


class ChannelBusy(ChannelError):
    """As many requests wait for this connection as it may hold; nothing was sent."""


class VersionNotServed(ChannelError):
    """This side and the broker have no version of the API in common; nothing was sent."""

    retriable = False
