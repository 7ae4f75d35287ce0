"""`moldau start`: one broker in this process until it is told to stop.

Standard output gets exactly one line, once the broker serves; everything else goes to standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys

from moldau.broker.configs import ConfigError
from moldau.broker.load import load_settings, names_without_effect
from moldau.broker.settings import BrokerSettings

STOP_S = 5.0
"""A stop that takes longer is cut short; the next start then recovers."""

_EPILOG = """examples:
  moldau start --data /var/lib/moldau --listen 0.0.0.0:9092
  moldau start --listen 127.0.0.1:0 --set num.partitions=4 --set durability=page-cache
  moldau start --config server.properties

Once it serves it prints one line:  moldau ready bootstrap=HOST:PORT data=DIR pid=N
Ctrl-C or SIGTERM stop it cleanly."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = _EPILOG
    parser.add_argument("--data", metavar="DIR", default=argparse.SUPPRESS, help="where all data is kept")
    parser.add_argument(
        "--listen", metavar="HOST:PORT", default=argparse.SUPPRESS, help="where to listen; port 0 takes a free one"
    )
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help="a Kafka server.properties")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=argparse.SUPPRESS,
        help="one setting by Kafka's name, over the file's; may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Serve; 0 after a clean stop, 2 when the settings are wrong, 1 when the broker cannot start or fails."""
    try:
        settings = load_settings(
            getattr(options, "config", None),
            _overrides(getattr(options, "set", [])),
            getattr(options, "data", None),
            getattr(options, "listen", None),
        )
    except (ConfigError, OSError, UnicodeDecodeError) as wrong:
        return _complain(wrong, 2)
    _raise_file_limit()
    try:
        return asyncio.run(_serve(settings))
    except KeyboardInterrupt:
        return 130


def _overrides(assignments: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--set {assignment}: expected NAME=VALUE, for example num.partitions=3")
        found[name.strip()] = value.strip()
    return found


async def _serve(settings: BrokerSettings) -> int:
    from moldau.broker.assembly import assemble
    from moldau.broker.errors import CannotStart
    from moldau.environment.real import real_environment
    from moldau.environment.real.garbage import calm_collector

    loop = asyncio.get_running_loop()
    asked_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop.set)
    broker = assemble(settings, real_environment(loop, _warn), _write)
    try:
        await broker.start()
    except CannotStart as reason:
        return _complain(reason, 1)
    _tell_about(settings)
    print(f"moldau ready bootstrap={broker.bootstrap} data={settings.data_dir} pid={os.getpid()}", flush=True)
    calm_collector(loop)
    waiting = [loop.create_task(asked_to_stop.wait()), loop.create_task(broker.failed())]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    waiting[0].cancel()
    try:
        async with asyncio.timeout(STOP_S):
            await broker.stop()
    except TimeoutError:
        return _complain(f"the stop took longer than {STOP_S:.0f} s and was cut short; the next start recovers", 1)
    if waiting[1].done():
        return _complain(waiting[1].result(), 1)
    waiting[1].cancel()
    return 0


def _tell_about(settings: BrokerSettings) -> None:
    from moldau.native import NATIVE, WITHOUT_CORE

    if not NATIVE:
        _warn(WITHOUT_CORE)
    idle = names_without_effect(settings)
    if idle:
        _warn(f"settings without effect in this version: {', '.join(idle)}")


def _raise_file_limit() -> None:
    """Connections and log segments each take a descriptor; take as many as this process may have."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _complain(reason: object, code: int) -> int:
    _warn(reason)
    return code


def _warn(line: object) -> None:
    _write(f"moldau: {line}\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
