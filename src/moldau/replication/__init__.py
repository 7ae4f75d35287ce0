"""One partition on one broker: appends, high watermark, parked produces and fetches."""

from moldau.replication.partition import Appended, Durability, FetchRead, Partition, PartitionSettings
from moldau.replication.progress import Progress
from moldau.replication.waiting import ParkedFetch, ParkedProduce, Token

__all__ = [
    "Appended",
    "Durability",
    "FetchRead",
    "ParkedFetch",
    "ParkedProduce",
    "Partition",
    "PartitionSettings",
    "Progress",
    "Token",
]
