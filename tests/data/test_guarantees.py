"""What a release promises, in words and as JSON, and counted again by a twin that looks at every pair of records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.guarantees import (
    Guarantee,
    Recount,
    Tally,
    absent_cells,
    all_hold,
    recount_of,
    require,
    still_true,
)
from discreet.data.promised_rules import PromisedRule
from discreet.errors import BrokenGuaranteeError


def tally(promise, *frames):
    count = Recount(promise)
    for frame in frames:
        count.add(frame)
    return count.tally()


def slow_twin(promise, frame):
    """Every record with every record: the smallest number that one meets, and how many meet too few."""
    rows = frame.to_dicts()

    def absent(row, name):
        return row[name] in (None, "", *promise.missing.get(name, ()))

    def meet(one, other):
        for name in (*promise.strata, *promise.attributes):
            free = promise.wildcard and name in promise.attributes
            if not (free and (absent(one, name) or absent(other, name))) and one[name] != other[name]:
                return False
        return True

    smallest, short = len(rows), 0
    for one in rows:
        met = [other for other in rows if meet(one, other)]
        others = len(met)
        if promise.unit is not None:
            homes = {other[promise.unit] for other in met if not absent(other, promise.unit)}
            others = len(homes) + sum(absent(other, promise.unit) for other in met)
        smallest = min(smallest, others)
        values = len({other[promise.sensitive] for other in met}) if promise.sensitive else 0
        short += others < promise.k or (promise.l is not None and values < promise.l)
    return Tally(smallest, short)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize(
    "about",
    [
        {},
        {"strata": ("s",)},
        {"l": 2, "sensitive": "ill"},
        {"l": 3, "sensitive": "ill", "strata": ("s",)},
        {"unit": "home"},
        {"unit": "home", "missing": {"home": (-1,)}},
        {"wildcard": True},
        {"wildcard": True, "missing": {"b": (9,)}},
        {"wildcard": True, "strata": ("s",)},
        {"wildcard": True, "l": 2, "sensitive": "ill"},
        {"wildcard": True, "l": 3, "sensitive": "ill", "strata": ("s",), "missing": {"a": ("x",), "b": (9,)}},
    ],
    ids=str,
)
def test_a_count_finds_what_every_pair_of_records_shows(about, k, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "a": rng.choice(["x", "y", "z", "", None], 24, p=[0.4, 0.3, 0.15, 0.1, 0.05]).tolist(),
            "b": rng.choice([1, 2, 9, None], 24, p=[0.5, 0.2, 0.15, 0.15]).tolist(),
            "s": rng.choice(["n", "w", None], 24, p=[0.6, 0.3, 0.1]).tolist(),
            "ill": rng.choice(["flu", "gout", "none"], 24).tolist(),
            "home": rng.choice([1, 2, 3, -1, None], 24).tolist(),
        }
    )
    promise = Guarantee("twin", ("a", "b"), k, **about)
    expected, counted = slow_twin(promise, frame), tally(promise, frame)
    assert counted.short == expected.short
    if expected.short or not promise.wildcard:
        assert counted.smallest == expected.smallest
    else:
        assert k <= counted.smallest <= 24
    assert tally(promise, frame[:7], frame[7:8], frame[:0], frame[8:]) == counted, "parts add up"


@pytest.mark.parametrize(
    ("k", "wildcard", "found"),
    [
        # Read as values the classes are x1 twice, x- once, -- once; as gaps x1 meets 4, x- meets 4, and so does --.
        (1, False, Tally(1, 0)),
        (2, False, Tally(1, 2)),
        (3, False, Tally(1, 4)),
        (4, True, Tally(4, 0)),
        (5, True, Tally(4, 4)),
    ],
)
def test_a_gap_is_a_value_of_its_own_or_meets_everybody(k, wildcard, found):
    frame = pl.DataFrame({"a": ["x", "x", "x", None], "b": [1, 1, None, None]})
    assert tally(Guarantee("m", ("a", "b"), k, wildcard=wildcard), frame) == found


def test_records_that_lack_everything_see_the_values_of_everybody():
    frame = pl.DataFrame({"a": ["x", "x", None], "ill": ["flu", "flu", "gout"]})
    for values, short in ((2, 0), (3, 3)):
        promise = Guarantee("m", ("a",), 1, l=values, sensitive="ill", wildcard=True)
        assert tally(promise, frame) == Tally(3, short)
    alone = frame[:2]
    assert tally(Guarantee("m", ("a",), 1, l=2, sensitive="ill", wildcard=True), alone) == Tally(2, 2)


def test_what_was_not_released_tells_nobody_apart():
    frame = pl.DataFrame({"a": ["x", "x", "y"], "ill": ["flu", "flu", "gout"], "home": [1, 1, 2]})
    promise = Guarantee("m", ("a", "b"), 2, strata=("s",))
    assert tally(promise, frame) == Tally(1, 1)
    assert tally(promise, frame.select("ill")) is None
    assert tally(promise) is None
    assert tally(promise, frame[:0]) is None
    households = Guarantee("m", ("a",), 2, unit="home")
    assert tally(households, frame) == Tally(1, 3)
    assert tally(households, frame.drop("home")) == Tally(1, 1), "records are counted where no household is released"
    diverse = Guarantee("m", ("a",), 1, l=2, sensitive="ill")
    assert tally(diverse, frame) == Tally(1, 3)
    assert tally(diverse, frame.drop("ill")) == Tally(1, 0)


def test_a_sensitive_value_without_a_number_of_values_is_no_promise_about_it():
    frame = pl.DataFrame({"a": ["x", "x"], "ill": ["flu", "flu"]})
    assert tally(Guarantee("m", ("a",), 2, sensitive="ill"), frame) == Tally(2, 0)


@pytest.mark.parametrize(
    ("cells", "codes", "absent"),
    [
        (["a", "", None, "-9", "9"], (), [False, True, True, False, False]),
        (["a", "", None, "-9", "9"], ("-9", "9"), [False, True, True, True, True]),
        ([1, None, -9], (), [False, True, False]),
        ([1, None, -9], (-9,), [False, True, True]),
        ([1.5, None, 0.0], (0,), [False, True, True]),
        ([], ("x",), []),
    ],
)
def test_a_cell_is_absent_if_it_is_empty_or_a_declared_code(cells, codes, absent):
    kind = pl.String if not cells or isinstance(cells[0], str) else None
    assert absent_cells(pl.DataFrame({"a": pl.Series(cells, dtype=kind)}), "a", codes).to_list() == absent


@pytest.mark.parametrize(
    ("promise", "columns", "sentence", "subject", "fields"),
    [
        (
            Guarantee("mdav", ("age",), 2),
            ("age",),
            "Every record shares its age with at least 1 other; a missing value counts as a value of its own.",
            "groups of 2",
            {"attributes": ["age"], "k": 2, "missing": "category"},
        ),
        (
            Guarantee("mdav", ("age", "job"), 3, strata=("land", "age"), l=2, sensitive="ill", wildcard=True),
            ("land", "age", "job", "ill"),
            ("Every record shares its age, job with at least 2 others within its land, age, who have at least 2 "
            "different values of ill; a missing value matches every value."),
            "groups of 3",
            {"attributes": ["age", "job"], "k": 3, "strata": ["land", "age"], "l": 2, "sensitive": "ill",
             "missing": "wildcard"},
        ),
        (
            Guarantee("mdav", ("age",), 2, unit="home"),
            ("age", "home"),
            ("Every record shares its age with at least 1 other unit of home; a missing value counts as a value of its "
            "own."),
            "groups of 2",
            {"attributes": ["age"], "k": 2, "unit": "home", "missing": "category"},
        ),
        (
            Guarantee("mdav", ("age",), 3, unit="home", sensitive="ill"),
            ("age", "ill", "home"),
            ("Every record shares its age with at least 2 other units of home; a missing value counts as a value of "
            "its own."),
            "groups of 3",
            {"attributes": ["age"], "k": 3, "unit": "home", "missing": "category"},
        ),
        (
            Guarantee("risk", ("age", "job"), 1, risk=0.05, weight="w", strata=("land",)),
            ("land", "age", "job", "w"),
            ("No record has an individual risk above 0.05 by its age, job within its land, counted with the weights w; "
            "a missing value counts as a value of its own."),
            "individual risks of at most 0.05",
            {"attributes": ["age", "job"], "k": 1, "strata": ["land"], "risk": 0.05, "weight": "w",
             "missing": "category"},
        ),
    ],
)  # fmt: skip
def test_a_promise_in_words_and_as_json(promise, columns, sentence, subject, fields):
    assert promise.columns == columns
    assert promise.sentence == sentence
    assert promise.subject == subject
    assert promise.to_dict() == {**fields, "sentence": sentence}


ALPHA = Guarantee("models", ("a",), 1, sensitive="ill", rule=PromisedRule("alpha", high=0.5, records=6))


def test_a_rule_speaks_for_itself():
    said = "Among records with equal a, no value of ill has more than 50 % of them."
    assert ALPHA.sentence == said
    assert ALPHA.subject == "the rule “alpha”"
    assert ALPHA.to_dict() == {"attributes": ["a"], "rule": "alpha", "sentence": said, "sensitive": "ill"}
    average = Guarantee("models", ("a", "b"), 1, rule=PromisedRule("average", high=0.25))
    assert average.to_dict() == {
        "attributes": ["a", "b"],
        "rule": "average",
        "sentence": "Whoever looks for records by their a, b is right for at most 25 % of them on average.",
    }


def test_a_table_keeps_some_promises_and_breaks_others():
    frame = pl.DataFrame({"a": ["x", "x", "x", "y", "y"], "ill": ["flu", "flu", "gout", "flu", "gout"]})
    two, three, unseen = (Guarantee("m", (name,), k) for name, k in (("a", 2), ("a", 3), ("b", 9)))
    expected = ([two, unseen], [three, ALPHA])
    assert still_true([two, three, unseen, ALPHA], frame) == expected
    assert still_true([two, three, unseen, ALPHA], iter([frame[:1], frame[1:4], frame[4:]])) == expected
    assert still_true([], frame) == ([], [])
    columns = {name: frame[name].to_list() for name in frame.columns}
    assert all_hold([two, unseen], columns) is True
    assert all_hold([two, three], columns) is False
    assert Recount(ALPHA).tally() is None


RISK = Guarantee("risk", ("a", "b"), 1, risk=0.05, weight="w")


@pytest.mark.parametrize(
    ("promise", "said"),
    [
        (
            Guarantee("mdav", ("a", "b"), 3),
            "mdav: in the file 3 records do not share their a, b as promised (k = 3); the smallest class has 1.",
        ),
        (RISK, ("risk: in the file 1 records have an individual risk above 0.05 by their a, b, as promised they would "
         "not.")),
        (ALPHA, ("models: in the file 4 records are in classes of equal a that do not keep what was promised: "
         "Among records with equal a, no value of ill has more than 50 % of them.")),
    ],
)  # fmt: skip
def test_a_file_that_breaks_a_promise_is_refused_with_columns_and_counts(promise, said):
    frame = pl.DataFrame(
        {"a": ["x"] * 4 + ["y"] * 2, "b": [1, 1, 1, 2, 3, 3], "w": [99.0] * 3 + [10.0] + [99.0] * 2}
    ).with_columns(ill=pl.Series(["flu", "flu", "flu", "gout", "flu", "gout"]))
    count = recount_of(promise)
    assert type(count).__name__ == ("RiskRecount" if promise is RISK else "Recount")
    require([count])
    count.add(frame)
    with pytest.raises(BrokenGuaranteeError) as caught:
        require([recount_of(RISK), count], "the file")
    assert caught.value.message == said
    assert "Nothing was put in place" in caught.value.hint
    with pytest.raises(BrokenGuaranteeError, match="in the written file"):
        require([count])


@pytest.mark.parametrize("promise", [Guarantee("mdav", ("a",), 2), RISK, ALPHA], ids=lambda one: one.method)
def test_a_file_that_keeps_its_promises_is_let_through(promise):
    count = recount_of(promise)
    count.add(pl.DataFrame({"a": ["x", "x"], "b": [1, 1], "w": [99.0, 99.0], "ill": ["flu", "gout"]}))
    require([count, count])
    assert count.tally().short == 0
