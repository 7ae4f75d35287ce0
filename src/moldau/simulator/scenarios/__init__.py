"""What the simulator can run, by name."""

from __future__ import annotations

from moldau.simulator.runner import Scenario

SCENARIOS: dict[str, Scenario] = {}
