"""One life of one process: it owns callbacks and tasks, and can be gone between two of them.

Whatever runs in a node's context (callbacks, tasks, and all that these start) belongs to the node. When it dies, none
of it runs again, not even a `finally`: the loop drops what is due and keeps the tasks, unrun, until the run is over.
"""

from __future__ import annotations

from contextvars import Context, ContextVar


class Node:
    """A life. A restarted machine gets a new one."""

    def __init__(self, name: str, life: int = 0) -> None:
        self.name = name
        self.life = life
        self.alive = True
        self.power_cut = False
        """Set by the disk in the middle of a call; the loop then buries the node."""
        self.frozen: list[object] | None = None
        """What has come due while the process is stopped, in order; None while it runs."""
        self.label = f"{name}.{life}"
        self.context = Context()
        self.context.run(_OWNER.set, self)

    def __repr__(self) -> str:
        return self.label


_OWNER: ContextVar[Node] = ContextVar("node")


def owner_of(context: Context, default: Node) -> Node:
    """Whose context it is; `default` for one that no node made."""
    return context.get(_OWNER, default)


def running_node(default: Node) -> Node:
    """Whose code is running now."""
    return _OWNER.get(default)
