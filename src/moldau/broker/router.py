"""From a frame to its handler, and from the handler's answer to bytes.

Called by the connection machine for every frame. It decides nothing about a request's content.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Protocol

from moldau.broker.authorization import AUTHORIZATION
from moldau.broker.call import HANG_UP, PARKED, Call, Encoded, Outcome
from moldau.broker.connection import ClientConnection
from moldau.environment.doors import Part, size_of
from moldau.model import ErrorCode
from moldau.protocol.apis import API, Api, ApiKey
from moldau.protocol.codec import compiled
from moldau.protocol.errors import Malformed
from moldau.protocol.headers import decode_request_header

if TYPE_CHECKING:
    from moldau.broker.node import Node

_HEADER = Struct(">hhih")
"""Key, version, correlation id, length of the client id."""
_ANSWER = Struct(">ii").pack
_FLEXIBLE_ANSWER = Struct(">iib").pack


class Handler(Protocol):
    """What each file in `handlers/` offers."""

    API: ApiKey

    def handle(self, request: Any, call: Call, /) -> Any:
        """The answer, or an `Outcome`, or `Encoded`."""

    def failed(self, request: Any, code: ErrorCode, /) -> Any:
        """The answer that says this code for everything that was asked."""


class Route:
    """One API in one version: everything looked up once."""

    __slots__ = (
        "_encode",
        "_flexible_answer",
        "answer_bytes",
        "api",
        "decode",
        "errors",
        "failed",
        "flexible",
        "handle",
        "request_bytes",
        "requests",
        "version",
    )

    def __init__(self, api: Api, version: int, handler: Handler, node: Node) -> None:
        self.api = api
        self.version = version
        self.handle: Callable[[Any, Call], Any] = handler.handle
        self.failed = handler.failed
        self.flexible = api.request_header_version(version) == 2
        self._flexible_answer = api.response_header_version(version) == 1
        self.decode = compiled(api.request, version).decode
        self._encode = compiled(api.response, version).encode
        self.requests = node.metrics.counter("requests", api.name)
        self.request_bytes = node.metrics.counter("request_bytes", api.name)
        self.answer_bytes = node.metrics.counter("answer_bytes", api.name)
        self.errors = node.metrics.counter("request_errors", api.name)

    def encode(self, correlation_id: int, response: Any) -> list[Part]:
        """The whole answer, ready to send."""
        parts = list(response.parts) if response.__class__ is Encoded else self._encode(response)
        size = size_of(parts)
        head = (
            _FLEXIBLE_ANSWER(size + 5, correlation_id, 0)
            if self._flexible_answer
            else _ANSWER(size + 4, correlation_id)
        )
        first = parts[0]
        if isinstance(first, bytes):
            parts[0] = head + first
        else:
            parts.insert(0, head)
        self.answer_bytes.value += size + len(head)
        return parts


class Router:
    """All routes of one broker."""

    def __init__(self, node: Node, handlers: Iterable[Handler]) -> None:
        self._node = node
        self._handlers = {handler.API: handler for handler in handlers}
        for key in self._handlers:
            assert key in AUTHORIZATION, f"{key.name} needs a row in the authorization table"
        self._routes: dict[tuple[int, int], Route] = {}

    def serve(self, frame: memoryview, connection: ClientConnection) -> None:
        """Handle one request: its answer goes to the connection, now or later."""
        try:
            key, version, correlation_id, client_id_bytes = _HEADER.unpack_from(frame)
            route = self._routes.get((key, version)) or self._route(key, version)
            position = 10 + client_id_bytes if client_id_bytes > 0 else 10
            if route.flexible:
                position = position + 1 if frame[position] == 0 else decode_request_header(frame).body_position
            request, _ = route.decode(frame, position)
        except (Malformed, StructError, IndexError) as wrong:
            connection.hang_up("malformed", f"malformed request: {wrong}")
            return
        except _Unserved as unserved:
            connection.hang_up("unserved", str(unserved))
            return
        route.requests.value += 1
        route.request_bytes.value += len(frame)
        call = Call(self._node, route, correlation_id, connection)
        try:
            answer = route.handle(request, call)
            if answer.__class__ is not Outcome:
                connection.answer(route.encode(correlation_id, answer))
                return
        except Exception as failure:
            self._failed(route, request, call, failure)
            return
        if answer is HANG_UP:
            connection.hang_up("refused", f"{route.api.name} failed and its client awaits no answer")

    def _route(self, key: int, version: int) -> Route:
        """The route, made when it is first asked for: few clients use more than one version of an API."""
        handler = self._handlers.get(key)  # type: ignore[call-overload]
        if handler is None:
            raise _Unserved(f"it asked for API {key} v{version}, which is not served")
        api = API[handler.API]
        if not api.min_version <= version <= api.stable_version:
            if handler.API is not ApiKey.API_VERSIONS:
                raise _Unserved(f"it asked for {api.name} v{version}; {api.min_version} to {api.stable_version} are served")
            return handler.route_of_unknown_version(self._node)
        route = self._routes[key, version] = Route(api, version, handler, self._node)
        return route

    def _failed(self, route: Route, request: Any, call: Call, failure: Exception) -> None:
        """The handler's fault: the client gets UNKNOWN_SERVER_ERROR in this API's form, the operator one line."""
        route.errors.value += 1
        frame = traceback.extract_tb(failure.__traceback__)[-1]
        self._node.journal.tell(
            f"failed {route.api.name}",
            f"{route.api.name} v{route.version} from {call.connection.door.peer} failed: "
            f"{failure!r} ({frame.filename.rpartition('/')[2]}:{frame.lineno})",
        )
        call.connection.answer(
            route.encode(call.correlation_id, route.failed(request, ErrorCode.UNKNOWN_SERVER_ERROR))
        )


class _Unserved(Exception):
    """An API or version that this broker does not have."""
