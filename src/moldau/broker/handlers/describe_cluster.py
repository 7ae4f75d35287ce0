"""DescribeCluster 0-2: the brokers and the controller."""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

API = ApiKey.DESCRIBE_CLUSTER
MEMOISED = True

_BROKERS = 1


def handle(request: DescribeClusterRequest, call: Call) -> DescribeClusterResponse:
    """The cluster as brokers see it; the controllers' own endpoints are not told."""
    if request.endpoint_type != _BROKERS:
        response = failed(request, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)
        response.error_message = "ask for brokers (endpoint type 1)"
        return response
    node = call.node
    return DescribeClusterResponse(
        cluster_id=node.cluster_id,
        controller_id=node.controller_id,
        endpoint_type=_BROKERS,
        brokers=[
            DescribeClusterBroker(broker_id=broker.id, host=broker.host, port=broker.port, rack=broker.rack)
            for broker in node.live_brokers(call.connection.listener)
        ],
    )


def failed(request: DescribeClusterRequest, code: ErrorCode) -> DescribeClusterResponse:
    return DescribeClusterResponse(error_code=code, endpoint_type=request.endpoint_type)
