from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.data.inference import join_proposals, propose_schema, with_new_levels
from discreet.data.scales import Date, Nominal, Numeric, Ordinal, Sequence, TimeSeries
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing, itineraries


def one(values, name="x"):
    proposal = propose_schema(pa.table({name: values}))
    return proposal.schema[name], proposal


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.5, 2.5, 3.25] * 10, "numeric"),
        ([3 * i + i % 2 for i in range(100)], "numeric"),
        (list(range(100)), "nominal"),  # it counts the records
        ([1, 2, 3, 2, 1] * 10, "ordinal"),
        (["a", "b"] * 10, "nominal"),
        ([True, False] * 10, "nominal"),
        (["007", "012", "013"] * 10, "nominal"),
        ([["a", "b"], ["b"]], "sequence"),
        (["1.5", "2.5", "?"] * 10, "numeric"),
        ([None, None], "nominal"),
        (["2020-01-02", "2020-03-04"] * 5, "numeric"),
        (["2020x", "2020y"] * 5, "nominal"),
    ],
)
def test_scale(values, kind):
    attribute, _ = one(values)
    assert attribute.scale.kind == kind


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("person_id", list(range(100)), "identifier"),
        ("household", [f"h{i}" for i in range(100)], "identifier"),
        ("remark", [f"text {i}" for i in range(100)], "identifier"),
        ("sampling_weight", list(np.linspace(1, 9, 100)), "weight"),
        ("stratum", [1, 2] * 50, "stratum"),
        ("income", list(np.linspace(1, 9, 100)), "key"),
        ("idea", [1.5, 2.5] * 50, "key"),
    ],
)
def test_role(name, values, role):
    attribute, proposal = one(values, name)
    assert attribute.role == role
    assert proposal.reasons[name]


def test_missing_words_are_proposed_and_counted():
    attribute, proposal = one(["3.5", "NA", "?", "4.5"] * 5)
    assert attribute.missing == ("?", "NA")
    assert proposal.missing["x"] == 10
    attribute, _ = one([-9, 1, 2, 3])
    assert attribute.missing == (), "a number is never taken for missing unasked"


def test_every_frame_gives_the_same_proposal():
    table = housing(300).to_arrow()
    first = propose_schema(table).schema
    assert propose_schema(table.to_pandas()).schema == first
    assert propose_schema(pl.DataFrame(table)).schema == first


def test_the_proposal_fits_the_table_it_came_from():
    from discreet.data.microdata import Microdata

    for data in (housing(300), itineraries(300)):
        frame = data.to_native()
        Microdata(frame, propose_schema(frame).schema).encode()


def test_only_one_weight_is_proposed():
    proposal = propose_schema(pd.DataFrame({"weight": [1.5, 2.5, 9.0], "wgt": [1.5, 2.5, 9.0]}))
    assert [a.role for a in proposal.schema] == ["weight", "other"]


MIXED = pa.table(
    {
        "id": ["x1", "x2", "x3", "x4"],
        "size": [1.5, 2.5, 2.25, 1.5],
        "fuel": ["gas", "?", "gas", "oil"],
        "strat": [1, 1, 2, 2],
        "w": [1.5, 2.5, 1.5, 2.5],
        "weight": [1.5, 2.5, 1.5, 2.5],
        "pw": [1.5, 2.5, 1.5, 2.5],
        "income": [100.5, 200.5, 300.5, 400.5],
        "way": [["a"], ["b"], None, ["a", "b"]],
        "read": [[1.5, 2.25], [3.5], None, []],
    }
)
NEIGHBOURS = "its name says what neighbours know: an intruder may know it"
SAME = "it tells the same as 'w'"


