"""The cluster's metadata: records in, pictures and what lies between them out."""

from moldau.metadata.draft import BrokenMetadata, apply
from moldau.metadata.image import (
    NO_LEADER,
    Broker,
    Delta,
    Endpoint,
    Image,
    PartitionState,
    Resource,
    ResourceType,
    Topic,
)

__all__ = [
    "NO_LEADER",
    "BrokenMetadata",
    "Broker",
    "Delta",
    "Endpoint",
    "Image",
    "PartitionState",
    "Resource",
    "ResourceType",
    "Topic",
    "apply",
]
