"""What a topic may be called, by Kafka's rules. Used by `create_topics`."""

from __future__ import annotations

from collections.abc import Iterable

from moldau.controller.limits import MAX_TOPIC_NAME

CLUSTER_METADATA = "__cluster_metadata"
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def fault(name: str) -> str | None:
    """Why a topic must not be called that; None when it may."""
    if not name:
        return "a topic needs a name"
    if name in (".", ".."):
        return f"no topic can be called '{name}', which means a directory"
    if len(name) > MAX_TOPIC_NAME:
        return f"a topic's name has at most {MAX_TOPIC_NAME} characters, this one {len(name)}"
    if not all(letter in _ALLOWED for letter in name):
        return f"no topic can be called '{name}': use only letters, digits, '.', '_' and '-'"
    return None


def metric_name(name: str) -> str:
    """What becomes of a name in metrics, where '.' and '_' are the same."""
    return name.replace(".", "_")


def collisions(names: Iterable[str]) -> dict[str, str]:
    """Every name that holds '.' or '_', by what becomes of it in metrics."""
    return {metric_name(name): name for name in names if "." in name or "_" in name}
