"""One partition's log on one disk, in Kafka's file formats."""

from moldau.storage.committer import Committer
from moldau.storage.directory import DirectoryInUse, LogDirectory, Room
from moldau.storage.health import CorruptLog, Health
from moldau.storage.identity import CleanShutdown, ForeignDirectory, Identity
from moldau.storage.log import Log
from moldau.storage.opening import Recovered
from moldau.storage.producers import Duplicate, Producer, ProducerTable
from moldau.storage.retention import KEEP_ALL, Reason, Retention
from moldau.storage.settings import LogSettings
from moldau.storage.sync import SyncJob

__all__ = [
    "KEEP_ALL",
    "CleanShutdown",
    "Committer",
    "CorruptLog",
    "DirectoryInUse",
    "Duplicate",
    "ForeignDirectory",
    "Health",
    "Identity",
    "Log",
    "LogDirectory",
    "LogSettings",
    "Producer",
    "ProducerTable",
    "Reason",
    "Recovered",
    "Retention",
    "Room",
    "SyncJob",
]
