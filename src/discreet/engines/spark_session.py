"""How a session of Spark starts, and what its errors become: one sentence that quotes no value."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet import errors
from discreet.errors import DataError, DiscreetError, MissingExtraError, ParameterError

__all__ = ["as_ours", "check_java", "check_reachable", "error_line", "plain_errors", "running_session", "start_session"]

_MARK = "discreet-error"
_OLDEST_JAVA = 17
_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    # Types as they stand in the files: without it, Spark reads unsigned and nested types in its own way.
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
}


def error_line(*parts: str) -> str:
    """Return what an error says as one line that a worker can raise."""
    return "".join(f"<{_MARK}>{part}" for part in parts) + f"<{_MARK}>"


def running_session() -> Any:
    """Return the session that this process has open already, which is its user's to stop, or None."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None  # said where one is started
    session = SparkSession.getActiveSession()
    # A context that was stopped leaves its session behind.
    alive = session is not None and session.sparkContext._jsc is not None  # noqa: SLF001 - Spark has no other word for it
    return session if alive else None


def start_session(master: str, options: Mapping[str, str]) -> Any:
    """Start a session, or say what is lacking and how to get it."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError(
            "Spark is not installed.", hint='Install it with: pip install "discreet[spark]"'
        ) from None
    check_java()
    check_reachable(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Without a number of attempts, local mode gives up at the first worker that dies.
    retried = re.sub(r"^local(\[(\*|\d+)\])?$", lambda m: f"local[{m[2] or 1},4]", master)
    builder = SparkSession.builder.master(retried).appName("discreet")
    for name, value in {**_OPTIONS, **options}.items():
        builder = builder.config(name, value)
    with plain_errors():
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def check_java() -> None:
    """Refuse to start without a Java that is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    hint = "Install Java 17: apt-get install openjdk-17-jre-headless; or set JAVA_HOME to where it is."
    if java is None or not Path(java).exists():
        raise MissingExtraError("Spark needs Java, and none is found.", hint=hint)
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - the user's own Java
    version = re.search(r'version "(\d+)', answer.stderr + answer.stdout)
    if answer.returncode or (version and int(version[1]) < _OLDEST_JAVA):
        java_version = f"version {version[1]}" if version else "one that does not start"
        raise MissingExtraError(f"Spark needs Java {_OLDEST_JAVA} or newer; found {java_version}.", hint=hint)


def check_reachable(master: str) -> None:
    """Refuse a master that does not answer."""
    if not master.startswith("spark://"):
        return
    address = master.removeprefix("spark://").split(",")[0]
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port or 7077)), timeout=5):
            return
    except (OSError, ValueError):
        raise ParameterError(
            f"SparkEngine: no Spark master answers at {master!r}.",
            hint="Start one with sbin/start-master.sh, or run on this machine with --master local[4].",
        ) from None


class plain_errors:  # noqa: N801 - read as a verb where it is used
    """Turn what Spark raises into one sentence that says what to do and quotes no value."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, DiscreetError) or not isinstance(error, Exception):
            return
        if kind is not None and not kind.__module__.startswith(("pyspark", "py4j")):
            return
        raise as_ours(str(error)) from None


def as_ours(text: str) -> DiscreetError:
    """Return the error that the text of one of Spark's stands for."""
    parts = text.split(f"<{_MARK}>")
    if len(parts) >= 5:
        ours = getattr(errors, parts[1], DataError)
        result: DiscreetError = ours(parts[2], hint=parts[3])
        return result
    python = f"export PYSPARK_PYTHON={sys.executable} (the same version on every worker)"
    if "PYTHON_VERSION_MISMATCH" in text or "Cannot run program" in text:
        return MissingExtraError(
            "The workers run another version of Python than this process, or none.", hint=f"{python}."
        )
    absent = re.search(r"No module named '([\w.]+)'", text)
    if absent:
        return MissingExtraError(
            f"The workers' Python lacks the module {absent[1]!r}.",
            hint=f'Run pip install "discreet[spark]" there, or {python}.',
        )
    if "exited unexpectedly" in text or "EOFException" in text:
        return DataError(
            "A worker died again and again on the same partition, most likely for want of memory.",
            hint="Use a smaller --block-size, fewer threads, or more memory for the workers.",
        )
    if "PACKAGE_NOT_INSTALLED" in text:  # of pyspark, which does not bring pandas along
        return MissingExtraError(
            "Spark lacks a package of Python that it hands tables over with.",
            hint='Run pip install "discreet[spark]", which brings pandas and pyarrow.',
        )
    first = re.search(r"\[([A-Z_.]+)\]", text)
    return DataError(
        f"Spark could not finish the work{f' ({first[1]})' if first else ''}.", hint="See Spark's own log."
    )
