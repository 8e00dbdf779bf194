"""Steps, sources and intruders as a file has them, each fault with its line."""

from __future__ import annotations

import pytest

from discreet.contracts.intruder import Intruder
from discreet.data.toml_text import Places
from discreet.errors import SchemaError
from discreet.release.protocol_parts import SOURCE, Source, Step, read_scenario, read_step
from discreet.release.protocol_text import read_seed, seed_line


def test_a_step_keeps_what_is_said():
    step = Step("mdav", {"k": 5, "standardise": None}, "home", 7)
    assert step.to_dict() == {"method": "mdav", "unit": "home", "k": 5}
    assert Step("mdav").to_dict() == {"method": "mdav"}
    assert step == Step("mdav", {"k": 5, "standardise": None}, "home")
    given = {"k": 5}
    kept = Step("mdav", given)
    given["k"] = 6
    assert kept.parameters == {"k": 5}


def test_a_source_keeps_what_is_said_and_lines_as_text():
    assert Source("a.csv").to_dict() == {"file": "a.csv"}
    full = Source("a.csv", ";", "latin-1", "WAY", False, ",", ".", "1,2")
    assert list(full.to_dict().items()) == list(
        zip(SOURCE, ("a.csv", ";", "latin-1", "WAY", False, ",", ".", "1,2"), strict=True)
    )
    assert Source("a.csv", leave_out=[1, -1]).leave_out == "1,-1"
    assert Source("a.csv", leave_out=[]).leave_out == "none"


def test_a_step_is_read_with_its_line():
    where = Places('[[step]]\nmethod = "mdav"\n\n[[step]]\nmethod = "pram"\n')
    step = read_step({"method": "pram", "unit": "home", "theta": 0.5}, 1, where)
    assert (step.method, step.parameters, step.unit, step.line) == ("pram", {"theta": 0.5}, "home", 4)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"method": "mdav", "any_of": []}, r"leaves something open \(any_of\), and a protocol that is run"),
        ({"method": "mdav", "optional": False}, r"leaves something open \(optional\)"),
        ({"any_of": [], "optional": True}, r"leaves something open \(any_of\)"),
        ({"k": 3}, "must name its method"),
        ({"method": 3}, "must name its method"),
        (3, "must name its method"),
        ({"method": "mdav", "unit": 3}, ": unit must be the name of an attribute"),
        ({"method": "mdav", "k": 3, "odd": object()}, ": odd must be text, numbers, or lists or tables of these"),
    ],
)
def test_what_is_no_step_is_said_with_its_number(table, message):
    with pytest.raises(SchemaError, match=rf"^Line 4: \[\[step\]\] number 2.*{message}"):
        read_step(table, 1, Places("[[step]]\n\n\n[[step]]\n"))
    with pytest.raises(SchemaError, match=r"^\[\[step\]\] number 1"):
        read_step(table, 0, Places(""))


def test_an_intruder_is_read_and_may_go_without_a_name():
    where = Places("[[scenario]]\nknown = []\n[[scenario]]\n")
    assert read_scenario({"known": ["AGE"]}, 1, where) == Intruder("scenario 2", ("AGE",))
    full = read_scenario({"name": "tax", "known": ["AGE"], "linkers": ["distance"], "in_words": "Reads."}, 1, where)
    assert (full.name, full.known, tuple(full.linkers), full.in_words) == ("tax", ("AGE",), ("distance",), "Reads.")
    assert full.line == 3
    with pytest.raises(SchemaError, match=r"^Line 3: \[\[scenario\]\] number 2 must say what the intruder knows"):
        read_scenario({"name": "tax"}, 1, where)
    with pytest.raises(SchemaError, match=r"^Line 3: "):
        read_scenario({"known": []}, 1, where)
    with pytest.raises(SchemaError, match="knows"):
        read_scenario({"known": ["AGE"], "knows": 3}, 1, where)


def test_seeds_as_numbers_and_as_text():
    assert [read_seed(one) for one in (None, 0, 7, "7", "9" * 79)] == [None, 0, 7, 7, int("9" * 79)]
    for wrong in (-1, True, 1.5, "-1", "1.5", "9" * 80, "²"):
        with pytest.raises(SchemaError, match="seed must be a whole number of at least 0"):
            read_seed(wrong)
    assert (seed_line(None), seed_line(0), seed_line(7)) == ("", "seed = 0\n", "seed = 7\n")
