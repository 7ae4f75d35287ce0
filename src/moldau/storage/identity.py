"""The papers of a log directory: meta.properties, and the mark of a clean end.

Who calls: directory. What it never does: touch a disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from moldau.model import format_uuid, parse_uuid


class ForeignDirectory(ValueError):  # noqa: N818  (it names the trouble)
    """The directory belongs to another cluster or node, or its papers cannot be read."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose directory it is: cluster, node, and its own id, by which a wiped disk is told from the one before."""

    node_id: int
    cluster_id: str | None = None
    directory_id: bytes | None = None

    def completed(self, new_id: Callable[[], bytes]) -> Identity:
        """With ids where there were none."""
        return replace(
            self,
            cluster_id=self.cluster_id or format_uuid(new_id()),
            directory_id=self.directory_id or new_id(),
        )

    def check(self, wanted: Identity, path: str) -> None:
        """ForeignDirectory unless it is the wanted one as far as that says."""
        if wanted.cluster_id is not None and self.cluster_id != wanted.cluster_id:
            raise ForeignDirectory(
                f"{path} belongs to cluster {self.cluster_id}, not {wanted.cluster_id}; choose another log.dirs"
            )
        if self.node_id != wanted.node_id:
            raise ForeignDirectory(
                f"{path} belongs to node {self.node_id}, not {wanted.node_id}; mend node.id or choose another log.dirs"
            )

    def encode(self) -> bytes:
        """meta.properties, version 1."""
        lines = ["#", f"cluster.id={self.cluster_id}", "version=1"]
        if self.directory_id is not None:
            lines.append(f"directory.id={format_uuid(self.directory_id)}")
        return "\n".join([*lines, f"node.id={self.node_id}", ""]).encode("ascii")

    @classmethod
    def decode(cls, data: bytes, path: str) -> Identity:
        """What `encode` or Kafka wrote."""
        lines = (line.strip() for line in data.decode("latin-1").splitlines())
        entries = dict(line.partition("=")[::2] for line in lines if line and line[0] not in "#!")
        try:
            if entries["version"] != "1":
                raise ForeignDirectory(f"{path} has version {entries['version']}; only version 1 is known")
            directory_id = entries.get("directory.id")
            return cls(
                int(entries["node.id"]), entries["cluster.id"], parse_uuid(directory_id) if directory_id else None
            )
        except (KeyError, ValueError) as broken:
            if isinstance(broken, ForeignDirectory):
                raise
            raise ForeignDirectory(f"{path} cannot be read: {broken!r}; restore it or remove the directory") from broken


@dataclass(frozen=True, slots=True)
class CleanShutdown:
    """What the last process left when it ended cleanly: its broker epoch, -1 when it had none."""

    broker_epoch: int

    def encode(self) -> bytes:
        """.kafka_cleanshutdown, version 0."""
        return json.dumps({"version": 0, "brokerEpoch": self.broker_epoch}, separators=(",", ":")).encode("ascii")

    @classmethod
    def decode(cls, data: bytes) -> CleanShutdown:
        """Empty or unreadable is still a clean end, of an unknown epoch."""
        try:
            content = json.loads(data)
            return cls(int(content["brokerEpoch"]))
        except (ValueError, KeyError, TypeError):
            return cls(-1)
