"""One request/response conversation with one broker.

Clients and brokers speak through it to a broker; it knows correlation, versions, limits and deadlines, and never
what a request is for or where it should go.
"""

from moldau.channel.channel import Channel, ChannelSettings
from moldau.channel.errors import ChannelBusy, ChannelClosed, ChannelError, RequestExpired, VersionNotServed

__all__ = [
    "Channel",
    "ChannelBusy",
    "ChannelClosed",
    "ChannelError",
    "ChannelSettings",
    "RequestExpired",
    "VersionNotServed",
]
