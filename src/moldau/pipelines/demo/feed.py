"""Sends the shop's orders at a steady rate, in a thread of its own.

Called by `run`. Goes on where the topic ends, so a demonstration over kept data goes on with the same shop.
"""

from __future__ import annotations

import threading
import time

from moldau.client import Client
from moldau.pipelines.demo import ORDERS
from moldau.pipelines.demo.orders import orders

TURNS_PER_S = 20
"""The rate is kept by sending a small piece so often."""

LINGER_S = 0.02


class Feed(threading.Thread):
    """Started once, ends when all are sent, when told to, or when it fails."""

    def __init__(self, bootstrap: str, seed: int, first: int, count: int | None, rate: int) -> None:
        super().__init__(name="orders", daemon=True)
        self._address = bootstrap
        self._seed = seed
        self._first = first
        self._count = count
        self._rate = rate
        self._stop_asked = threading.Event()
        self.error: Exception | None = None
        self.sent = 0
        """Orders handed to the producer; after the end, orders that the broker has acknowledged."""

    def run(self) -> None:
        try:
            self._send()
        except Exception as error:
            self.error = error

    def stop(self) -> None:
        """Send no more; what was sent is still flushed before the thread ends."""
        self._stop_asked.set()

    def _send(self) -> None:
        piece = max(1, self._rate // TURNS_PER_S)
        began = time.monotonic()
        with Client(self._address) as kafka, kafka.producer(linger=LINGER_S) as out:
            while not self._stop_asked.is_set():
                count = piece if self._count is None else min(piece, self._count - self.sent)
                if count <= 0:
                    break
                for key, value in orders(self._seed, self._first + self.sent, count):
                    out.send(ORDERS, value, key=key)
                self.sent += count
                ahead = began + self.sent / self._rate - time.monotonic()
                if ahead > 0:
                    self._stop_asked.wait(ahead)
            out.flush()
