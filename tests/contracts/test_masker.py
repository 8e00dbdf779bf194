"""What a masker refuses, promises and notes, before and after it masks."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet.contracts.masker import (
    Masker,
    _as_typed,
    _is_held_for_a_code,
    _is_still,
    holds_whole_numbers,
    notes_on_missing,
    plain_parameters,
    stray_texts,
)
from discreet.data.schema import Inferred
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.statistics.census import Extent
from discreet.statistics.question import Need

NUMBER, LEVELS = dc.Numeric(), dc.Nominal(("a", "b"))
TEXTS = dc.Nominal([str(wage) for wage in range(900, 990)] + ["ill", "n. a. (ill)"])


def attribute(scale, inferred=None, role="key", name="x"):
    return dc.Attribute(name, scale, role, inferred=inferred)


@pytest.mark.parametrize(
    ("scale", "inferred", "held"),
    [
        (NUMBER, Inferred(("scale",), holds_for="code"), True),
        (NUMBER, Inferred(("role",), holds_for="code"), False),
        (NUMBER, Inferred(("scale",)), False),
        (NUMBER, None, False),
        (LEVELS, Inferred(("scale",), holds_for="code"), False),
    ],
)
def test_numbers_that_may_be_codes(scale, inferred, held):
    assert _is_held_for_a_code(attribute(scale, inferred)) is held


@pytest.mark.parametrize(
    ("scale", "inferred", "whole"),
    [
        (dc.Nominal((1, 2)), Inferred(("scale",)), True),
        (dc.Nominal((1, 2)), Inferred(("role",)), False),
        (dc.Nominal((1, 2)), None, False),
        (LEVELS, Inferred(("scale",)), False),
        (NUMBER, Inferred(("scale",)), False),
    ],
)
def test_whole_numbers_that_were_taken_for_levels(scale, inferred, whole):
    assert holds_whole_numbers(attribute(scale, inferred)) is whole


def test_texts_among_numbers_are_counted_where_nobody_declared_them():
    assert stray_texts(attribute(TEXTS, Inferred(("scale",)))) == 2
    assert stray_texts(attribute(TEXTS, Inferred(("role",)))) == 0
    assert stray_texts(attribute(TEXTS)) == 0
    assert stray_texts(attribute(NUMBER, Inferred(("scale",)))) == 0


def test_columns_that_are_masked_are_keys_of_a_scale_or_those_named_in_the_order_of_the_table():
    schema = dc.Schema(
        [
            attribute(NUMBER, name="y"),
            attribute(LEVELS, name="c"),
            attribute(NUMBER),
            attribute(NUMBER, role="other", name="o"),
        ]
    )
    assert dc.MDAV(k=2).columns_for(schema) == ("y", "x")
    assert dc.MDAV(k=2, attributes=["o", "y"]).columns_for(schema) == ("y", "o")
    assert dc.MDAV(k=2, strata=["c"]).columns_for(schema) == ("y", "x")


@pytest.mark.parametrize(
    ("masker", "attributes", "error", "sentence"),
    [
        (dc.MDAV(k=2), [attribute(LEVELS, role="other")], SchemaError, "MDAV: the schema names no key."),
        (dc.MDAV(k=2), [attribute(LEVELS), attribute(LEVELS, name="y")], SchemaError,
         "MDAV: none of the 2 keys is numeric."),
        (dc.MDAV(k=2, attributes=["x"]), [attribute(LEVELS)], ParameterError,
         "MDAV: attribute 'x' is nominal; the method masks numeric attributes."),
        (dc.MDAV(k=2, attributes=["x"]), [attribute(dc.Nominal((1, 2)), Inferred(("scale",)))], ParameterError,
         "Its whole numbers are held for codes"),
        (dc.MDAV(k=2, attributes=["x"]), [attribute(NUMBER, Inferred(("role",)), "identifier")], ParameterError,
         "MDAV: attribute 'x' is an identifier, as inferred"),
        (dc.MDAV(k=2), [attribute(NUMBER, Inferred(("scale",), holds_for="code")), attribute(NUMBER, name="y")],
         ParameterError, "MDAV: nobody said that the numbers of 'x' are quantities"),
        (dc.MDAV(k=2), [attribute(TEXTS, Inferred(("scale",))), attribute(NUMBER, name="y")], ParameterError,
         "MDAV: column 'x' would not be masked: 2 of its 92 different values are no number"),
        (dc.MDAV(k=2, attributes=["x"]), [attribute(TEXTS, Inferred(("scale",)))], ParameterError,
         "MDAV: column 'x' would not be masked: 2 of its 92 different values are no number"),
        (dc.MDAV(k=2, strata=["y"]), [attribute(NUMBER), attribute(NUMBER, name="y")], ParameterError,
         "MDAV: strata must be categorical; 'y' is numeric."),
        (dc.KModes(2, strata=["x"]), [attribute(LEVELS)], ParameterError,
         "KModes: strata must not be masked; 1 of them would be."),
        (dc.KModes(2, strata=["x"], attributes=["x", "y"]), [attribute(LEVELS), attribute(LEVELS, name="y")],
         ParameterError, "KModes: strata must not be masked; 1 of them would be."),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_masked_are_named(masker, attributes, error, sentence):
    with pytest.raises(error) as told:
        masker.columns_for(dc.Schema(attributes))
    assert sentence in str(told.value)


def test_tables_and_strata_that_are_too_small_are_counted():
    schema = dc.Schema([attribute(NUMBER)])
    dc.MDAV(k=3)._check_table(schema, 3)
    dc.Rounding(base=2.0)._check_table(schema, 2)
    for masker, n, error, sentence in (
        (dc.Rounding(base=2.0), 1, DataError, "Rounding: the table has 1 records; masking needs at least 2."),
        (dc.MDAV(k=3), 2, ParameterError, "MDAV: k must be at most the number of records, 2; got 3."),
        (dc.MDAV(k=3, weighted=True), 9, ParameterError, "MDAV: weighted needs a survey weight."),
    ):
        with pytest.raises(error) as told:
            masker._check_table(schema, n)
        assert sentence in str(told.value)
    dc.MDAV(k=3)._check_strata([3, 4])
    dc.Rounding(base=2.0)._check_strata([1])
    with pytest.raises(ParameterError, match="every stratum; 2 of 4 strata have fewer than 3"):
        dc.MDAV(k=3)._check_strata([3, 2, 1, 4])


def extent(present, varies=True):
    return Extent({"x": SimpleNamespace(present=present, varies=varies)})


@pytest.mark.parametrize(
    ("counts", "strata", "sentence"),
    [
        ([2], None, "'x' has 2 values; it takes 3 to hide one among the others."),
        ([2, 5, 0, 1], ["c"], "'x' has values, but fewer than 3, in 2 of 4 strata, so that none is hidden"),
    ],
)
def test_too_few_values_to_hide_one_among_are_counted(monkeypatch, counts, strata, sentence):
    masker = dc.RankSwapping(strata=strata)
    monkeypatch.setattr(type(masker), "_fewest", lambda _: 3)
    with pytest.raises(DataError) as told:
        Masker._check_values(masker, ("x",), [extent(count) for count in counts])
    assert sentence in str(told.value)
    assert Masker._check_values(masker, ("x",), [extent(3), extent(0)]) == ()
    still = [extent(3), extent(4, varies=False), extent(0, varies=False)]
    where = " in 1 of 3 strata" if strata else ""
    assert Masker._check_values(masker, ("x",), still) == (f"x does not vary{where}; nothing of it is hidden there.",)


def test_a_column_is_still_where_it_has_values_that_are_all_equal():
    assert _is_still(extent(1, varies=False), "x")
    assert not _is_still(extent(0, varies=False), "x")
    assert not _is_still(extent(2), "x")


def test_what_is_promised_of_groups():
    coded = dc.Attribute("x", NUMBER, "key", missing=(-9,))
    schema = dc.Schema([coded, attribute(NUMBER, name="y"), attribute(LEVELS, name="c")])
    assert dc.Rounding(base=2.0).guarantees(schema, ("x",)) == ()
    masker = dc.MDAV(k=4, strata=["c"])
    (whole,) = masker.guarantees(schema, ("x", "y"))
    assert (whole.method, whole.attributes, whole.k, whole.strata) == ("mdav", ("x", "y"), 4, ("c",))
    assert (dict(whole.missing), whole.wildcard) == ({"x": coded.missing}, False)
    each = masker.guarantees(schema, ("x", "y"), (("x",), ("y",)))
    assert [one.attributes for one in each] == [("x",), ("y",)]
    assert masker.unmasked_classes() == ("c",)
    assert dc.MDAV(k=4).unmasked_classes() == ()
    sentence = "Columns whose missing codes were made one, so that they tell nobody apart (1): x."
    assert notes_on_missing(masker, schema, ("x", "y")) == [sentence]
    assert notes_on_missing(masker, schema, ("y",)) == []
    assert notes_on_missing(dc.Rounding(base=2.0), schema, ("x", "y")) == []


def test_parameters_are_told_without_the_seed_and_whole_numbers_as_such():
    told = plain_parameters(dc.AdditiveNoise(random_state=3))
    assert "random_state" not in told
    assert set(told) == set(dc.AdditiveNoise().get_params(deep=False)) - {"random_state"}
    assert repr(_as_typed({"a": [10.0, 2.5, "x"], "b": {"c": 3.0}, "d": True})) == repr(
        {"a": [10, 2.5, "x"], "b": {"c": 3}, "d": True}
    )


def test_a_masker_that_says_nothing_of_itself():
    flags = (
        "handles_missing", "groups", "counts_keys", "recounts", "makes_numbers", "reorders", "replaces", "renumbers",
    )  # fmt: skip
    assert [getattr(Masker, name) for name in flags] == [False] * len(flags)
    assert (Masker.perturbative, Masker.touches_all, Masker.need, Masker.later) == (True, True, Need.ALL, frozenset())
    assert (Masker.contract, Masker.iso_20889) == ("masker", "")
    plain = SimpleNamespace(reorders=False)
    assert Masker.moves_records(plain) is False
    assert Masker.moves_records(SimpleNamespace(reorders=True)) is True
    assert (Masker.stages(plain, None), Masker.chosen_numbers(plain, "x"), Masker.limits(plain, "x")) == ((), (), None)
    assert (Masker._fewest(plain), Masker._secret(plain, None, ("x", "y"))) == (0, ("x", "y"))
    assert Masker.columns(plain, SimpleNamespace(names=("x",), weight=None)) == ("x",)
    assert Masker.columns(plain, SimpleNamespace(names=("x",), weight="w")) == ("x", "w")
    for unwritten in (Masker.inquire, Masker._mask_part):
        with pytest.raises(NotImplementedError):
            unwritten(plain, None)
    with pytest.raises(NotImplementedError):
        Masker.apply(plain, None, None)


def test_draws_are_for_a_method_with_its_parameters_on_its_columns():
    one = dc.AdditiveNoise(random_state=1)
    purpose = json.loads(one._purpose(("x", "y")))
    assert (purpose["method"], purpose["columns"]) == ("additive-noise", ["x", "y"])
    assert not {"random_state", "attributes"} & set(purpose)
    assert one._purpose(("x",)) == dc.AdditiveNoise(random_state=2, attributes=["x"])._purpose(("x",))
    assert one._purpose(("x", "y")) != one._purpose(("y", "x"))
    assert dc.RankSwapping(10)._purpose(("x",)) == dc.RankSwapping(10.0)._purpose(("x",))
    assert dc.RankSwapping(10)._purpose(("x",)) != dc.RankSwapping(11)._purpose(("x",))


def test_what_was_masked_is_remembered_by_the_masker():
    table = dc.datasets.business(20).select(["EMPLOYEES", "WAGES"])
    masker = dc.MDAV(k=4)
    masked = masker.mask(table)
    assert masker.labels_.tolist() == masked.labels.tolist()
    assert masker.details_ == masked.provenance.details
