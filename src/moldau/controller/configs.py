"""What the controller asks about topic configurations; the broker, who knows the table of them, hands it in.

Called by `create_topics`, `alter_configs` and `incremental_alter_configs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from moldau.metadata import Image
from moldau.protocol.messages.create_topics import CreatableTopicConfigs


class TopicConfigs(Protocol):
    """Knows every topic configuration."""

    def check(self, configs: Mapping[str, str]) -> None:
        """ApiError(INVALID_CONFIG) for an unknown name or a value that is not allowed."""

    def describe(self, configs: Mapping[str, str], image: Image) -> list[CreatableTopicConfigs]:
        """All configurations of a topic on which these are set, each with its source."""

    def items(self, name: str, configs: Mapping[str, str]) -> list[str]:
        """The items of a list, as a topic has them on which these are set; ApiError(INVALID_CONFIG) for no list."""
