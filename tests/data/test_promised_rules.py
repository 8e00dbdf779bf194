"""Rules about classes, counted on small files by hand: what keeps each, and what just breaks it."""

from __future__ import annotations

from math import exp, inf, log, log2

import polars as pl
import pytest

from discreet.data import promised_rules
from discreet.data.promised_rules import PromisedRule, RuleCount, plain_text

FILE = pl.DataFrame({"x": ["1"] * 4 + ["2"] * 4, "s": list("aabc") + list("aaab")})
"""Two classes of four: 2 a, 1 b, 1 c, and 3 a, 1 b. In all 5 a, 2 b, 1 c of eight."""
LARGE, EDGE = 8, 1e-9


def short(rule, *frames, keys=("x",), sensitive="s", missing=None, quoted=False):
    count = RuleCount(rule, keys, sensitive, missing or {})
    assert count.short() is None
    for frame in frames or (FILE,):
        count.add(frame, quoted=quoted)
    return count.short()


def rule(kind, **figures):
    return PromisedRule(kind, **{"records": LARGE, "values": ("a", "b", "c"), **figures})


FIRST = 1.5  # bits of 2:1:1
SECOND = -(0.75 * log2(0.75) + 0.25 * log2(0.25))


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        (rule("entropy", low=2**SECOND), 0),
        (rule("entropy", low=2**SECOND + EDGE), 4),
        (rule("entropy", low=2**FIRST), 4),
        (rule("entropy", low=2**FIRST + EDGE), 8),
        # l = 2: the most frequent must be rarer than c times those from the second on: 2 < 2c, 3 < c.
        (rule("recursive", first=2, high=3.1), 0),
        (rule("recursive", first=2, high=3.0), 4),
        (rule("recursive", first=2, high=1.0), 8),
        (rule("recursive", first=3, high=2.1), 4),  # from the third on: 2 < c, and nothing in the second
        # Half of Σ |q − p| with p = 5/8, 2/8, 1/8: (1/8 + 0 + 1/8)/2 and (1/8 + 0 + 1/8)/2.
        (rule("equal", high=1 / 8), 0),
        (rule("equal", high=1 / 8 - EDGE), 8),
        # Σ |cumulated| over two steps: (1/8 + 1/8)/2 in both.
        (rule("ordered", high=1 / 8), 0),
        (rule("ordered", high=1 / 8 - EDGE), 8),
        # b and c on one branch: (1/8 + 1/8 + 1/8 + 1/8)/(2·2) in both.
        (rule("hierarchical", high=1 / 8, tree={"a": (0, 0), "b": (1, 1), "c": (2, 1)}), 0),
        (rule("hierarchical", high=1 / 8 - EDGE, tree={"a": (0, 0), "b": (1, 1), "c": (2, 1)}), 8),
        # Gains over p: c doubles in the first, a gains a fifth in the second.
        (rule("beta", high=1.0), 0),
        (rule("beta", high=1.0 - EDGE), 4),
        (rule("beta", high=0.2), 4),
        (rule("beta", high=0.2 - EDGE), 8),
        # min(first, −ln p): of c ln 8 = 2.08, of a ln 1.6 = 0.47.
        (rule("beta-enhanced", first=1.0), 0),
        (rule("beta-enhanced", first=1.0 - EDGE), 4),
        (rule("beta-enhanced", first=0.2 - EDGE), 8),
        # |ln q/p|: ln 2 of c in the first; c is not there in the second, which no factor allows.
        (rule("delta", high=log(2) + EDGE), 4),
        (rule("delta", high=log(2) - EDGE), 8),
        (rule("alpha", high=0.75), 0),
        (rule("alpha", high=0.75 - EDGE), 4),
        (rule("alpha", high=0.5 - EDGE), 8),
    ],
)
@pytest.mark.parametrize("cells", [None, 1])
def test_values_within_classes(monkeypatch, promise, broken, cells):
    if cells:
        monkeypatch.setattr(promised_rules, "_CELLS", cells)
    assert short(promise) == (4, broken)
    assert short(promise, FILE[:3], FILE[3:]) == (4, broken)


