"""What each request needs permission for: one row for each API that is served.

Everything is allowed as yet; the router refuses to be built with an API that has no row, so that no request
escapes the question when access control comes.
"""

from __future__ import annotations

from typing import NamedTuple

from moldau.protocol.apis import ApiKey


class Permission(NamedTuple):
    """An operation on a kind of resource, in Kafka's words."""

    operation: str
    resource: str
    refusal: str
    """Where a refusal shows: in the whole answer, for the one resource, or the resource is left out."""


ANYBODY: tuple[Permission, ...] = ()

AUTHORIZATION: dict[ApiKey, tuple[Permission, ...]] = {
    ApiKey.PRODUCE: (
        Permission("WRITE", "TOPIC", "resource"),
        Permission("WRITE", "TRANSACTIONAL_ID", "whole"),
    ),
    ApiKey.FETCH: (
        Permission("READ", "TOPIC", "resource"),
        Permission("CLUSTER_ACTION", "CLUSTER", "whole"),
    ),
    ApiKey.LIST_OFFSETS: (Permission("DESCRIBE", "TOPIC", "resource"),),
    ApiKey.METADATA: (
        Permission("DESCRIBE", "TOPIC", "left out"),
        Permission("CREATE", "CLUSTER", "resource"),
        Permission("CREATE", "TOPIC", "resource"),
    ),
    ApiKey.FIND_COORDINATOR: (
        Permission("DESCRIBE", "GROUP", "resource"),
        Permission("DESCRIBE", "TRANSACTIONAL_ID", "resource"),
    ),
    ApiKey.API_VERSIONS: ANYBODY,
    ApiKey.CREATE_TOPICS: (
        Permission("CREATE", "CLUSTER", "resource"),
        Permission("CREATE", "TOPIC", "resource"),
        Permission("DESCRIBE_CONFIGS", "TOPIC", "left out"),
    ),
    ApiKey.DELETE_TOPICS: (
        Permission("DELETE", "TOPIC", "resource"),
        Permission("DESCRIBE", "TOPIC", "left out"),
    ),
    ApiKey.DELETE_RECORDS: (Permission("DELETE", "TOPIC", "resource"),),
    ApiKey.INIT_PRODUCER_ID: (
        Permission("WRITE", "TRANSACTIONAL_ID", "whole"),
        Permission("IDEMPOTENT_WRITE", "CLUSTER", "whole"),
        Permission("WRITE", "TOPIC", "whole"),
    ),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: (
        Permission("CLUSTER_ACTION", "CLUSTER", "resource"),
        Permission("DESCRIBE", "TOPIC", "resource"),
    ),
    ApiKey.DESCRIBE_CONFIGS: (
        Permission("DESCRIBE_CONFIGS", "CLUSTER", "resource"),
        Permission("DESCRIBE_CONFIGS", "TOPIC", "resource"),
    ),
    ApiKey.ALTER_CONFIGS: (
        Permission("ALTER_CONFIGS", "CLUSTER", "resource"),
        Permission("ALTER_CONFIGS", "TOPIC", "resource"),
    ),
    ApiKey.DESCRIBE_LOG_DIRS: (Permission("DESCRIBE", "CLUSTER", "whole"),),
    ApiKey.CREATE_PARTITIONS: (Permission("ALTER", "TOPIC", "resource"),),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: (
        Permission("ALTER_CONFIGS", "CLUSTER", "resource"),
        Permission("ALTER_CONFIGS", "TOPIC", "resource"),
    ),
    ApiKey.DESCRIBE_QUORUM: (Permission("DESCRIBE", "CLUSTER", "whole"),),
    ApiKey.DESCRIBE_CLUSTER: (Permission("DESCRIBE", "CLUSTER", "whole"),),
    ApiKey.DESCRIBE_PRODUCERS: (Permission("READ", "TOPIC", "resource"),),
    ApiKey.LIST_CONFIG_RESOURCES: (Permission("DESCRIBE_CONFIGS", "CLUSTER", "whole"),),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: (Permission("DESCRIBE", "TOPIC", "resource"),),
}
