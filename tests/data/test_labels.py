"""What a file says of its columns goes before what was guessed of them."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from discreet.data.inference import propose_schema
from discreet.data.labels import Labels, declared_by_labels, is_number, is_range, whole
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema


def declared(column, **said):
    table = pa.table({"x": column, "y": pa.array(range(len(column)))})
    labels = Labels(**{field: {"x": value} for field, value in said.items()})
    proposal = declared_by_labels(propose_schema(table), table, labels)
    return proposal.schema["x"], proposal


TENS = [1, 2, 3, 1, 2, 3, 1, 2, 9, 9]


def test_labelled_codes_are_categories_ordered_where_the_file_says_so():
    names = {1.0: "low", 2.0: "middle", 3.0: "high", 4.0: "nobody's"}
    attribute, proposal = declared(TENS, values=names, measures="ordinal", missing=[9.0], variables="Size of it")
    assert attribute.scale == Ordinal((1, 2, 3, 4))
    assert attribute.missing == (9,)
    assert attribute.label == "Size of it"
    assert proposal.missing["x"] == 2
    assert proposal.reasons["x"].startswith("4 labelled values; the file says ordinal; 1 missing code in the file")
    assert proposal.value_labels["x"] == names
    assert declared(TENS, values=names, measures="nominal", missing=[9.0])[0].scale == Nominal((1, 2, 3, 4))


def test_without_a_measure_all_codes_must_have_labels():
    every = {1: "a", 2: "b", 3: "c", 9: "d"}
    attribute, proposal = declared(TENS, values=every)
    assert attribute.scale == Nominal((1, 2, 3, 9))
    assert "all its codes have labels" in proposal.reasons["x"]
    some, _ = declared([float(v) / 2 for v in range(60)], values={1: "one"})
    assert isinstance(some.scale, Numeric)


def test_codes_beside_the_labelled_ones_are_levels_too():
    attribute, _ = declared(TENS, values={1: "a", 2: "b"}, measures="nominal")
    assert attribute.scale == Nominal((1, 2, 3, 9))


def test_text_keeps_the_order_of_its_labels():
    attribute, _ = declared(["b", "a", "b", "a"] * 3, values={"b": "first", "a": "second", 7: "no text"})
    assert attribute.scale == Nominal(("b", "a"))


def test_a_scale_is_numbers_and_its_codes_are_missing():
    attribute, proposal = declared(TENS, measures="scale", missing=[{"lo": 9, "hi": 9}, 77])
    assert isinstance(attribute.scale, Numeric)
    assert attribute.missing == (9, 77)
    assert proposal.reasons["x"].startswith("numbers; the file says scale; 2 missing codes in the file")
    assert proposal.missing["x"] == 2


def test_a_range_of_missing_codes_lists_those_that_occur_or_have_a_label():
    ranged = [{"lo": 8.0, "hi": 99.0}]
    attribute, _ = declared(TENS, measures="scale", missing=ranged, values={97.0: "refused", 100.0: "beyond"})
    assert attribute.missing == (9, 97)
    assert declared(TENS, measures="scale", missing=[{"lo": 9, "hi": 20}])[0].missing == (9,)
    assert declared(TENS, measures="scale", missing=[{"lo": 3, "hi": 9}])[0].missing == (3, 9)


def test_a_measure_without_labels_takes_what_occurs():
    attribute, proposal = declared(TENS, measures="ordinal", missing=[9])
    assert attribute.scale == Ordinal((1, 2, 3))
    assert proposal.reasons["x"].startswith("3 values; the file says ordinal")


@pytest.mark.parametrize(("n", "role"), [(21, "identifier"), (20, "key")])
def test_codes_that_are_nearly_all_different_name_people(n, role):
    attribute, proposal = declared([0.5 * j for j in range(n)], measures="nominal")
    assert attribute.role == role
    assert len(attribute.scale) == (1 if role == "identifier" else n)
    assert ("nearly every value is different" in proposal.reasons["x"]) is (role == "identifier")


def test_small_words():
    assert whole(3.0) == 3
    assert isinstance(whole(3.0), int)
    assert whole(2.5) == 2.5
    assert whole("3.0") == "3.0"
    assert is_range({"lo": 1, "hi": 2})
    assert not is_range({"lo": 1, "hi": 1})
    assert not is_range(1)
    assert (is_number(1), is_number(1.5), is_number(True), is_number("1")) == (True, True, False, False)
    assert repr(Labels(variables={"x": "secret"}, values={"x": {1: "secret"}, "y": {}})) == (
        "Labels(1 columns labelled, 2 with labelled values)"
    )


def test_missing_codes_of_the_file_go_before_those_that_were_guessed():
    incomes = [1200.5 + 13 * j for j in range(60)] + [-9.0] * 6
    guessed = propose_schema(pa.table({"x": incomes})).schema["x"].missing
    assert guessed == (-9,)
    assert declared(incomes, measures="scale")[0].missing == guessed, "the file names none: the guess stands"
    assert declared([*incomes, 1.0], measures="scale", missing=[1.0])[0].missing == (1,)


@pytest.mark.parametrize(
    ("column", "said", "scale", "missing", "reason"),
    [
        (TENS, {}, None, (), None),
        (TENS, {"missing": [9]}, None, (9,), None),
        (TENS, {"measures": "scale"}, Numeric(), (), "numbers; the file says scale"),
        (TENS, {"measures": "scale", "missing": [9]}, Numeric(), (9,),
         "numbers; the file says scale; 1 missing code in the file"),
        (TENS, {"measures": "scale", "missing": [9, 8]}, Numeric(), (8, 9),
         "numbers; the file says scale; 2 missing codes in the file"),
        (TENS, {"measures": "scale", "values": {1: "one"}}, Numeric(), (), "numbers; the file says scale"),
        (TENS, {"measures": "scale", "values": {1: "a", 2: "b", 3: "c", 9: "d"}}, Nominal((1, 2, 3, 9)), (),
         "4 labelled values; all its codes have labels"),
        (TENS, {"measures": "ordinal"}, Ordinal((1, 2, 3, 9)), (), "4 values; the file says ordinal"),
        (TENS, {"measures": "nominal", "missing": [9]}, Nominal((1, 2, 3)), (9,),
         "3 values; the file says nominal; 1 missing code in the file"),
        (TENS, {"measures": "nominal", "values": {2: "b", 9: "no answer"}, "missing": [9]}, Nominal((1, 2, 3)), (9,),
         "1 labelled values; the file says nominal; 1 missing code in the file"),
        (["b", "a"] * 5, {"measures": "scale"}, None, (), None),
        (["b", "a"] * 5, {"measures": "ordinal", "values": {"b": "x", "a": "y"}}, Ordinal(("b", "a")), (),
         "2 labelled values; the file says ordinal"),
        (["b", "a"] * 5, {"measures": "ordinal", "values": {"b": "x"}}, Ordinal(("a", "b")), (),
         "1 labelled values; the file says ordinal"),
        (["b", "a"] * 5, {"missing": ["a"]}, Nominal(("b",)), ("a",), None),
        (["a", "a"] * 5, {"missing": ["a"]}, Nominal(("",)), ("a",), None),
        ([True, False] * 5, {"measures": "ordinal"}, None, (), None),
        ([None] * 10, {"measures": "nominal"}, None, (), None),
    ],
)  # fmt: skip
def test_what_the_file_says_of_one_column(column, said, scale, missing, reason):
    guess = propose_schema(pa.table({"x": column, "y": pa.array(range(len(column)))}))
    attribute, proposal = declared(column, **said)
    assert attribute.scale == (scale or guess.schema["x"].scale)
    assert attribute.missing == missing
    assert attribute.role == guess.schema["x"].role
    why = guess.reasons["x"] if reason is None else "; ".join([reason, *guess.reasons["x"].split("; ")[1:]])
    assert proposal.reasons["x"] == attribute.inferred.reason == why
    counted = [v for v in column if v is None or v in missing]
    assert proposal.missing["x"] == len(counted)


def test_identifiers_and_weights_stay_what_they_are():
    for name, role in (("person_id", "identifier"), ("weight", "weight")):
        table = pa.table({name: [1.5 * j + 1 for j in range(30)]})
        labels = Labels(measures={name: "nominal"}, variables={name: "Its label"}, missing={name: [1.0]})
        attribute = declared_by_labels(propose_schema(table), table, labels).schema[name]
        assert (attribute.role, attribute.label, attribute.missing) == (role, "Its label", (1,))


def test_what_the_file_says_of_a_scale_is_not_asked_again():
    codes = [1, 2, 3, 7, 9] * 40
    assert propose_schema(pa.table({"x": codes})).question("x")
    assert declared(codes)[1].question("x")
    assert declared(codes, measures="ordinal")[1].question("x") == ""
    assert declared(codes, values=dict.fromkeys((1, 2, 3, 7, 9), "a"))[1].question("x") == ""


def test_an_attribute_that_nobody_inferred_gets_no_reason():
    table = pa.table({"x": [1.5, 2.5]})
    plain = replace(propose_schema(table), schema=Schema([Attribute("x", Numeric(), "key")]))
    assert declared_by_labels(plain, table, Labels(measures={"x": "scale"})).schema["x"].inferred is None
