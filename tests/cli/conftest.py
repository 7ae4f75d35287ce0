"""The commands speak to a broker of their own."""

from tests.broker.conftest import broker

__all__ = ["broker"]
