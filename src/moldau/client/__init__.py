"""The client: producer, consumer by assignment, admin.

`AsyncClient` for asyncio and `Client` for everybody else have the same verbs. Everything above the broker, and users,
speak to a cluster (ours or any other that speaks Kafka's protocol) through it.
"""

from moldau.client._sync.admin import Admin
from moldau.client._sync.client import Client
from moldau.client._sync.consumer import Consumer
from moldau.client._sync.delivery import Deliveries, Delivery
from moldau.client._sync.producer import Producer
from moldau.client.admin import AsyncAdmin
from moldau.client.client import AsyncClient
from moldau.client.consumer import AsyncConsumer
from moldau.client.delivery import AsyncDeliveries, AsyncDelivery
from moldau.client.errors import (
    BrokerError,
    BrokerUnavailable,
    BufferFull,
    ClientClosed,
    CorruptRecords,
    DeliveryTimedOut,
    InvalidRecord,
    MoldauError,
    NotAuthorized,
    OffsetOutOfRange,
    ProducerFenced,
    RecordTooLarge,
    TimedOut,
    TopicExists,
    UnknownTopic,
    UnsupportedByBroker,
)
from moldau.client.fetched import ConsumedRecord, FetchedBatch
from moldau.client.producer import AsyncProducer
from moldau.client.record_metadata import RecordMetadata
from moldau.client.topics import ClusterDescription, ConfigEntry, TopicListing
from moldau.client.topology import Node, PartitionInfo, TopicInfo

__all__ = [
    "Admin",
    "AsyncAdmin",
    "AsyncClient",
    "AsyncConsumer",
    "AsyncDeliveries",
    "AsyncDelivery",
    "AsyncProducer",
    "BrokerError",
    "BrokerUnavailable",
    "BufferFull",
    "Client",
    "ClientClosed",
    "ClusterDescription",
    "ConfigEntry",
    "ConsumedRecord",
    "Consumer",
    "CorruptRecords",
    "Deliveries",
    "Delivery",
    "DeliveryTimedOut",
    "FetchedBatch",
    "InvalidRecord",
    "MoldauError",
    "Node",
    "NotAuthorized",
    "OffsetOutOfRange",
    "PartitionInfo",
    "Producer",
    "ProducerFenced",
    "RecordMetadata",
    "RecordTooLarge",
    "TimedOut",
    "TopicExists",
    "TopicInfo",
    "TopicListing",
    "UnknownTopic",
    "UnsupportedByBroker",
]
