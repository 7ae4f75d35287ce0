"""The writing side of the control plane: a request and a picture of the cluster in, records and an answer out.

One file for each kind of request decides; `QuorumController` proposes what was decided and answers once it is
committed.
"""

from moldau.controller.alter_configs import alter_configs
from moldau.controller.brokers import Registration, fence_broker, register_broker, unfence_broker
from moldau.controller.configs import TopicConfigs
from moldau.controller.create_partitions import create_partitions
from moldau.controller.create_topics import create_topics
from moldau.controller.delete_topics import delete_topics
from moldau.controller.features import CONTROLLER_FEATURES, bootstrap_records
from moldau.controller.incremental_alter_configs import incremental_alter_configs
from moldau.controller.limits import TopicDefaults
from moldau.controller.machine import Answer, Decide, QuorumController
from moldau.controller.outcome import Outcome
from moldau.controller.producer_ids import ProducerIds, allocate_producer_ids

__all__ = [
    "CONTROLLER_FEATURES",
    "Answer",
    "Decide",
    "Outcome",
    "ProducerIds",
    "QuorumController",
    "Registration",
    "TopicConfigs",
    "TopicDefaults",
    "allocate_producer_ids",
    "alter_configs",
    "bootstrap_records",
    "create_partitions",
    "create_topics",
    "delete_topics",
    "fence_broker",
    "incremental_alter_configs",
    "register_broker",
    "unfence_broker",
]
