"""Drawn histories of one partition: whatever goes wrong, a broker that checks sequences has every acknowledged record
once and in order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from moldau.client.errors import BrokerUnavailable
from moldau.client.outgoing import OutgoingBatch
from tests.client.test_partition_queue import Scene, retriable

STEPS = st.lists(
    st.sampled_from(["push", "send", "reach", "lose request", "lose answer", "refuse", "wait"]), max_size=80
)


class Wire:
    """Batches between the queue and the broker; the broker recognises what it has."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.out: list[OutgoingBatch] = []
        self.written: dict[tuple[int, int, int], int] = {}

    def reach(self, batch: OutgoingBatch) -> bool:
        """The batch arrives; whether the broker has it now."""
        if batch.stamp in self.written:
            return True
        if self.scene.broker(batch).value:
            return False
        self.written[batch.stamp] = len(self.scene.log) - 1
        return True

    def step(self, step: str) -> None:
        if not self.out:
            return
        batch = self.out.pop(0)
        queue, scene = self.scene.queue, self.scene
        if step == "refuse":
            scene.refuse(batch, retriable())
        elif step == "lose request":
            scene.refuse(batch, BrokerUnavailable("lost"))
        elif step == "lose answer":
            self.reach(batch)
            scene.refuse(batch, BrokerUnavailable("lost"))
        elif self.reach(batch):
            queue.written(batch, self.written[batch.stamp], -1)
        else:
            scene.deliver(batch)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(steps=STEPS)
def test_every_record_is_written_once_and_in_order(steps: list[str]) -> None:
    scene = Scene()
    wire = Wire(scene)
    pushed: list[str] = []
    batches: list[OutgoingBatch] = []
    for step in steps:
        if step == "push":
            pushed.append(f"r{len(pushed)}")
            batches += scene.push(pushed[-1])
        elif step == "send":
            wire.out += scene.take()
        elif step == "wait":
            scene.now_ms += 50
        else:
            wire.step(step)
        assert scene.log == pushed[: len(scene.log)]
        assert len(wire.out) <= 5
    for _ in range(4 * len(pushed) + 20):
        if scene.now_ms >= 9_000:
            break
        scene.now_ms += 100
        wire.out += scene.take()
        while wire.out:
            wire.step("reach")
    assert scene.log == pushed
    assert [batch.base_offset for batch in batches] == list(range(len(pushed)))
