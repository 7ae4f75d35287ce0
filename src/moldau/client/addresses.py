"""Where brokers are, as users write it."""

from __future__ import annotations

from collections.abc import Sequence

DEFAULT_PORT = 9092


def addresses_of(bootstrap: str | Sequence[str]) -> list[tuple[str, int]]:
    """Hosts and ports; ValueError for what is not one."""
    texts = bootstrap.split(",") if isinstance(bootstrap, str) else list(bootstrap)
    addresses = [_address(text.strip()) for text in texts if text.strip()]
    if not addresses:
        raise ValueError("bootstrap names no broker; give at least one as 'host:port'")
    return addresses


def _address(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or "]" in port or (":" in host and not host.startswith("[")):
        host, port = text, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"not the address of a broker: {text!r}; write 'host:port'")
    return host, int(port)
