"""What a simulated loop refuses: every method of an event loop that reaches for descriptors, names or threads.

The loop inherits it. A call is a finding: the code went past its doors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from moldau.simulator.errors import Escape

if TYPE_CHECKING:
    _Loop = asyncio.BaseEventLoop  # type checkers take an AbstractEventLoop for one that cannot be made
else:
    _Loop = asyncio.AbstractEventLoop


class BoundedLoop(_Loop):
    """An event loop with nothing behind it."""


_OUT_OF_BOUNDS = """
add_reader add_writer remove_reader remove_writer add_signal_handler run_in_executor getaddrinfo getnameinfo
create_connection create_server create_unix_connection create_unix_server create_datagram_endpoint
connect_accepted_socket connect_read_pipe connect_write_pipe subprocess_exec subprocess_shell start_tls sendfile
sock_recv sock_recv_into sock_recvfrom sock_sendall sock_sendto sock_connect sock_accept sock_sendfile
"""


def _out_of_bounds(name: str) -> Callable[..., NoReturn]:
    def escape(*_: object, **__: object) -> NoReturn:
        raise Escape(f"loop.{name} was called: go through the doors of the environment")

    return escape


for _method in _OUT_OF_BOUNDS.split():
    setattr(BoundedLoop, _method, _out_of_bounds(_method))
