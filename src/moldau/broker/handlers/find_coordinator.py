"""FindCoordinator 0-6: this broker has no coordinators, so every key is answered COORDINATOR_NOT_AVAILABLE.

Clients try again for a while and then report it. Versions 0-3 ask for one key, 4-6 for many.
"""

from __future__ import annotations

from collections.abc import Sequence

from moldau.broker.call import Call
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse

API = ApiKey.FIND_COORDINATOR
MEMOISED = True

MANY_KEYS = 4

_WHY = "this broker has no coordinators: read by assignment, and produce without transactions"


def handle(request: FindCoordinatorRequest, call: Call) -> FindCoordinatorResponse:
    if call.version < MANY_KEYS:
        return FindCoordinatorResponse(
            error_code=ErrorCode.COORDINATOR_NOT_AVAILABLE, error_message=_WHY, node_id=-1, port=-1
        )
    return _refused(request.coordinator_keys, ErrorCode.COORDINATOR_NOT_AVAILABLE, _WHY)


def failed(request: FindCoordinatorRequest, code: ErrorCode) -> FindCoordinatorResponse:
    if request.coordinator_keys:
        return _refused(request.coordinator_keys, code, None)
    return FindCoordinatorResponse(error_code=code, error_message=None, node_id=-1, port=-1)


def _refused(keys: Sequence[str], code: ErrorCode, message: str | None) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        coordinators=[Coordinator(key=key, node_id=-1, port=-1, error_code=code, error_message=message) for key in keys]
    )
