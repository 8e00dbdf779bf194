"""What can be said before Spark is started: no session is needed here."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from discreet.engines.spark import SparkEngine, _sortable
from discreet.engines.spark_session import as_ours, error_line, plain_errors
from discreet.errors import DataError, MissingExtraError, ParameterError


def test_without_pyspark_the_line_to_type_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match="Spark is not installed") as caught:
        _ = SparkEngine("local[2]").session
    assert caught.value.hint == 'Install it with: pip install "discreet[spark]"'


def test_without_java_the_line_to_type_is_shown(monkeypatch, tmp_path):
    from discreet.engines import spark_session

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="Spark needs Java, and none is found") as caught:
        spark_session.check_java()
    assert "apt-get install openjdk-17-jre-headless" in caught.value.hint


def test_an_old_java_is_refused(monkeypatch, tmp_path):
    from discreet.engines import spark_session

    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingExtraError, match="Java 17 or newer; found version 11"):
        spark_session.check_java()


def test_a_master_that_does_not_answer_is_told():
    from discreet.engines import spark_session

    with pytest.raises(ParameterError, match="no Spark master answers at 'spark://127.0.0.1:9'") as caught:
        spark_session.check_reachable("spark://127.0.0.1:9")
    assert "--master local[4]" in caught.value.hint


@pytest.mark.parametrize("master", ["", "local[x]", "http://a", 3])
def test_masters_are_checked(master):
    with pytest.raises(ParameterError, match="master must be"):
        SparkEngine(master)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4,2]", "spark://a:7077", "yarn", "k8s://https://a"])
def test_masters_that_spark_knows(master):
    assert SparkEngine(master).master == master


def test_a_package_that_spark_needs_and_does_not_bring_is_named():
    import tomllib
    from pathlib import Path

    from discreet.engines import spark_session

    told = spark_session.as_ours(
        "[PACKAGE_NOT_INSTALLED] Pandas >= 2.2.0 must be installed; however, it was not found."
    )
    assert isinstance(told, MissingExtraError)
    assert 'pip install "discreet[spark]"' in told.hint
    project = tomllib.loads((Path(__file__).parent.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["spark"]
    assert any(line.startswith("pandas") for line in extra), "pyspark does not ask for it by itself"


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("PYTHON_VERSION_MISMATCH in worker", MissingExtraError, "The workers run another version of Python"),
        ("Cannot run program python9", MissingExtraError, "The workers run another version of Python"),
        ("x No module named 'pan.das' y", MissingExtraError, "The workers' Python lacks the module 'pan.das'."),
        ("worker exited unexpectedly", DataError, "A worker died again and again on the same partition"),
        ("java.io.EOFException: value 4711", DataError, "A worker died again and again on the same partition"),
        ("[PATH_NOT_FOUND.X] /secret/4711", DataError, "Spark could not finish the work (PATH_NOT_FOUND.X)."),
        ("value 4711", DataError, "Spark could not finish the work."),
        (error_line("ParameterError", "k must be 3.", "Use k = 3."), ParameterError, "k must be 3."),
        (f"Traceback {error_line('NoSuchError', 'It is so.', 'Do this.')} more", DataError, "It is so."),
        (error_line("ParameterError", "k must be 3."), DataError, "Spark could not finish the work."),
    ],
)
def test_what_spark_says_becomes_a_sentence_without_a_value(text, error, sentence):
    told = as_ours(text)
    assert type(told) is error
    assert told.message.startswith(sentence)
    assert "4711" not in str(told)
    if "k = 3" in text:
        assert told.hint == "Use k = 3."


def test_errors_of_others_are_left_as_they_are():
    theirs = type("SparkError", (Exception,), {"__module__": "pyspark.errors"})
    with pytest.raises(DataError, match="Spark could not finish"), plain_errors():
        raise theirs("value 4711")
    for error in (ValueError("mine"), ParameterError("mine"), KeyboardInterrupt("mine")):
        with pytest.raises(type(error), match="mine"), plain_errors():
            raise error
    with plain_errors():
        pass


@pytest.mark.parametrize("master", ["local[4]", "yarn", "k8s://https://nowhere"])
def test_masters_that_are_not_asked_at_a_port_are_not_tried(master, monkeypatch):
    from discreet.engines import spark_session

    def never(*_, **__):
        raise AssertionError("no connection is needed")

    monkeypatch.setattr(spark_session.socket, "create_connection", never)
    spark_session.check_reachable(master)


@pytest.mark.parametrize(
    ("master", "address"),
    [("spark://a:7078", ("a", 7078)), ("spark://a", ("a", 7077)), ("spark://a:1,b:2", ("a", 1))],
)
def test_a_master_is_asked_at_its_port(master, address, monkeypatch):
    from contextlib import nullcontext

    from discreet.engines import spark_session

    asked = []
    monkeypatch.setattr(
        spark_session.socket, "create_connection", lambda where, **_: (asked.append(where), nullcontext())[1]
    )
    spark_session.check_reachable(master)
    assert asked == [address]
    with pytest.raises(ParameterError, match="no Spark master answers"):
        spark_session.check_reachable("spark://a:port")


@pytest.mark.parametrize(
    ("says", "code", "refused"),
    [("17.0.1", 0, ""), ("16", 0, "found version 16"), ("17", 1, "found version 17"), ("", 0, ""),
     ("", 3, "one that does not start")],
)  # fmt: skip
def test_a_java_must_be_new_enough_and_start(monkeypatch, tmp_path, says, code, refused):
    from discreet.engines import spark_session

    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{says}\"' >&2\nexit {code}\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if not refused:
        spark_session.check_java()
        return
    with pytest.raises(MissingExtraError, match=refused):
        spark_session.check_java()


def test_what_is_no_number_is_sorted_by_the_place_of_its_value():
    numbers = np.array([2.5, 1.0])
    assert _sortable(numbers) is numbers
    assert _sortable(np.array(["b", "a", "b"], dtype=object)).tolist() == [1, 0, 1]
