"""ApiVersions 0-4: what this broker speaks, and the cluster's features.

The first request of almost every client. A version above ours is answered in the form of version 0 with
UNSUPPORTED_VERSION and all ranges, from which the client picks one. Produce is advertised from 0, although 0-2
are refused, because librdkafka gives up on a broker that does not name it.
"""

from __future__ import annotations

import re

from moldau.broker.call import Call
from moldau.broker.node import Node
from moldau.controller import CONTROLLER_FEATURES
from moldau.model import ErrorCode
from moldau.protocol.apis import API as APIS
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

API = ApiKey.API_VERSIONS
MEMOISED = True

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def handle(request: ApiVersionsRequest, call: Call) -> ApiVersionsResponse:
    """The ranges; INVALID_REQUEST for a client that does not name itself as the protocol asks."""
    if call.version >= 3 and not (
        _SOFTWARE.fullmatch(request.client_software_name) and _SOFTWARE.fullmatch(request.client_software_version)
    ):
        return failed(request, ErrorCode.INVALID_REQUEST)
    node = call.node
    image = node.image
    return ApiVersionsResponse(
        api_keys=_ranges(node),
        supported_features=[
            SupportedFeatureKey(name=name, min_version=low, max_version=high)
            for name, (low, high) in sorted(CONTROLLER_FEATURES.items())
        ],
        finalized_features_epoch=image.offset,
        finalized_features=[
            FinalizedFeatureKey(name=name, min_version_level=level, max_version_level=level)
            for name, level in sorted(image.features.items())
        ],
    )


def failed(request: ApiVersionsRequest, code: ErrorCode) -> ApiVersionsResponse:
    return ApiVersionsResponse(error_code=code)


def unsupported(node: Node) -> ApiVersionsResponse:
    """For a version that is not known, to be sent as version 0."""
    return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=_ranges(node))


def _ranges(node: Node) -> list[ApiVersion]:
    return [
        ApiVersion(api_key=key, min_version=APIS[key].advertised_min, max_version=APIS[key].stable_version)
        for key in node.served
    ]
