"""The control records of a partition: their key, and the value of a transaction's end."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, Int32, Table, Top


class ControlRecordTypeSchema(Top):
    """Which kind of control record this is."""

    TABLE: ClassVar[Table] = Table("data", flexible=None)

    type: Int16 = 0


class EndTxnMarker(Top):
    """A transaction has ended."""

    TABLE: ClassVar[Table] = Table("data", flexible=None)

    coordinator_epoch: Int32 = 0
