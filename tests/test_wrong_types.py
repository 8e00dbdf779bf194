"""Every public verb answers an argument of the wrong kind with one sentence of ours, and never with a library's."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import discreet as dc
from discreet.errors import DiscreetError, LibraryError

FRAME = pl.DataFrame({"CANARY": [17.25, 18.5, 99.75]})
WRONG: dict[str, object] = {
    "int": 3,
    "none": None,
    "text": "no-such-thing",
    "list": [1],
    "tuple": (1, 2),
    "dict": {"a": 1},
    "frame": FRAME,
    "class": object,
}


@cache
def people() -> dc.Microdata:
    return dc.datasets.business(30)


@cache
def households() -> dc.Microdata:
    return dc.datasets.housing(30)


CALLS = {
    # By verb: arguments that fit, of which one after the other is exchanged; and those that 3 can never stand for.
    "advise": (lambda: [people(), None, None], (0, 1, 2)),
    "assess": (lambda: [people(), people()], (0, 1)),
    "attack": (lambda: [people(), people(), "distance"], (0, 1, 2)),
    "attack_together": (lambda: [people(), people(), ["distance"]], (0, 1, 2)),
    "build_hierarchy": (lambda: [people(), "EMPLOYEES", None, "10"], (0, 1, 2, 3)),
    "certify": (lambda: [people(), people()], (0, 1)),
    "chains": (lambda: [[dc.MDAV(k=3)], None], (0,)),
    "check": (lambda: ["protocol.toml", "masked.csv"], (0, 1)),
    "combine": (lambda: [[dc.attack(people(), people(), "distance")], None], (0, 1)),
    "compare": (lambda: [people(), [dc.MDAV(k=3)]], (0, 1)),
    "correct_table": (lambda: [dc.PRAM(0.2).mask(households()), ["DEGREE"]], (0, 1)),
    "grid": (lambda: [dc.MDAV], (0,)),
    "import_protocol": (lambda: ["no.R"], (0,)),
    "inspect": (lambda: [people()], (0,)),
    "loss_intervals": (lambda: [people(), people()], (0, 1)),
    "match_variables": (lambda: [people(), people(), None], (0, 1, 2)),
    "measure": (lambda: [people(), people(), ["sse"]], (0, 1, 2)),
    "microdata": (lambda: [people(), None], (0, 1)),
    "privacy_utility": (lambda: [dc.MDAV(k=3), people()], (0, 1)),
    "propose": (lambda: [people()], (0,)),
    "protect": (lambda: [people(), "mdav"], (0, 1)),
    "read": (lambda: ["no.csv", None], (0, 1)),
    "read_hierarchy": (lambda: ["no.csv", None], (0, 1)),
    "risk": (lambda: [people(), None], (0, 1)),
    "run": (lambda: ["no.toml"], (0,)),
    "scan": (lambda: ["no.parquet", None], (0, 1)),
    "survey": (lambda: [people()], (0,)),
    "tune": (lambda: [people(), dc.MDAV(k=3)], (0, 1)),
    "tune_protocol": (lambda: ["no.csv"], (0,)),
    "write": (lambda: [people(), "no/such/folder/file.csv"], (0, 1)),
    "write_report": (lambda: [people(), dc.MDAV(k=3).mask(people()), None], (0, 1, 2)),
    "Attribute": (lambda: ["age", dc.Numeric(), "key"], (0, 1, 2)),
    "Chain": (lambda: [[dc.MDAV(k=3)], None], (0,)),
    "Intruder": (lambda: ["neighbour", ("age",)], (0, 1)),
    "Nominal": (lambda: [["a", "b"]], (0,)),
    "Ordinal": (lambda: [["a", "b"]], (0,)),
    "Schema": (lambda: [[dc.Attribute("age", dc.Numeric(), "key")]], (0,)),
    "Sequence": (lambda: [["a", "b"]], (0,)),
}
CASES = [
    pytest.param(verb, place, kind, id=f"{verb}-{place}-{kind}")
    for verb, (arguments, places) in CALLS.items()
    for place in places
    for kind in WRONG
]


@pytest.mark.parametrize(("verb", "place", "kind"), CASES)
def test_a_wrong_kind_is_answered_in_our_own_words(verb, place, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = CALLS[verb][0]()
    arguments[place] = WRONG[kind]
    try:
        getattr(dc, verb)(*arguments)
    except DiscreetError as error:
        assert not isinstance(error, LibraryError), error
        assert "defect" not in str(error)
        assert "99.75" not in str(error)
        assert error.message.rstrip().endswith((".", "?"))
    else:
        assert kind != "int", "a number stands for nothing here"


def test_every_verb_is_swept():
    verbs = {name for name in dc.__all__ if name[0].islower() and callable(getattr(dc, name))}
    assert verbs - set(CALLS) == {"methods"} | (verbs & {"datasets", "progress"})


def test_one_measure_is_a_list_of_one():
    data = people()
    assert dc.measure(data, data, "sse") == dc.measure(data, data, ["sse"])
    assert dc.measure(data, data, dc.SquaredError())[0].name == "sse"


def test_a_masker_can_be_named_in_a_grid():
    assert [one.k for one in dc.grid("mdav", k=[3, 5])] == [3, 5]


def test_a_misspelt_option_of_a_proof_is_answered_with_the_nearest():
    data = people()
    with pytest.raises(DiscreetError, match="Did you mean 'budget'"):
        dc.certify(data, data, budgt="1s")
