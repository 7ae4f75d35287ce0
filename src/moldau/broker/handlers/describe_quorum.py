"""DescribeQuorum 0-2: who leads the quorum of the cluster's metadata, and how far each of its voters is.

The quorum is this node alone, so it leads, it is the only voter, and it is up to date now. Its listeners are not told:
none is open for other voters.
"""

from __future__ import annotations

from moldau.broker.call import Call
from moldau.controller.topic_names import CLUSTER_METADATA
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.describe_quorum import (
    AnsweredPartitionData,
    AnsweredTopicData,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    Node,
    ReplicaState,
)

API = ApiKey.DESCRIBE_QUORUM

PARTITION = 0
WITH_NODES = 2


def handle(request: DescribeQuorumRequest, call: Call) -> DescribeQuorumResponse:
    asked = [(topic.topic_name, one.partition_index) for topic in request.topics for one in topic.partitions]
    if not asked:
        return failed(request, ErrorCode.INVALID_REQUEST, f"ask for {CLUSTER_METADATA}-{PARTITION}")
    if asked != [(CLUSTER_METADATA, PARTITION)]:
        return _unknown(request)
    standing = call.node.controller.standing
    if standing.leader != call.node.settings.node_id:
        return failed(request, ErrorCode.NOT_LEADER_OR_FOLLOWER, f"ask node {standing.leader}, which leads")
    described = AnsweredPartitionData(
        partition_index=PARTITION,
        leader_id=standing.leader,
        leader_epoch=standing.epoch,
        high_watermark=standing.high_watermark,
        current_voters=[_voter(call, standing.end_offset)],
    )
    response = DescribeQuorumResponse(topics=[AnsweredTopicData(topic_name=CLUSTER_METADATA, partitions=[described])])
    if call.version >= WITH_NODES:
        response.nodes = [Node(node_id=standing.leader)]
    return response


def failed(request: DescribeQuorumRequest, code: ErrorCode, message: str | None = None) -> DescribeQuorumResponse:
    return DescribeQuorumResponse(error_code=code, error_message=message)


def _unknown(request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    code, message = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"ask for {CLUSTER_METADATA}-{PARTITION} alone"
    return DescribeQuorumResponse(
        topics=[
            AnsweredTopicData(
                topic_name=topic.topic_name,
                partitions=[
                    AnsweredPartitionData(partition_index=one.partition_index, error_code=code, error_message=message)
                    for one in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _voter(call: Call, end_offset: int) -> ReplicaState:
    """The leader fetches from nobody: it counts as having done so now."""
    node = call.node
    now_ms = node.clock.wall_ms()
    voter = ReplicaState(
        replica_id=node.settings.node_id,
        log_end_offset=end_offset,
        last_fetch_timestamp=now_ms,
        last_caught_up_timestamp=now_ms,
    )
    directory_id = node.directory.identity.directory_id
    if call.version >= WITH_NODES and directory_id is not None:
        voter.replica_directory_id = directory_id
    return voter
