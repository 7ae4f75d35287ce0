"""The life of a broker in the cluster: registered (fenced), unfenced once it has caught up, fenced when it is lost.

What BrokerRegistration and BrokerHeartbeat decide. A broker that registers again is a new incarnation: what it led
waits until it is unfenced, and is then led in a new epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moldau.controller import elections
from moldau.controller.outcome import Outcome
from moldau.metadata import Broker, Endpoint, Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.metadata_records import (
    BrokerEndpoint,
    BrokerFeature,
    BrokerRegistrationChangeRecord,
    RegisterBrokerRecord,
)
from moldau.protocol.tables import ZERO_UUID

_UNFENCE = -1
_FENCE = 1


@dataclass(frozen=True, slots=True)
class Registration:
    """What a starting broker says of itself."""

    broker_id: int
    cluster_id: str
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    features: Mapping[str, tuple[int, int]]
    rack: str | None
    log_dirs: tuple[bytes, ...]


def register_broker(registration: Registration, image: Image, next_offset: int) -> Outcome[int]:
    """Answers with the broker epoch: the offset of the record, `next_offset`. The same incarnation keeps its epoch."""
    _check(registration, image)
    known = image.brokers.get(registration.broker_id)
    if known is not None and known.incarnation_id == registration.incarnation_id:
        return Outcome((), known.epoch)
    record = RegisterBrokerRecord(
        broker_id=registration.broker_id,
        incarnation_id=registration.incarnation_id,
        broker_epoch=next_offset,
        end_points=[
            BrokerEndpoint(name=one.name, host=one.host, port=one.port, security_protocol=one.security_protocol)
            for one in registration.endpoints
        ],
        features=[
            BrokerFeature(name=name, min_supported_version=least, max_supported_version=most)
            for name, (least, most) in sorted(registration.features.items())
        ],
        rack=registration.rack,
        fenced=True,
        log_dirs=sorted(registration.log_dirs),
    )
    return Outcome((record, *elections.after_loss(image, registration.broker_id)), next_offset)


def unfence_broker(image: Image, broker_id: int, broker_epoch: int) -> Outcome[None]:
    """The broker has caught up and takes part from now on."""
    broker = registered(image, broker_id, broker_epoch)
    if not broker.fenced:
        return Outcome((), None)
    record = BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker_epoch, fenced=_UNFENCE)
    return Outcome((record, *elections.after_return(image, broker_id)), None)


def fence_broker(image: Image, broker_id: int, broker_epoch: int) -> Outcome[None]:
    """The broker is gone, or says that it goes."""
    broker = registered(image, broker_id, broker_epoch)
    if broker.fenced:
        return Outcome((), None)
    record = BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker_epoch, fenced=_FENCE)
    return Outcome((record, *elections.after_loss(image, broker_id)), None)


def registered(image: Image, broker_id: int, broker_epoch: int) -> Broker:
    """The broker as it is registered; ApiError unless it is, with this epoch."""
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"broker {broker_id} is not registered: register it first")
    if broker.epoch != broker_epoch:
        raise ApiError(
            ErrorCode.STALE_BROKER_EPOCH,
            f"broker {broker_id} is registered with epoch {broker.epoch}, not {broker_epoch}: "
            "another process has taken its id",
        )
    return broker


def _check(registration: Registration, image: Image) -> None:
    if registration.cluster_id != image.cluster_id:
        raise ApiError(
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            f"the broker belongs to cluster {registration.cluster_id}, this is {image.cluster_id}: "
            "start it with its own cluster or an empty directory",
        )
    if registration.incarnation_id == ZERO_UUID or not registration.endpoints:
        raise ApiError(ErrorCode.INVALID_REGISTRATION, "a registration holds an incarnation id and a listener")
    for name, level in image.features.items():
        least, most = registration.features.get(name, (0, 0))
        if not least <= level <= most:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"the cluster uses {name}={level}, the broker knows {least} to {most}: upgrade the broker",
            )
