"""Pictures of small clusters and the configurations they know, for the controller's tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from moldau.controller import Registration, TopicDefaults, register_broker, unfence_broker
from moldau.metadata import Endpoint, Image, apply
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_topics import CreatableTopicConfigs
from moldau.protocol.tables import Top

CLUSTER = "a-cluster"
DEFAULTS = TopicDefaults(num_partitions=3, replication_factor=1)


class KnownConfigs:
    """Two configurations, one of them a number."""

    def check(self, configs: Mapping[str, str]) -> None:
        for name, value in configs.items():
            if name not in ("retention.ms", "cleanup.policy"):
                raise ApiError(ErrorCode.INVALID_CONFIG, f"a topic has no configuration {name}")
            if name == "retention.ms" and not value.lstrip("-").isdigit():
                raise ApiError(ErrorCode.INVALID_CONFIG, f"Invalid value {value} for configuration {name}: a number")

    def describe(self, configs: Mapping[str, str], image: Image) -> list[CreatableTopicConfigs]:
        return [
            CreatableTopicConfigs(
                name=name, value=configs.get(name, default), config_source=1 if name in configs else 5
            )
            for name, default in (("cleanup.policy", "delete"), ("retention.ms", "604800000"))
        ]

    def items(self, name: str, configs: Mapping[str, str]) -> list[str]:
        if name != "cleanup.policy":
            raise ApiError(ErrorCode.INVALID_CONFIG, f"{name} is not a list")
        return [item for item in configs.get(name, "delete").split(",") if item]


def ids() -> Callable[[], bytes]:
    numbers = count(1)
    return lambda: next(numbers).to_bytes(16, "big")


def registration(number: int, incarnation: int = 1, rack: str | None = None) -> Registration:
    return Registration(
        broker_id=number,
        cluster_id=CLUSTER,
        incarnation_id=bytes([number, incarnation]) * 8,
        endpoints=(Endpoint("PLAIN", "localhost", 9090 + number, 0),),
        features={"metadata.version": (30, 30)},
        rack=rack,
        log_dirs=(bytes([number]) * 16,),
    )


def after(image: Image, records: tuple[Top, ...]) -> Image:
    return apply(image, records, image.offset + len(records))[0]


def cluster(*brokers: int, racks: Mapping[int, str] | None = None) -> Image:
    image = Image(CLUSTER)
    for number in brokers:
        rack = (racks or {}).get(number)
        outcome = register_broker(registration(number, rack=rack), image, image.offset + 1)
        image = after(image, outcome.records)
        image = after(image, unfence_broker(image, number, outcome.response).records)
    return image
