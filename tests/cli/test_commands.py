"""The command line as a user types it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

from moldau.cli import COMMANDS, main
from tests.broker.running import Running, environment

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(broker: Running, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """One command against the broker: exit code, standard output, standard error."""
    monkeypatch.setenv("MOLDAU_BOOTSTRAP", broker.bootstrap)

    def command(*arguments: str, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        code = main(arguments)
        return code, *capfd.readouterr()

    return command


def test_help_explains_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for name, summary in COMMANDS.items():
        assert f"{name} {summary}" in text
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        assert "examples:" in capsys.readouterr().out


def test_every_command_has_its_file() -> None:
    for name in COMMANDS:
        module = import_module(f"moldau.cli.{name}")
        assert callable(module.arguments)
        assert callable(module.run)


def test_without_a_command_help_is_printed_and_an_unknown_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "moldau start" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["strat"])
    assert ended.value.code == 2
    assert "invalid choice: 'strat'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["strat"], "invalid choice: 'strat'"),
        (["start", "--lisen", "127.0.0.1:0"], "--lisen is unknown: did you mean --listen?"),
        (["start", "--frob"], "--frob is unknown; see: moldau start --help"),
        (["--frob"], "--frob is unknown; see: moldau --help"),
        (["topics", "create"], "required: TOPIC"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("moldau ")


def test_help_imports_neither_the_broker_nor_the_client() -> None:
    script = "import sys; from moldau.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    script += (
        "print([name for name in sys.modules if name in ('asyncio', 'msgspec', 'moldau.broker', 'moldau.client')])"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=20)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_topics_life(run: Run) -> None:
    created = run("topics", "create", "cli", "--partitions", "2", "--config", "retention.ms=60000")
    assert created == (0, "created cli\n", "")
    code, out, _ = run("topics", "list", "-o", "json")
    assert code == 0
    assert {"topic": "cli", "partitions": 2, "internal": False} in json.loads(out)
    code, out, _ = run("topics", "show", "cli", "-o", "json")
    shown = json.loads(out)
    assert shown["configs"] == {"retention.ms": "60000"}
    assert [one["leader"] for one in shown["partitions"]] == [1, 1]
    assert "retention.ms=60000  (topic)" in run("topics", "show", "cli")[1]
    code, _, err = run("topics", "create", "cli")
    assert (code, err.count("\n")) == (1, 1)
    assert "exists" in err.lower()
    assert run("topics", "delete", "cli")[0] == 0
    assert "cli" not in run("topics", "list")[1]


def test_lines_are_produced_and_consumed(run: Run) -> None:
    code, out, err = run("produce", "lines", given="one\ntwo\nthree\n")
    assert (code, out, err) == (0, "", "sent 3 records to lines\n")
    options = ("--key-separator", ":", "--compression", "zstd", "-o", "json")
    code, out, _ = run("produce", "lines", *options, given="k:v\n")
    assert (code, json.loads(out)) == (0, {"topic": "lines", "records": 1})
    code, out, _ = run("consume", "lines", "--from", "earliest", "--until-end")
    assert (code, out) == (0, "one\ntwo\nthree\nv\n")
    code, out, _ = run("consume", "lines", "--from", "3", "--count", "1", "-o", "json")
    record = json.loads(out)
    assert (record["offset"], record["key"], record["value"], record["headers"]) == (3, "k", "v", [])
    assert "0@3" in run("consume", "lines", "--from", "3", "--count", "1", "-o", "table")[1]


def test_a_cluster_that_is_not_there_is_said_in_one_line(run: Run) -> None:
    code, out, err = run("topics", "list", "-b", "127.0.0.1:1", "--timeout", "0.3")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "127.0.0.1:1" in err


def test_a_missing_topic_is_said_in_one_line(run: Run) -> None:
    code, _, err = run("consume", "no-such-topic", "--timeout", "0.5")
    assert code == 1
    assert err.count("\n") == 1
    assert "no-such-topic" in err