def test_records_that_are_left_out_belong_to_the_original():
    released, gone = FILE[:4], {"a": 3, "b": 1}
    assert short(rule("beta", high=1.0, left_out=gone), released) == (4, 0)
    assert short(rule("beta", high=1.0 - EDGE, left_out=gone), released) == (4, 4)
    # The first class alone is no file of eight records.
    for kind in ("equal", "ordered", "beta", "beta-enhanced", "delta"):
        assert short(rule(kind, high=inf, first=inf), released) == (4, 4)
    for kind in ("entropy", "recursive", "alpha"):
        assert short(rule(kind, low=1, high=inf, first=1), released) == (4, 0)


def test_a_value_that_nobody_has_any_more_is_not_compared():
    # No record has d, neither released nor left out, as after another step; what the others promise holds.
    for kind, figures in {"beta": {"high": 1.0}, "beta-enhanced": {"first": 1.0}, "equal": {"high": 1 / 8}}.items():
        assert short(rule(kind, values=("a", "b", "c", "d"), **figures)) == (4, 0)
    assert short(rule("beta-enhanced", values=("d", "a", "b", "c"), first=1.0 - EDGE)) == (4, 4)
    assert short(rule("delta", values=("d", "a", "b", "c"), high=log(2) + EDGE)) == (4, 4)


def test_a_value_that_was_not_there():
    other = FILE.with_columns(pl.col("s").replace("c", "z"))
    assert short(rule("ordered", high=inf), other) == (4, 8)
    assert short(rule("equal", high=inf, left_out={"a": 0}), other) == (4, 8)
    assert short(rule("equal", high=1 / 8), other) == (4, 0)  # names alone are others
    assert short(rule("alpha", high=0.75, left_out={"a": 1}), other) == (4, 0)


def test_what_is_not_released_tells_nothing():
    assert short(rule("alpha", high=0.1), FILE.drop("s")) == (4, 0)
    assert short(rule("alpha", high=0.1), FILE.drop("x")) == (8, 0)
    assert short(rule("alpha", high=0.1), FILE.select(other="x")) is None
    assert short(rule("alpha", high=0.1), FILE[:0]) is None


PEOPLE = {("1", "u"): 5, ("2", "u"): 2}
PLACES = pl.DataFrame({"x": ["1", "1", "2"], "y": ["u", "u", "u"]})


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        (rule("k-map", low=2, people=PEOPLE), 0),
        (rule("k-map", low=3, people=PEOPLE), 1),
        (rule("k-map", low=6, people=PEOPLE), 3),
        (rule("k-map", low=1, people={}), 3),
        (rule("presence", low=0.4, high=0.5, people=PEOPLE), 0),  # 2 of 5, and 1 of 2
        (rule("presence", low=0.4 + EDGE, high=0.5, people=PEOPLE), 2),
        (rule("presence", low=0.4, high=0.5 - EDGE, people=PEOPLE), 1),
        (rule("presence", low=0.0, high=1.0, people={("1", "u"): 5}), 1),
    ],
)
def test_people_of_the_population(promise, broken):
    assert short(promise, PLACES, keys=("x", "y"), sensitive=None) == (1, broken)
    # By fewer keys the population is not known.
    assert short(promise, PLACES.drop("y"), keys=("x", "y"), sensitive=None) == (1, 3)


LOST = {"x": {"1": 0.25, "2": 0.5}, "y": {"u": 0.25}}


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        # Two share 1 and lose a half: 1 − 0.5 − first/2 > 0 needs first < 1; one alone loses 0.75: first < 0.25.
        (rule("profit", first=0.2, second=3, lost=LOST), 0),
        (rule("profit", first=0.25, second=3, lost=LOST), 1),
        (rule("profit", first=1.0, second=3, lost=LOST), 3),
        (rule("profit", first=1.0, second=2, lost=LOST), 1),  # nobody attacks two
        (rule("profit", first=0.25, second=9, lost=LOST, people={("2", "u"): 8, ("1", "u"): 8}), 0),
        (rule("profit", first=0.25, second=9, lost=LOST, people={("1", "u"): 8}), 1),
        (rule("profit", first=0.0, second=1, lost={"x": {"1": 1.0, "2": 0.5}, "y": {"u": 0.0}}), 2),
        (rule("profit", first=0.0, second=1, lost={"x": {"1": 0.5}, "y": {"u": 0.0}}), 1),  # what is 2?
    ],
)
def test_what_a_record_brings(promise, broken):
    assert short(promise, PLACES, keys=("x", "y"), sensitive=None) == (1, broken)
    assert short(promise, PLACES.drop("y"), keys=("x", "y"), sensitive=None) == (1, 3)


