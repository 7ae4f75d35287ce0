"""The requests there are: every key Kafka has given out, and for those declared here their messages and versions.

Routers, clients and headers look things up in `API`, which imports a message when it is first asked for: a process
pays for the few that it speaks. Which of these a broker serves is the broker's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module

from moldau.protocol.tables import Top


class ApiKey(IntEnum):
    """Kafka's request keys; 4 to 7 are retired and never offered."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92
    STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE = 93
    UNREGISTER_CONTROLLER = 94


RETIRED = frozenset({ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA, ApiKey.CONTROLLED_SHUTDOWN})

NOT_RELEASED = frozenset({ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE, ApiKey.UNREGISTER_CONTROLLER})
"""Keys that Kafka 4.4 gives out; their messages are not declared yet."""


@dataclass(frozen=True, slots=True)
class Api:
    """One request with its answer."""

    key: ApiKey
    request: type[Top]
    response: type[Top]
    min_version: int
    max_version: int
    """The newest version there is."""
    stable_version: int
    """The newest version whose layout is settled; a broker offers none above it."""
    flexible_from: int
    advertised_min: int
    """The oldest version a broker names in ApiVersions."""

    @property
    def name(self) -> str:
        """Kafka's name, such as `ListOffsets`."""
        return self.request.__name__.removesuffix("Request")

    def request_header_version(self, version: int) -> int:
        return 2 if version >= self.flexible_from else 1

    def response_header_version(self, version: int) -> int:
        """ApiVersions is asked before anything is agreed on, so its answer always has the oldest header."""
        return 1 if version >= self.flexible_from and self.key is not ApiKey.API_VERSIONS else 0


NEVER_FLEXIBLE = 32767

ADVERTISED_MIN = {ApiKey.PRODUCE: 0}
"""librdkafka gives up on a broker that does not name Produce 0; Kafka names it too and refuses what is below 3."""


class Apis(Mapping[ApiKey, Api]):
    """Every request that is declared, by its key; made when it is first looked up."""

    def __init__(self, keys: tuple[ApiKey, ...]) -> None:
        self._keys = keys
        self._made: dict[int, Api] = {}

    def __getitem__(self, key: int) -> Api:
        api = self._made.get(key)
        if api is None:
            if key not in self._keys:
                raise KeyError(key)
            api = self._made[key] = _made(ApiKey(key))
        return api

    def __iter__(self) -> Iterator[ApiKey]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _made(key: ApiKey) -> Api:
    """The file of a request is named as its key is, and its classes are named as the file is."""
    name = key.name.lower()
    classes = import_module(f"moldau.protocol.messages.{name}")
    prefix = name.title().replace("_", "")
    request: type[Top] = getattr(classes, f"{prefix}Request")
    response: type[Top] = getattr(classes, f"{prefix}Response")
    table = request.TABLE
    assert table.key == key, f"{prefix} is declared with the key {table.key}"
    first, last = table.versions
    return Api(
        key=key,
        request=request,
        response=response,
        min_version=first,
        max_version=last,
        stable_version=last - 1 if table.unstable else last,
        flexible_from=NEVER_FLEXIBLE if table.flexible is None else table.flexible,
        advertised_min=ADVERTISED_MIN.get(key, first),
    )


API = Apis(tuple(key for key in ApiKey if key not in RETIRED | NOT_RELEASED))
