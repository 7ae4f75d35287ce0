"""The handlers that a broker serves with."""

from __future__ import annotations

from moldau.broker.handlers import (
    api_versions,
    create_topics,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_configs,
    fetch,
    find_coordinator,
    init_producer_id,
    list_offsets,
    metadata,
    produce,
)
from moldau.broker.router import Handler

HANDLERS: tuple[Handler, ...] = (
    produce,
    fetch,
    list_offsets,
    metadata,
    find_coordinator,
    api_versions,
    create_topics,
    delete_topics,
    delete_records,
    init_producer_id,
    describe_configs,
    describe_cluster,
)
