"""What the simulator can run, by name."""

from __future__ import annotations

from moldau.simulator.runner import Scenario
from moldau.simulator.scenarios.powercuts import PowerCuts
from moldau.simulator.scenarios.walk import Walk

SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in (PowerCuts(), Walk())}
