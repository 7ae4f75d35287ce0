"""One Spark session with what streaming on a single machine needs already set.

Called by users' pipelines, by the demo and by tests: `spark = session()`. Importing this file costs nothing; Spark and
Java are looked for when a session is asked for. Spark's own noise goes to a log file, never to the terminal. Sets
JAVA_HOME, PYSPARK_PYTHON and PYTHONPATH for the Java process and the Python workers it starts; a session that is
already running in this process is returned as it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from moldau.pipelines.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Progress = Callable[[str], None]

TASK_ATTEMPTS = 4
"""A plain `local[N]` never repeats a failed task; `local[N,4]` does."""

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""For `spark__driver__defaultJavaOptions`: a Java that compiles quickly rather than well. Half the processor time until
the first result; for sessions that live for minutes."""

STOP_S = 20.0
"""How long the Java process may take to end before it is killed."""

PRESET = {
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.session.timeZone": "UTC",
    # Loopback TCP waits up to 40 ms for a delayed acknowledgement, once for each batch and worker.
    "spark.python.unix.domain.socket.enabled": "true",
    # The byte limit is checked for every row, in time quadratic in the batch when an array column holds NULL.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    # The default starts 18 processes for each micro-batch on a local disk, where rename is atomic anyway.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "20",
    "spark.sql.streaming.metricsEnabled": "false",
}
"""Measured to bring a micro-batch from about 150 ms to about 60 ms; see the settings' own comments."""


def session(
    master: str | None = None,
    *,
    app_name: str = "moldau",
    log: Path | str | None = None,
    progress: Progress | None = None,
    **conf: str,
) -> SparkSession:
    """A running session.

    `master`: where Spark runs; else the environment variable MOLDAU_SPARK; else all cores of this machine.
    `log`: the file that takes what Spark and Java print (default: a new one in the temporary directory).
    `progress`: told in a few words what is being waited for.
    `conf`: Spark settings over the preset, with `__` for each dot: `spark__driver__memory="2g"`.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    tell = progress or _silent
    began = time.monotonic()
    settings = {**preset(resolve_master(master)), "spark.app.name": app_name, **named(conf)}
    spark_conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    if SparkContext._gateway is None:
        java = java_home()
        tell(f"starting Spark on Java {java.version} ({java.found_in})")
        _prepare_environment(java.home)
        _launch(spark_conf, log)
        tell("the Java process is up, Spark is starting in it")
    spark = SparkSession.builder.config(conf=spark_conf).getOrCreate()
    SparkContext.getOrCreate().setLogLevel("WARN")
    tell(f"Spark {spark.version} ready after {time.monotonic() - began:.1f} s")
    return spark


def stop(spark: SparkSession) -> None:
    """End the session and the Java process behind it, and wait until that is gone."""
    from pyspark import SparkContext

    spark.stop()
    gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
    if gateway is None:
        return
    gateway.shutdown()
    process = gateway.proc
    if process is None:
        return
    process.stdin.close()  # the Java process ends when its standard input does
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def preset(master: str) -> dict[str, str]:
    """The settings of a session on this master."""
    settings = {**PRESET, "spark.master": master}
    if master.startswith("local"):
        # Nobody else has to reach this Spark; the machine's own name may resolve to an address that is gone tomorrow.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


def resolve_master(master: str | None) -> str:
    """The master to use, with repeated attempts where Spark is local."""
    chosen = master or os.environ.get("MOLDAU_SPARK") or "local[*]"
    if chosen == "local":
        return f"local[1,{TASK_ATTEMPTS}]"
    if chosen.startswith("local[") and "," not in chosen:
        return f"{chosen[:-1]},{TASK_ATTEMPTS}]"
    return chosen


def named(conf: dict[str, str]) -> dict[str, str]:
    """Keyword arguments as Spark's names: `spark__ui__enabled` is `spark.ui.enabled`."""
    return {key.replace("__", "."): value for key, value in conf.items()}


def _prepare_environment(java: Path) -> None:
    os.environ["JAVA_HOME"] = str(java)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark finds data sources by listing the directories of sys.path; an editable install is not in one of them.
    source = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if source not in known:
        os.environ["PYTHONPATH"] = os.pathsep.join([source, *filter(None, known)])


def _launch(conf: object, log: Path | str | None) -> None:
    """Start the Java process with its output in a file, and give it to PySpark as its own."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    if log is None:
        descriptor, log = tempfile.mkstemp(prefix="moldau-spark-", suffix=".log")
        os.close(descriptor)
    with open(log, "ab") as output:
        try:
            gateway = launch_gateway(conf, popen_kwargs={"stdout": output, "stderr": output})  # type: ignore[no-untyped-call]
        except Exception as error:
            raise RuntimeError(f"Spark did not start; what it said is in {log}: {_tail(log)}") from error
    SparkContext._ensure_initialized(gateway=gateway)


def _tail(log: Path | str) -> str:
    lines = Path(log).read_text(errors="replace").split("\n")
    return " / ".join([line for line in lines if line.strip()][-3:])


def _silent(_: str) -> None:
    pass
