"""Many seeds on several processes, and the proof that they repeat.

Called by the command and by the test that runs the corpus. Workers are fresh interpreters with a pinned hash seed, so
a digest does not depend on who asked for it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

HASH_SEED = "0"


@dataclass(slots=True)
class Summary:
    """What the corpus gave."""

    runs: int = 0
    steps: int = 0
    virtual_ms: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)
    digests: dict[int, str] = field(default_factory=dict)
    rerun: int = 0
    differing: list[int] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    broken_workers: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not (self.findings or self.differing or self.never or self.broken_workers)


def run_corpus(
    seeds: Sequence[int],
    *,
    scenario: str,
    sometimes: Iterable[str],
    jobs: int = 1,
    rerun: int = 0,
    progress: Callable[[Summary], None] = lambda _: None,
) -> Summary:
    """Run every seed, then the first `rerun` of them twice more in one fresh process each."""
    summary = Summary()
    shares = [seeds[start::jobs] for start in range(min(jobs, len(seeds)))]
    for line in _work([(scenario, share, 1) for share in shares], summary):
        summary.runs += 1
        summary.steps += line["steps"]
        summary.virtual_ms += line["virtual_ms"]
        summary.counters.update(line["counters"])
        summary.digests[line["seed"]] = line["digest"]
        if line["finding"] is not None:
            summary.findings[line["seed"]] = line["finding"]
        progress(summary)
    again = seeds[:rerun]
    shares = [again[start::jobs] for start in range(min(jobs, len(again)))]
    for line in _work([(scenario, share, 2) for share in shares], summary):
        summary.rerun += 1
        if line["digest"] != summary.digests.get(line["seed"]) and line["seed"] not in summary.differing:
            summary.differing.append(line["seed"])
        progress(summary)
    summary.never = [name for name in sometimes if summary.counters[name] == 0]
    return summary


def worker_command(scenario: str, seeds: Sequence[int], repeat: int) -> list[str]:
    """A process that prints one line of JSON for each run."""
    return [
        *(sys.executable, "-m", "moldau.simulator", "--worker", "--scenario", scenario),
        *("--repeat", str(repeat), "--list", ",".join(map(str, seeds))),
    ]


def pinned_environment() -> dict[str, str]:
    """This process's environment, with the order of hashed sets pinned."""
    return {**os.environ, "PYTHONHASHSEED": HASH_SEED}


def _work(shares: list[tuple[str, Sequence[int], int]], summary: Summary) -> Iterator[dict[str, Any]]:
    lines: queue.Queue[str | None] = queue.Queue()
    workers = [
        subprocess.Popen(
            worker_command(*share), env=pinned_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for share in shares
    ]
    readers = [threading.Thread(target=_read, args=(worker, lines), daemon=True) for worker in workers]
    try:
        for reader in readers:
            reader.start()
        for _ in workers:
            while (line := lines.get()) is not None:
                yield json.loads(line)
    finally:
        for worker in workers:
            worker.kill()
        for worker, share in zip(workers, shares, strict=True):
            complaint = worker.stderr.read() if worker.stderr else ""
            if worker.wait() != 0:
                summary.broken_workers.append(f"the worker with seeds {list(share[1])[:5]}… failed:\n{complaint}")


def _read(worker: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        lines.put(line)
    worker.wait()
    lines.put(None)