def test_a_whole_proposal_with_its_reasons():
    proposal = propose_schema(MIXED)
    found = [
        (
            a.name,
            a.role,
            a.scale,
            a.missing,
            proposal.confidence(a.name),
            proposal.reasons[a.name],
            a.inferred.holds_for,
        )
        for a in proposal.schema
    ]
    assert found == [
        ("id", "identifier", Nominal([""]), (), 0.95,
         "4 different words; its name and its many different values say identifier: it will not be released",
         "identifier"),
        ("size", "key", Numeric(), (), 0.85, "numbers, 3 different; its name says a number of persons or things", ""),
        ("fuel", "key", Nominal(["gas", "oil"]), ("?",), 0.9,
         "2 different words; 1 values look like missing codes; " + NEIGHBOURS, ""),
        ("strat", "stratum", Nominal([1, 2]), (), 0.85, "2 different whole numbers; its name says stratum", "code"),
        ("w", "weight", Numeric(), (), 0.85, "numbers, 2 different; positive, and its name says weight", "weight"),
        ("weight", "other", Numeric(), (), 0.95,
         "numbers, 2 different; positive, and its name says weight; only one weight can be used, and that is 'w'; "
         + SAME, "weight"),
        ("pw", "key", Numeric(), (), 0.5,
         f"numbers, 2 different; an intruder may know it; change the role if not; {SAME}", ""),
        ("income", "confidential", Numeric(), (), 0.9, "numbers, 4 different; its name says an amount of money", ""),
        ("way", "key", Sequence(("a", "b")), (), 0.9, "a list of 2 different events", ""),
        ("read", "key", TimeSeries(step=0.01, span=2.0), (), 0.85,
         "a list of numbers with decimals; readings of a person may be known", ""),
    ]  # fmt: skip
    assert proposal.missing == {**dict.fromkeys(MIXED.column_names, 0), "fuel": 1, "way": 1, "read": 1}
    assert proposal.n_records == 4
    assert all(a.inferred.parts == ("role", "scale") for a in proposal.schema)
    assert proposal.relations == {
        **dict.fromkeys(MIXED.column_names, ""),
        "weight": f"; only one weight can be used, and that is 'w'; {SAME}",
        "pw": f"; {SAME}",
    }
    shown = proposal._repr_html_()
    assert "A proposal for 4 records: look at every role" in shown
    assert "85 %" in shown
    assert [shown.count(name) >= 1 for name in MIXED.column_names] == [True] * 10


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 6, 8, 9])
def test_columns_looked_at_in_groups_are_proposed_as_if_together(cut):
    whole = propose_schema(MIXED)
    names = MIXED.column_names
    joined = join_proposals(propose_schema(MIXED.select(part)) for part in (names[:cut], names[cut:]))
    assert joined.schema == whole.schema
    assert (joined.reasons, joined.missing, joined.n_records) == (whole.reasons, whole.missing, whole.n_records)
    for name in names:
        assert joined.confidence(name) == whole.confidence(name)
    assert join_proposals([whole]) is whole


def test_what_a_file_says_of_a_column_is_kept_where_groups_are_joined():
    parts = [
        propose_schema(pa.table({"q1": [1.5, 2.5]}), {"q1": "Size of the flat"}),
        propose_schema(pa.table({"hhid": [1, 1]})),
    ]
    joined = join_proposals(parts)
    assert joined.schema["q1"].label == "Size of the flat"
    assert joined.question("q1") == parts[0].question("q1")


def test_only_confidential_columns_may_be_known_where_there_is_no_other():
    reason = "numbers, 3 different; its name says an amount of money"
    attribute, proposal = one([1.5, 2.5, 3.5], "income")
    assert (attribute.role, proposal.confidence("income")) == ("key", 0.6)
    assert proposal.reasons["income"] == f"{reason}; nothing else could be known, so an intruder may know it"
    both = propose_schema(pa.table({"income": [1.5, 2.5, 3.5], "fuel": ["gas", "oil", "gas"]}))
    assert both.schema["income"].role == "confidential"
    assert both.reasons["income"] == reason


def test_strata_are_named_so_and_have_few_values():
    for values, role in (([1, 1, 2, 2], "stratum"), ([1, 2, 3, 3], "key")):
        assert one(values, "stratum")[0].role == role
    assert one([1, 1, 2, 2], "stratum_income")[0].role != "stratum"


def test_lists_of_whole_numbers_are_events_and_of_others_readings():
    assert one([[1.0, 2.0], [3.0]])[0].scale == Sequence((1.0, 2.0, 3.0))
    assert one([[1.5], [3.0]])[0].scale == TimeSeries(step=0.1, span=1.5)
    assert one([[1, 2], [None]])[0].scale == Sequence((1, 2))
    empty = pa.array([[], []], pa.list_(pa.string()))
    assert one(empty)[0].scale == Sequence(("",))
    assert one(empty)[1].reasons["x"] == "a list of 0 different events"


