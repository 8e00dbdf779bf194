"""What options of commands share: names for the shell, parameters as typed, the engine for a file."""

from __future__ import annotations

import pytest

from discreet.cli import options
from discreet.cli.options import (
    dataset_names,
    engine_of,
    given,
    method_names,
    refuse_existing,
    refuse_streamed,
    tell_inferred,
)
from discreet.data.inference import propose_schema
from discreet.errors import FileError, ParameterError


def test_names_that_the_shell_completes():
    assert "mdav" in method_names("mda")
    assert all(name.startswith("rank-") for name in method_names("rank-"))
    assert "distance" in method_names("")
    assert options._maskers("rank-swap") == ["rank-swapping"]
    assert "rank-swapping" not in options._linkers("")
    assert options._linkers("dista") == ["distance"]
    assert options._operators("trimm") == ["trimmed-mean"]
    assert dataset_names("hou") == ["housing"]
    assert dataset_names("x") == []


def test_parameters_as_they_were_typed():
    assert given(None, None, None, []) == {}
    assert given("5", "a,b", 0, ["p = 3", "x=a=b"]) == {
        "p ".strip(): " 3", "x": "a=b", "k": "5", "attributes": "a,b", "random_state": "0",
    }  # fmt: skip
    assert given("5", None, None, ["k=3"]) == {"k": "5"}
    with pytest.raises(ParameterError, match="--set must be name=value; got 'p'"):
        given(None, None, None, ["p"])


def test_files_that_are_there_are_not_written_over(tmp_path):
    path = tmp_path / "a"
    refuse_existing([path], force=False)
    path.write_text("")
    refuse_existing([path], force=True)
    with pytest.raises(FileError, match="exists already"):
        refuse_existing([tmp_path / "b", path], force=False)


def test_the_engine_that_is_named_or_that_of_the_size(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    for name in ("memory", "streaming", "spark"):
        assert engine_of(path, name, None, quiet=False) == name
    assert engine_of(path, "spark", "local[2]", quiet=False) == "spark"
    assert engine_of(path, None, None, quiet=False) == "memory"
    assert engine_of(tmp_path / "none.csv", None, None, quiet=False) == "memory"
    assert engine_of(tmp_path, None, None, quiet=False) == "streaming"
    with pytest.raises(ParameterError, match="--engine must be memory, streaming or spark; got 'fast'"):
        engine_of(path, "fast", None, quiet=False)
    for engine in (None, "streaming"):
        with pytest.raises(ParameterError, match="--master belongs to --engine spark"):
            engine_of(path, engine, "local[2]", quiet=False)
    monkeypatch.setattr("discreet.workflow.is_large", lambda _path: True)
    assert capsys.readouterr().err == ""
    assert engine_of(path, None, None, quiet=True) == "streaming"
    assert capsys.readouterr().err == ""
    assert engine_of(path, None, None, quiet=False) == "streaming"
    assert "a.csv takes more than a tenth of this machine's memory" in capsys.readouterr().err


def test_options_that_a_streamed_file_cannot_have():
    refuse_streamed(delimiter=None, header=False, leave_out="")
    with pytest.raises(ParameterError, match="--leave-out cannot be used for a file that is streamed"):
        refuse_streamed(delimiter=None, leave_out="1", encoding="x")


def test_what_was_inferred_is_told_in_a_line_or_two(capsys):
    names = [f"c{i}" for i in range(7)]
    schema = propose_schema({name: ["a", "b", "c"] * 10 for name in names[:6]}).schema
    tell_inferred(schema, quiet=True)
    assert capsys.readouterr().err == ""
    tell_inferred(schema, quiet=False)
    told = " ".join(capsys.readouterr().err.split())
    assert told == (
        "Inferred: the role of c0, c1, c2, c3, c4, c5, the scale of c0, c1, c2, c3, c4, c5. "
        "`discreet inspect` shows why."
    )
    tell_inferred(propose_schema({name: ["a", "b", "c"] * 10 for name in names}).schema, quiet=False)
    assert "the role of 7 columns (c0, c1, c2, c3, c4, c5 …)" in " ".join(capsys.readouterr().err.split())
