"""Shows clients the new picture: the last subscriber of the quorum driver."""

from __future__ import annotations

from collections.abc import Callable

from moldau.broker.node import Node
from moldau.metadata import Delta, Image


class Publisher:
    """Publishes to one node's handlers."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def take_in(self, image: Image, delta: Delta, done: Callable[[], None]) -> None:
        """Publish, then go on."""
        self._node.publish(image)
        done()