def test_a_sum_says_of_what():
    wage, rent = [10.5 + 3 * i for i in range(12)], [3.25 + i * i for i in range(12)]
    total = [a + b for a, b in zip(wage, rent, strict=True)]
    proposal = propose_schema(pa.table({"wage": wage, "rent": rent, "total": total, "sex": ["f", "m"] * 6}))
    assert proposal.reasons["total"].endswith("; it is the sum of 'wage', 'rent'")


def test_an_order_of_categories_is_that_of_their_type():
    words = pa.DictionaryArray.from_arrays([1, 0, 1, 2], ["z", "a", "m"], ordered=True)
    assert one(words)[0].scale == Ordinal(["z", "a", "m"])
    assert one(pa.chunked_array([words, words]))[0].scale == Ordinal(["z", "a", "m"])
    assert one(pa.DictionaryArray.from_arrays([1, 0, 1, 2], ["z", "a", "m"]))[0].scale == Nominal(["a", "m", "z"])


@pytest.mark.parametrize(
    ("scale", "cells", "expected"),
    [
        (Nominal(["a", "b"]), ["a", "a"], Nominal(["a", "b"])),
        (Nominal(["a", "b"]), ["c", "a", "c"], Nominal(["a", "c"])),
        (Nominal([1, 2]), ["1", "2"], Nominal([1, 2])),
        (Nominal([1, 2]), ["1", "1-2"], Nominal(["1", "1-2"])),
        (Ordinal([1, 2, 3]), [1, 4], Nominal([1, 4])),
        (Ordinal([1, 2, 3]), [1, None, "?"][:2], Ordinal([1, 2, 3])),
        (Numeric(), [1.5, None], Numeric()),
        (Numeric(), ["1.5", "?"], Numeric()),
        (Numeric(), ["1.5", "0-2"], Nominal(["0-2", "1.5"])),
        (Date(), ["2020-01-02", "2020-02-03"], Date()),
        (Date(), ["2020-01-02", "2020"], Nominal(["2020", "2020-01-02"])),
        (Nominal(["a"]), [dt.date(2020, 1, 2)], Nominal(["2020-01-02"])),
        (Sequence(["a"]), [["z"]], Sequence(["a"])),
    ],
)
def test_levels_of_a_release_that_its_original_does_not_declare(scale, cells, expected):
    schema = Schema([Attribute("n", Numeric(), "other"), Attribute("x", scale, "key", missing=("?",))])
    told = with_new_levels(pa.table({"n": [1.0] * len(cells), "x": cells}), schema)
    assert told == Schema([schema["n"], Attribute("x", expected, "key", missing=("?",))])


STATES = {f"wave{i}": ["w", "h"] * 9 + (["w", "h"] if i < 4 else ["h", "h"]) for i in range(1, 7)}


def test_columns_named_after_times_in_a_row_are_one_sequence():
    table = pa.table({"age": list(range(20, 40)), **STATES, "income": [10.5 * i for i in range(20)]})
    proposal = propose_schema(table)
    assert proposal.schema.names == ("age", "wave1..wave6", "income")
    attribute = proposal.schema["wave1..wave6"]
    assert (attribute.scale, attribute.role) == (Sequence(("h", "w"), columns=tuple(STATES)), "key")
    assert attribute.scale.columns == tuple(STATES)
    assert (proposal.reasons["wave1..wave6"], proposal.confidence("wave1..wave6")) == (
        "6 columns, a position each, with the same 2 states; what somebody did may be known", 0.85,
    )  # fmt: skip
    apart = propose_schema(table, apart=lambda name: name == "wave3")
    assert apart.schema.names == ("age", *STATES, "income")
    gathered = pa.table({"way": [["a", "b"], ["b", "b"]], "n": [1.5, 2.5]})
    known = propose_schema(gathered, origin={"states": {"way": ["m1", "m2"]}}).schema["way"].scale
    assert (known, known.columns) == (Sequence(("a", "b"), columns=("m1", "m2")), ("m1", "m2"))


