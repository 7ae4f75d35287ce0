"""The five doors to the outside: clock, chance, network, disk, offload.

Every room that touches the outside is handed an `Environment`; none reaches past it. `real` is the only
place that touches sockets, `os` and threads, `memory` is faultless and in memory, the simulator has its own.
"""

from moldau.environment.doors import (
    Accept,
    Buffer,
    Chance,
    Clock,
    Connection,
    Disk,
    Environment,
    File,
    FileSlice,
    Listener,
    Network,
    Offload,
    Part,
    Receiver,
    Timer,
    size_of,
)

__all__ = [
    "Accept",
    "Buffer",
    "Chance",
    "Clock",
    "Connection",
    "Disk",
    "Environment",
    "File",
    "FileSlice",
    "Listener",
    "Network",
    "Offload",
    "Part",
    "Receiver",
    "Timer",
    "size_of",
]
