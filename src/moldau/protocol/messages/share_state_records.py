"""What a share partition leaves in `__share_group_state`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import ZERO_UUID, Int8, Int16, Int32, Int64, Message, String, Table, Top, Uuid, tag


class ShareSnapshotKey(Top):
    """A share partition, whole."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=0, flexible=None)

    group_id: String = ""
    topic_id: Uuid = ZERO_UUID
    partition: Int32 = 0


class StateBatch(Message):
    """One of the `state_batches` of `ShareSnapshotValue`."""

    first_offset: Int64 = 0
    last_offset: Int64 = 0
    delivery_state: Int8 = 0
    delivery_count: Int16 = 0


class ShareSnapshotValue(Top):
    """Its whole state."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=0)

    snapshot_epoch: Int32 = 0
    state_epoch: Int32 = 0
    leader_epoch: Int32 = 0
    start_offset: Int64 = 0
    delivery_complete_count: Annotated[Int32, tag(0)] = -1
    create_timestamp: Int64 = 0
    write_timestamp: Int64 = 0
    state_batches: list[StateBatch] = []


class ShareUpdateKey(Top):
    """A share partition, a change."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=1, flexible=None)

    group_id: String = ""
    topic_id: Uuid = ZERO_UUID
    partition: Int32 = 0


class ShareUpdateValue(Top):
    """What has changed since."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=1)

    snapshot_epoch: Int32 = 0
    leader_epoch: Int32 = 0
    start_offset: Int64 = 0
    delivery_complete_count: Annotated[Int32, tag(0)] = -1
    state_batches: list[StateBatch] = []
