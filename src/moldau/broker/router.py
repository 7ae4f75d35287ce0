"""From a frame to its handler, and from the handler's answer to bytes.

Called by the connection machine for every frame. It decides nothing about a request's content.
"""

from __future__ import annotations

import struct
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from moldau.broker.authorization import AUTHORIZATION
from moldau.broker.call import HANG_UP, Call, Outcome
from moldau.broker.connection import ClientConnection
from moldau.broker.handlers import api_versions
from moldau.broker.node import MOST_MEMOISED, Node
from moldau.environment.doors import Part, size_of
from moldau.model import ErrorCode
from moldau.protocol.apis import API, Api, ApiKey
from moldau.protocol.codec import compiled
from moldau.protocol.errors import Malformed
from moldau.protocol.headers import decode_request_header

LARGEST_MEMOISED = 1 << 20

_HEADER = struct.Struct(">hhih")
"""Key, version, correlation id, length of the client id."""
_ANSWER = struct.Struct(">ii").pack
_FLEXIBLE_ANSWER = struct.Struct(">iib").pack


class Handler(Protocol):
    """What each file in `handlers/` offers."""

    API: ApiKey
    # MEMOISED = True: the answer depends on nothing but version, listener, the request's bytes and the picture

    def handle(self, request: Any, call: Call, /) -> Any:
        """The answer, or an `Outcome`."""

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
        "memoised",
        "request_bytes",
        "requests",
        "version",
    )

    def __init__(self, api: Api, version: int, handler: Handler, node: Node) -> None:
        self.api = api
        self.version = version
        self.handle: Callable[[Any, Call], Any] = handler.handle
        self.failed = handler.failed
        self.memoised = getattr(handler, "MEMOISED", False)
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
        return self.framed(correlation_id, self._encode(response))

    def encode_body(self, response: Any) -> bytes:
        """The body of an answer that holds no slices."""
        return b"".join(self._encode(response))  # type: ignore[arg-type]

    def framed(self, correlation_id: int, parts: list[Part]) -> list[Part]:
        """A body with length and header in front; its first part is bytes."""
        size = len(parts[0]) if len(parts) == 1 else size_of(parts)
        if self._flexible_answer:
            head = _FLEXIBLE_ANSWER(size + 5, correlation_id, 0)
        else:
            head = _ANSWER(size + 4, correlation_id)
        parts[0] = head + parts[0]  # type: ignore[operator]
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
                position = position + 1 if frame[position] == 0 else decode_request_header(frame)[4]
            if route.memoised:
                self._serve_memoised(route, frame, position, correlation_id, connection)
                return
            request, _ = route.decode(frame, position)
        except (Malformed, struct.error, IndexError) as wrong:
            connection.hang_up("malformed", f"malformed request: {wrong}")
            return
        except _Unserved as unserved:
            self._serve_unserved(unserved, frame, connection)
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

    def _serve_memoised(
        self, route: Route, frame: memoryview, position: int, correlation_id: int, connection: ClientConnection
    ) -> None:
        """As `serve`, with the answer's bytes kept until the picture of the cluster changes."""
        memo = self._node.memo
        shape = (route.api.key, route.version, connection.listener, bytes(frame[position:]))
        route.requests.value += 1
        route.request_bytes.value += len(frame)
        body = memo.get(shape)
        if body is None:
            request, _ = route.decode(frame, position)
            call = Call(self._node, route, correlation_id, connection)
            try:
                answer = route.handle(request, call)
                if answer.__class__ is Outcome:
                    return
                body = route.encode_body(answer)
            except Exception as failure:
                self._failed(route, request, call, failure)
                return
            if len(memo) < MOST_MEMOISED and len(body) < LARGEST_MEMOISED:
                memo[shape] = body
        connection.answer(route.framed(correlation_id, [body]))

    def _serve_unserved(self, unserved: _Unserved, frame: memoryview, connection: ClientConnection) -> None:
        """Hang up, unless it is the question which versions are served."""
        key, _, correlation_id, _ = _HEADER.unpack_from(frame)
        if key == ApiKey.API_VERSIONS:
            answer = api_versions.unsupported(self._node)
            connection.answer(self._route(key, 0).encode(correlation_id, answer))
        else:
            connection.hang_up("unserved", str(unserved))

    def _route(self, key: int, version: int) -> Route:
        """The route, made when it is first asked for: few clients use more than one version of an API."""
        handler = self._handlers.get(key)  # type: ignore[call-overload]
        if handler is None:
            raise _Unserved(f"it asked for API {key} v{version}, which is not served")
        api = API[handler.API]
        if not api.min_version <= version <= api.stable_version:
            raise _Unserved(f"it asked for {api.name} v{version}; {api.min_version} to {api.stable_version} are served")
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
        call.finish(route.failed(request, ErrorCode.UNKNOWN_SERVER_ERROR))


class _Unserved(Exception):  # noqa: N818 - it names the request
    """An API or version that this broker does not have."""
