"""What can be said before Spark is started: no session is needed here."""

from __future__ import annotations

import sys

import pytest

from discreet.engines.spark import SparkEngine
from discreet.errors import MissingExtraError, ParameterError


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
