"""A topic's configs as the protocol tells them: checked for the controller, described with their sources.

Called by the controller through `TopicConfigs`, and by DescribeConfigs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from moldau.broker.configs import Config, ConfigError, Kind, format_value, nearest, resolve
from moldau.broker.settings import BrokerSettings
from moldau.broker.topic_settings import TOPIC_CONFIGS, check_topic_configs
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_topics import CreatableTopicConfigs


class Source(IntEnum):
    """Where a value comes from, as the protocol numbers it."""

    TOPIC = 1
    DYNAMIC_BROKER = 2
    STATIC_BROKER = 4
    DEFAULT = 5


class Given(NamedTuple):
    """One name that gives a value."""

    name: str
    value: str | None
    source: Source


class Described(NamedTuple):
    """One config, with every name that could give its value, the one in effect first."""

    row: Config
    givers: list[Given]
    read_only: bool

    @property
    def value(self) -> str | None:
        """The value in effect, which a secret does not tell."""
        return None if self.sensitive else self.givers[0].value

    @property
    def source(self) -> Source:
        return self.givers[0].source

    @property
    def sensitive(self) -> bool:
        return self.row.kind is Kind.PASSWORD


class TopicConfigTable:
    """What the controller asks about topic configs, on one broker."""

    def __init__(self, settings: BrokerSettings) -> None:
        self._given = settings.given

    def check(self, configs: Mapping[str, str]) -> None:
        """ApiError(INVALID_CONFIG) for the first that a topic cannot have."""
        try:
            check_topic_configs(configs)
        except ConfigError as wrong:
            raise ApiError(ErrorCode.INVALID_CONFIG, str(wrong)) from wrong

    def describe(self, configs: Mapping[str, str], image: Image) -> list[CreatableTopicConfigs]:
        """All configs of a topic that has these set."""
        return [
            CreatableTopicConfigs(
                name=each.row.name, value=each.value, config_source=each.source, is_sensitive=each.sensitive
            )
            for each in self.described(configs)
        ]

    def items(self, name: str, configs: Mapping[str, str]) -> list[str]:
        """The items in effect on a topic that has these set; ApiError(INVALID_CONFIG) when the config is no list."""
        if name not in TOPIC_CONFIGS:
            raise ApiError(
                ErrorCode.INVALID_CONFIG, f"a topic has no configuration {name}{nearest(name, TOPIC_CONFIGS)}"
            )
        _, row = TOPIC_CONFIGS[name]
        if row.kind is not Kind.LIST:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"{name} is not a list, so it has no items: set its value")
        text = configs.get(name, resolve(row, self._given))
        return list(row.default if text is None else row.parse(text))

    def described(self, configs: Mapping[str, str]) -> Iterator[Described]:
        """The same with all that is known."""
        for name, (_, row) in TOPIC_CONFIGS.items():
            givers = [Given(name, configs[name], Source.TOPIC)] if name in configs else []
            givers += [
                Given(synonym, self._given[synonym], Source.STATIC_BROKER)
                for synonym in row.synonyms
                if synonym in self._given
            ]
            givers.append(Given((*row.synonyms, name)[0], format_value(row.default), Source.DEFAULT))
            yield Described(row, givers, read_only=False)
