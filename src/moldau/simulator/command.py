"""The command `python -m moldau.simulator`: run seeds, show one, compare runs.

--seeds 0:100 [--jobs N] [--rerun K]    a corpus; fails on a finding, a difference, or something that never happened
--seed 17 [--trace]                     one run, with everything that happened
--seed 17 --difference                  two runs of one seed, here and in a fresh process; the first difference
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from moldau.simulator.corpus import HASH_SEED, Summary, pinned_environment, run_corpus, worker_command
from moldau.simulator.runner import Report, run
from moldau.simulator.scenarios import SCENARIOS
from moldau.simulator.trace import first_difference


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every promise was kept."""
    options = _parser().parse_args(arguments)
    if options.worker:
        return _worker(options)
    if options.seed is not None:
        return _difference(options) if options.difference else _one(options)
    return _corpus(options)


def pin_hashes() -> None:
    """Start over with a pinned hash seed: sets of text have one order from the interpreter's start or never."""
    if os.environ.get("PYTHONHASHSEED") != HASH_SEED:
        os.execve(sys.executable, [sys.executable, "-m", "moldau.simulator", *sys.argv[1:]], pinned_environment())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m moldau.simulator", description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="walk", help="what is run (default: walk)")
    parser.add_argument("--seeds", type=_range, default=range(100), metavar="A:B", help="the corpus (default: 0:100)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument(
        "--rerun", type=int, default=0, metavar="K", help="run the first K seeds twice more and compare"
    )
    parser.add_argument("--seed", type=int, help="run this seed alone")
    parser.add_argument("--trace", action="store_true", help="with --seed: print everything that happened")
    parser.add_argument("--difference", action="store_true", help="with --seed: print where two runs part")
    for hidden in ("--worker",):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--list", help=argparse.SUPPRESS)
    return parser


def _range(text: str) -> range:
    first, colon, last = text.partition(":")
    try:
        return range(int(first), int(last)) if colon else range(int(first))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not seeds: {text!r} (write FIRST:END, as 0:100)") from None


def _corpus(options: argparse.Namespace) -> int:
    scenario = SCENARIOS[options.scenario]
    started = time.monotonic()
    summary = run_corpus(
        list(options.seeds),
        scenario=options.scenario,
        sometimes=scenario.sometimes,
        jobs=options.jobs,
        rerun=options.rerun,
        progress=lambda so_far: _progress(so_far, len(options.seeds)),
    )
    print(end="\r\x1b[K" if sys.stderr.isatty() else "", file=sys.stderr)
    print(describe(summary, options.scenario, time.monotonic() - started))
    return 0 if summary.ok else 1


def describe(summary: Summary, scenario: str, seconds: float) -> str:
    """The whole result as text, with what to type next for everything that failed."""
    amount = f"{summary.virtual_ms / 1000:.0f} virtual seconds, {summary.steps} steps"
    lines = [f"{summary.runs} seeds of {scenario!r}: {amount} in {seconds:.1f} s"]
    lines += [f"  {name}: {count}" for name, count in sorted(summary.counters.items())]
    for seed, finding in sorted(summary.findings.items()):
        lines += [f"\nseed {seed} FAILED: {finding}", f"  again: {_again(scenario, seed)} --trace"]
    for seed in summary.differing:
        lines += [f"\nseed {seed} DIFFERS between two runs", f"  where: {_again(scenario, seed)} --difference"]
    lines += [f"\nNEVER HAPPENED: {name} (run more seeds, or the scenario lost it)" for name in summary.never]
    lines += [f"\n{complaint}" for complaint in summary.broken_workers]
    if summary.rerun and not summary.differing:
        lines.append(f"{summary.rerun} reruns gave equal digests")
    return "\n".join(lines)


def _again(scenario: str, seed: int) -> str:
    return f"python -m moldau.simulator --scenario {scenario} --seed {seed}"


def _progress(summary: Summary, expected: int) -> None:
    if sys.stderr.isatty():
        bad = len(summary.findings) + len(summary.differing)
        print(f"\r{summary.runs}/{expected} seeds, {summary.rerun} reruns, {bad} bad", end="", file=sys.stderr)


def _worker(options: argparse.Namespace) -> int:
    scenario = SCENARIOS[options.scenario]
    for seed in map(int, options.list.split(",")):
        for _ in range(options.repeat):
            print(json.dumps(_line(run(seed, scenario))), flush=True)
    return 0


def _line(report: Report) -> dict[str, object]:
    return {name: getattr(report, name) for name in Report.__slots__ if name not in ("lines", "scenario")}


def _one(options: argparse.Namespace) -> int:
    started = time.monotonic()
    report = run(options.seed, SCENARIOS[options.scenario], keep_trace=options.trace)
    sys.stdout.writelines(report.lines)
    print(f"seed {report.seed} of {report.scenario!r}: digest {report.digest}, {report.virtual_ms / 1000:.3f} virtual")
    print(f"  seconds, {report.steps} steps in {time.monotonic() - started:.2f} s, Python {sys.version.split()[0]}")
    for name, count in report.counters.items():
        print(f"  {name}: {count}")
    if report.finding is not None:
        print(f"FAILED: {report.finding}")
    return 0 if report.ok else 1


def _difference(options: argparse.Namespace) -> int:
    scenario = SCENARIOS[options.scenario]
    here = run(options.seed, scenario, keep_trace=True)
    again = run(options.seed, scenario, keep_trace=True)
    parted = first_difference(list(here.lines), list(again.lines))
    where = "in one process"
    if parted is None:
        command = [sys.executable, "-m", "moldau.simulator", "--scenario", options.scenario]
        fresh = subprocess.run(
            [*command, "--seed", str(options.seed), "--trace"],
            env=pinned_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        there = fresh.stdout.splitlines(keepends=True)[: len(here.lines) + 1]
        parted = first_difference(list(here.lines), there[: len(here.lines)])
        where = "between two processes"
    print(f"seed {options.seed}: " + ("no difference" if parted is None else f"two runs part {where} at {parted}"))
    return 0 if parted is None else 1


__all__ = ["describe", "main", "pin_hashes", "worker_command"]