def test_what_all_columns_tell_together_goes_before_what_a_group_told():
    homes = [i // 2 for i in range(40)]
    first = pa.table({"hhid": homes, "size": [2.5, 2.5, 3.5, 3.5] * 10}), {"hhid": "Dwelling"}
    second = pa.table({"sex": ["f", "m"] * 20})
    parts = [propose_schema(*first), propose_schema(second)]
    joined = join_proposals(parts)
    assert joined.schema["hhid"].role == "identifier"
    assert (joined.schema.household, joined.schema["hhid"].label) == ("hhid", "Dwelling")
    assert joined.schema.names == ("hhid", "size", "sex")
    assert [joined.confidence(name) <= part.confidence(name) for part in parts for name in part.schema.names] == [
        True
    ] * 3
    assert joined.n_records == 40


def test_an_open_question_is_asked():
    few = {f"q{i}": [1, 2, 3, 7, 9] * 40 for i in range(1, 4)}
    proposal = propose_schema(pa.table(few))
    assert proposal.question("q1") == (
        "do the 2 highest numbers, after a gap, stand for no answer? are these quantities, an order, or codes?"
    )
    assert propose_schema(MIXED).question("fuel") == ""
    declared = Schema([Attribute("x", Numeric(), "key")])
    told = replace(propose_schema(pa.table({"x": [1.5]})), schema=declared)
    assert (told.question("x"), told.confidence("x")) == ("", 1.0)


def asked(answers, count=6, n=60):
    """Questions that everybody answers as he likes."""
    rng = np.random.default_rng(5)
    return {f"q{i}": rng.choice(answers, n).tolist() for i in range(1, count + 1)}


@pytest.mark.parametrize(
    ("answers", "scale", "missing"),
    [
        ([1, 2, 3, 4, 5], Ordinal([1, 2, 3, 4, 5]), ()),
        ([1, 2, 3, 8, 9], Ordinal([1, 2, 3]), (8, 9)),
        (["never", "often", "always"], Ordinal(["never", "often", "always"]), ()),
        (["red", "green", "blue"], Nominal(["blue", "green", "red"]), ()),
    ],
)
def test_answers_to_many_questions_are_what_somebody_thinks(answers, scale, missing):
    table = pa.table({"sex": ["f", "m"] * 30, **asked(answers)})
    proposal = propose_schema(table)
    assert proposal.schema.keys == ("sex",)
    for i in range(1, 7):
        attribute = proposal.schema[f"q{i}"]
        assert (attribute.role, attribute.scale, attribute.missing) == ("confidential", scale, missing)
        assert attribute.inferred.confidence == 0.8
        assert attribute.inferred.question == ""
        said = proposal.reasons[f"q{i}"].split("; ")
        assert said[-1] == f"one of 6 columns with the same {len(scale)} answers: what somebody thinks"
    names = table.column_names
    joined = join_proposals(propose_schema(table.select(part)) for part in (names[:3], names[3:]))
    assert (joined.schema, joined.reasons, joined.missing) == (proposal.schema, proposal.reasons, proposal.missing)


def test_what_is_no_opinion_is_none_among_questions_either():
    table = pa.table({"sex": ["f", "m"] * 30, **asked([1, 2, 3])})
    renamed = table.rename_columns(["sex", *(f"strat{i}" for i in range(1, 7))])
    assert [a.role for a in propose_schema(renamed).schema][1:] == ["stratum"] * 6


def test_a_household_says_why():
    homes = [i // 2 for i in range(40)]
    table = pa.table({"hhid": homes, "rooms": [1 + home % 5 for home in homes], "age": [20 + i for i in range(40)]})
    proposal = propose_schema(table)
    attribute = proposal.schema["hhid"]
    assert (attribute.role, attribute.household, attribute.scale) == ("identifier", True, Nominal([""]))
    assert (attribute.inferred.confidence, attribute.inferred.holds_for) == (0.9, "identifier")
    assert proposal.reasons["hhid"].startswith("it says who lives together, ")
    assert proposal.reasons["hhid"].endswith(": it will not be released")


def test_categories_without_a_record_have_no_order():
    none = pa.array([], pa.dictionary(pa.int8(), pa.string(), ordered=True))
    assert one(none)[0].scale == Nominal([""])
    enum = pl.DataFrame({"x": pl.Series(["b", "a"] * 9, dtype=pl.Enum(["b", "m", "a"]))})
    assert propose_schema(enum).schema["x"].scale == Ordinal(["b", "m", "a"])
