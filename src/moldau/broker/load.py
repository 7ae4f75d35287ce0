"""Settings from where people write them: a Kafka server.properties, `--set NAME=VALUE`, a data directory, an address.

Called by the command line and by tests. Everything is checked before anything is opened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from moldau.broker.configs import ConfigError, nearest, read_properties, resolve, table_of
from moldau.broker.settings import BrokerSettings, Endpoint

BROKER_CONFIGS = table_of(BrokerSettings)

_IN_MS = {
    "log.retention.minutes": ("log.retention.ms", 60_000),
    "log.retention.hours": ("log.retention.ms", 3_600_000),
    "log.roll.hours": ("log.roll.ms", 3_600_000),
}
"""Names that say in another unit what the setting says in milliseconds, finest first."""

_WILDCARDS = ("", "0.0.0.0", "::", "[::]")


def load_settings(
    config_path: str | None = None,
    overrides: Mapping[str, str] | None = None,
    data_dir: str | None = None,
    listen: str | None = None,
    host_name: str | None = None,
) -> BrokerSettings:
    """The settings of one broker; ConfigError (or OSError for the file) says what to change."""
    given = _read(config_path) if config_path is not None else {}
    given.update(overrides or {})
    if data_dir is not None:
        given["log.dirs"] = os.path.abspath(data_dir)
    if listen is not None:
        given = _listen_only_at(given, listen)
    values = _values(given)
    directories = values.get("log_dirs") or ("moldau-data",)
    if len(directories) != 1:
        raise ConfigError(f"log.dirs={','.join(directories)}: one directory is used; name one")
    data_dir = os.path.abspath(directories[0])
    values["log_dirs"] = (data_dir,)
    settings = BrokerSettings(data_dir=data_dir, **values)
    _check_quorum(settings)
    endpoints = _broker_endpoints(settings)
    advertised = _advertised(settings, endpoints, host_name or os.uname().nodename)
    return replace(settings, endpoints=endpoints, advertised=advertised, given=MappingProxyType(dict(given)))


def names_without_effect(settings: BrokerSettings) -> list[str]:
    """The names that were given and change nothing."""
    known = {*BROKER_CONFIGS, *_IN_MS, "log.dir"}
    return sorted(name for name in settings.given if name not in known)


def _read(path: str) -> dict[str, str]:
    with open(path, encoding="utf-8") as file:
        return read_properties(file.read())


def _listen_only_at(given: dict[str, str], listen: str) -> dict[str, str]:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise ConfigError(f"--listen {listen}: expected HOST:PORT, for example 127.0.0.1:9092")
    given = dict(given)
    given["listeners"] = f"PLAINTEXT://{host}:{port}"
    return given


def _values(given: dict[str, str]) -> dict[str, Any]:
    _check_names(given)
    for name, (target, factor) in _IN_MS.items():
        if name in given and target not in given:
            text = given[name]
            if not text.lstrip("-").isdigit():
                raise ConfigError(f"{name}={text}: expected a whole number")
            given[target] = str(int(text) * factor if int(text) >= 0 else -1)
    values: dict[str, Any] = {}
    for field, row in BROKER_CONFIGS.values():
        found = resolve(row, given)
        if found is not None:
            values[field] = row.parse(found)
    return values


def _check_names(given: Mapping[str, str]) -> None:
    unknown = [name for name in given if name not in BROKER_CONFIGS and name not in _IN_MS and name != "log.dir"]
    if not unknown:
        return
    from moldau.broker.without_effect import PREFIXES, without_effect

    idle = without_effect()
    for name in unknown:
        if name == "authorizer.class.name" and given[name]:
            raise ConfigError("authorizer.class.name: access control is not available; remove it to serve everybody")
        if name in idle:
            if given[name]:
                idle[name].parse(given[name])
        elif name != "authorizer.class.name" and not name.startswith(PREFIXES):
            raise ConfigError(f"unknown setting {name}{nearest(name, [*BROKER_CONFIGS, *idle])}")


def _check_quorum(settings: BrokerSettings) -> None:
    if set(settings.process_roles) != {"broker", "controller"}:
        raise ConfigError("process.roles: this version runs both roles in one process; set broker,controller")
    for voter in settings.quorum_voters:
        if voter.partition("@")[0] != str(settings.node_id) or len(settings.quorum_voters) > 1:
            raise ConfigError(
                f"controller.quorum.voters={','.join(settings.quorum_voters)}: this version runs a quorum of one; "
                f"name only this node ({settings.node_id}@HOST:PORT) or leave it out"
            )
    if settings.default_replication_factor > 1:
        raise ConfigError("default.replication.factor: one broker can hold one replica; set 1")


def _broker_endpoints(settings: BrokerSettings) -> tuple[Endpoint, ...]:
    protocols = dict(entry.partition(":")[::2] for entry in settings.protocol_map)
    endpoints = []
    for text in settings.listeners:
        endpoint = _endpoint("listeners", text)
        if endpoint.name in settings.controller_listener_names:
            continue
        protocol = protocols.get(endpoint.name, endpoint.name)
        if protocol != "PLAINTEXT":
            raise ConfigError(f"listeners={text}: its protocol is {protocol}; this version serves PLAINTEXT")
        endpoints.append(endpoint)
    if not endpoints:
        raise ConfigError("listeners: none is for clients; add one such as PLAINTEXT://127.0.0.1:9092")
    if len({endpoint.name for endpoint in endpoints}) < len(endpoints):
        raise ConfigError("listeners: each needs a name of its own")
    return tuple(endpoints)


def _advertised(settings: BrokerSettings, endpoints: tuple[Endpoint, ...], host_name: str) -> tuple[Endpoint, ...]:
    told = [_endpoint("advertised.listeners", text) for text in settings.advertised_listeners or ()]
    names = {endpoint.name for endpoint in endpoints}
    for endpoint in told:
        if endpoint.host in _WILDCARDS:
            raise ConfigError(f"advertised.listeners={endpoint}: clients cannot connect to it; name a host")
        if endpoint.name not in names and endpoint.name not in settings.controller_listener_names:
            raise ConfigError(f"advertised.listeners={endpoint}: there is no listener of that name")
    known = {endpoint.name for endpoint in told}
    told += [
        endpoint._replace(host=host_name, port=0)
        for endpoint in endpoints
        if endpoint.host in _WILDCARDS and endpoint.name not in known
    ]
    return tuple(told)


def _endpoint(setting: str, text: str) -> Endpoint:
    name, separator, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if not separator or not colon or not name or not port.isdigit() or int(port) > 65535:
        raise ConfigError(f"{setting}={text}: expected NAME://HOST:PORT, for example PLAINTEXT://127.0.0.1:9092")
    return Endpoint(name.upper(), host.strip("[]"), int(port))