CELLS = pl.DataFrame({"x": ["1", "1", "2", "2"], "y": ["u", "u", "u", ""], "z": ["p", "p", "p", "p"]})
KEYS = ("x", "y", "z")


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        (rule("combinations", sizes={1: 2}), 1),  # y = empty is of one record
        (rule("combinations", sizes={1: 1, 2: 1, 3: 1}), 0),
        (rule("combinations", sizes={2: 2}), 2),
        (rule("combinations", sizes={1: 4}), 4),
        (rule("items", first=1, low=2), 0),  # an empty cell is none
        (rule("items", first=1, low=2.5), 4),
        (rule("items", first=2, low=2), 1),  # 2u of one record
        (rule("items", first=3, low=2), 1),
        (rule("items", first=1, low=4), 4),
    ],
)
def test_combinations_of_cells(promise, broken):
    assert short(promise, CELLS, keys=KEYS, sensitive=None) == (1, broken)


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        (rule("average", high=0.75), 0),  # three classes of four records
        (rule("average", high=0.75 - EDGE), 4),
        # Two of four are alone; 8 of 16 people are in the original: 2 · 8/16 of 4.
        (rule("uniques", first=16, high=0.25), 0),
        (rule("uniques", first=16, high=0.25 - EDGE), 4),
    ],
)
def test_figures_of_the_whole_file(promise, broken):
    assert short(promise, CELLS, keys=KEYS, sensitive=None) == (1, broken)


def test_cells_are_compared_by_plain_text():
    people = {("3", "u"): 2}
    promise = rule("k-map", low=2, people=people, numbers=frozenset({"x"}))
    numbers = pl.DataFrame({"x": [3.0], "y": ["u"]})
    assert short(promise, numbers, keys=("x", "y"), sensitive=None) == (1, 0)
    quoted = pl.DataFrame({"x": ["3.0"], "y": ['"u"']})
    assert short(promise, quoted, keys=("x", "y"), sensitive=None, quoted=True) == (1, 0)
    assert short(promise, quoted, keys=("x", "y"), sensitive=None) == (1, 1)
    coded = pl.DataFrame({"x": ["3"], "y": ["-9"]})
    empty = rule("k-map", low=2, people={("3", ""): 2})
    assert short(empty, coded, keys=("x", "y"), sensitive=None, missing={"y": (-9,)}) == (1, 0)
    assert short(empty, coded, keys=("x", "y"), sensitive=None) == (1, 1)


@pytest.mark.parametrize(
    ("value", "number", "missing", "text"),
    [
        (None, False, (), ""), ("", True, (), ""), (float("nan"), False, (), ""), ("nan", False, (), "nan"),
        (2.0, False, (), "2.0"), (2.0, True, (), "2"), ("2,50", True, (), "2.5"), ("007", False, (), "007"),
        ("007", True, (), "7"), ("x", True, (), "x"), (-9, True, (-9.0,), ""), ("-9", False, (-9,), ""),
        ("-9.0", False, (-9,), "-9.0"), ("-9.0", True, (-8, -9), ""),
    ],
)  # fmt: skip
def test_plain_text(value, number, missing, text):
    assert plain_text(value, number=number, missing=missing) == text


@pytest.mark.parametrize(
    ("promise", "told"),
    [
        (rule("beta", high=1.5), "no value of s is more than 2.5 times as frequent as in all records"),
        (rule("alpha", high=0.3), "no value of s has more than 30 % of them"),
        (rule("presence", low=0.1, high=0.4), "between 10 and 40 % are in the file"),
        (rule("average", high=0.2), "is right for at most 20 % of them on average"),
        (rule("uniques", high=0.05, first=9), "At most 5 % of the records are expected to be alone with their x"),
        (rule("combinations", sizes={2: 3, 1: 5}), "any 1 are shared by at least 5 records, any 2 are"),
        (rule("entropy", low=3), "as diverse as 3 equally frequent ones"),
        (rule("delta", high=exp(0)), "within a factor of e^1 of that of the original table"),
    ],
)
def test_promises_in_words(promise, told):
    assert told in promise.sentence("x", "s")
