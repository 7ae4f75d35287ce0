"""The features that a cluster of this release knows, and what a new one writes first.

A level is written only for what the brokers really do: clients change their ways on it (transactions above all), so a
feature that is not written is off. `kraft.version` is no metadata record; its absence means level 0, the static quorum.
"""

from __future__ import annotations

from collections.abc import Mapping

from moldau.protocol.messages.metadata_records import FeatureLevelRecord
from moldau.protocol.tables import Top

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
METADATA_LEVEL = 30
"""4.3-IV0: the newest that Kafka 4.3.1 writes, and the only one written here."""

CONTROLLER_FEATURES: Mapping[str, tuple[int, int]] = {
    METADATA_VERSION: (METADATA_LEVEL, METADATA_LEVEL),
    KRAFT_VERSION: (0, 0),
}
"""Least and greatest level that the controller understands; a broker adds those of its own rooms."""


def bootstrap_records(broker_levels: Mapping[str, int]) -> tuple[Top, ...]:
    """The first records of a new cluster: `metadata.version`, then the levels of what its brokers do, by name."""
    levels = {name: level for name, level in sorted(broker_levels.items()) if level > 0}
    return tuple(
        FeatureLevelRecord(name=name, feature_level=level)
        for name, level in {METADATA_VERSION: METADATA_LEVEL, **levels}.items()
    )
