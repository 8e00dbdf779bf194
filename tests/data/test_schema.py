from __future__ import annotations

import json
import pickle

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tests.battery import SCHEMA

from discreet.data.scales import Date, Nominal, Numeric, Ordinal, Sequence
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import ROLES, Attribute, Inferred, Schema
from discreet.errors import DiscreetError, FileError, SchemaError, UnknownNameError

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
levels = st.one_of(
    st.lists(items, min_size=1, max_size=5, unique=True) for items in (names, st.integers(-(2**60), 2**60))
)
scales = st.one_of(
    st.just(Numeric()),
    levels.map(lambda v: Nominal(tuple(v))),
    levels.map(lambda v: Ordinal(tuple(v))),
    st.tuples(levels, st.sampled_from([" ", ";", " > "])).map(lambda v: Sequence(tuple(v[0]), v[1])),
)


rows = st.tuples(names, scales, st.sampled_from([role for role in ROLES if role != "weight"]), names)


@given(st.lists(rows, min_size=1, max_size=6, unique_by=lambda row: row[0]))
def test_toml_round_trip_loses_nothing(rows):
    schema = Schema(Attribute(name, scale, role, label=label) for name, scale, role, label in rows)
    assert Schema.from_toml(schema.to_toml()) == schema


def test_toml_round_trip_with_semantics_missing_codes_and_weight(tmp_path):
    schema = Schema(
        [
            Attribute("a", Ordinal(("x", "y"), IntervalSemantics((0, 1), (1, 5))), "key", missing=("?", -9)),
            Attribute("w", Numeric(), "weight", label="survey weight"),
        ]
    )
    path = tmp_path / "s.toml"
    path.write_text(schema.to_toml(), encoding="utf-8")
    assert Schema.load(path) == schema


def test_reads_what_a_person_would_write():
    schema = Schema.from_toml(
        """
        [[attribute]]
        name = "DEGREE"
        role = "key"
        scale = "ordinal"
        levels = ["coldest", "cold", "cool"]
        missing = ["?"]

        [[attribute]]
        name = "INCOME"
        scale = "numeric"

        [thresholds]
        risk = 5
        """
    )
    assert schema.keys == ("DEGREE",)
    assert schema["INCOME"].role == "other"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[attribute]]\nname='a'", "name and a scale"),
        ("[[attribute]]\nname='a'\nscale='ratio'", "Attribute 'a': There is no scale named 'ratio'"),
        ("[[attribute]]\nname='a'\nscale='nominal'", "Attribute 'a': .* needs the field 'levels'"),
        ("[[attribute]]\nname='a'\nscale='numeric'\nlevels=['x']", "Attribute 'a'"),
        ("[[attribute]]\nname='a'\nscale='numeric'\nrole='boss'", "role must be one of"),
        ("[[attribute]]\nname='a'\nscale='numeric'\ncolour='red'", "unknown field 'colour'"),
        ("[[attribute]]\nname='a'\nscale='nominal'\nlevels=['x']\nmissing=['x']", "missing code is also listed"),
        ("[[attribute]]\nname='a'\nscale='nominal'\nlevels=['x']\nrole='weight'", "weight must be numeric"),
        ("[[attribute]]\nname='a'\nscale='numeric'\n[[attribute]]\nname='a'\nscale='numeric'", "declared 2 times"),
        ("x = 1", r"no \[\[attribute\]\]"),
        ("x = [", "not valid TOML"),
    ],
)
def test_bad_files_are_refused_with_the_attribute_named(text, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(text)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        Schema.load(tmp_path / "none.toml")


def test_one_weight_only():
    with pytest.raises(SchemaError, match="can have one weight; 2 are declared"):
        Schema([Attribute("a", Numeric(), "weight"), Attribute("b", Numeric(), "weight")])


def test_looking_up_selecting_and_changing_roles():
    assert SCHEMA.weight == "weight"
    assert SCHEMA.of_scale("numeric", among=SCHEMA.keys) == ("income", "age", "wealth")
    assert SCHEMA.select(["fuel", "income"]).names == ("income", "fuel")
    assert SCHEMA.with_roles(income="other")["income"].role == "other"
    assert SCHEMA["income"].role == "key"
    with pytest.raises(UnknownNameError, match="no attribute named 'nobody'"):
        SCHEMA["nobody"]
    assert ">income</td>" in SCHEMA._repr_html_()


def test_a_schema_answers_by_name_however_often_it_is_asked():
    schema = Schema(Attribute(f"x{i}", Numeric(), "key" if i % 2 else "other") for i in range(4))
    assert schema.of_role("key") is schema.of_role("key")
    assert schema.of_scale("numeric") == schema.names
    assert schema.of_scale("numeric", among=("x3", "x1", "gone")) == ("x1", "x3")
    assert schema["x2"] is schema.attributes[2]
    assert "x9" not in schema
    assert ["x1"] not in schema
    with pytest.raises(UnknownNameError, match="There is no attribute named 'X1'. Did you mean 'x1'"):
        schema["X1"]
    changed = schema.with_roles(x0="key")
    assert changed.keys == ("x0", "x1", "x3")
    assert schema.keys == ("x1", "x3")


def test_a_schema_travels_without_what_it_remembers():
    schema = Schema([Attribute("x", Numeric(), "key")])
    assert schema.keys == ("x",)
    there = pickle.loads(pickle.dumps(schema))  # noqa: S301 - our own bytes
    assert there == schema
    assert hash(there) == hash(schema)
    assert there["x"] == schema["x"]
    assert list(schema.__getstate__()) == ["attributes"]


def test_what_a_file_keeps_of_a_schema_is_all_of_it():
    kept = SCHEMA.to_dict()
    assert [one["name"] for one in kept["attribute"]] == list(SCHEMA.names)
    assert Schema.from_dict(json.loads(json.dumps(kept))) == SCHEMA


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"name": ""}, "needs a name of at least one character"),
        ({"name": 3}, "needs a name of at least one character"),
        ({"scale": "numeric"}, "Attribute 'a': scale must be a Scale; got str"),
        ({"role": "boss"}, "role must be one of key, .*; got 'boss'"),
        ({"role": 3}, "role must be one of key, .*; got int"),
        ({"role": "weight", "scale": Date()}, "a weight must be numeric"),
        ({"household": "yes"}, "household must be true or false"),
        ({"household": True}, "what says who lives together is an identifier"),
        ({"missing": [None]}, "missing must list codes that are text or numbers"),
        ({"missing": 2**63}, "a missing code has at most 64 bits"),
        ({"missing": -(2**63) - 1}, "a missing code has at most 64 bits"),
    ],
)
def test_an_attribute_that_cannot_be_is_refused(about, message):
    with pytest.raises(SchemaError, match=message):
        Attribute(**{"name": "a", "scale": Numeric(), "role": "key", **about})


@pytest.mark.parametrize(
    ("missing", "codes"), [("?", ("?",)), (-9, (-9,)), (1.5, (1.5,)), ([], ()), (["?", -9], ("?", -9)),
                           ([2**63 - 1, -(2**63)], (2**63 - 1, -(2**63)))]
)  # fmt: skip
def test_missing_codes_are_one_or_several(missing, codes):
    assert Attribute("a", Numeric(), missing=missing).missing == codes


def test_what_a_file_keeps_of_an_attribute():
    for attribute, fields in (
        (Attribute("a", Numeric()), {"name": "a", "role": "other", "scale": "numeric"}),
        (
            Attribute("a", Nominal(["x"]), "identifier", ("?",), "Who", household=True),
            {"name": "a", "role": "identifier", "scale": "nominal", "levels": ["x"], "missing": ["?"], "label": "Who",
             "household": True},
        ),
    ):  # fmt: skip
        assert attribute.to_dict() == fields
        assert Attribute.from_dict(fields) == attribute
    for fields in ({"scale": "numeric"}, {"name": 3, "scale": "numeric"}, {"name": "a"}):
        with pytest.raises(SchemaError, match="needs a name and a scale"):
            Attribute.from_dict(fields)
    with pytest.raises(SchemaError, match="'a': label must be text"):
        Attribute.from_dict({"name": "a", "scale": "numeric", "label": 3})
    with pytest.raises(SchemaError, match="'a': unknown field 'levles'.* Did you mean 'levels'"):
        Attribute.from_dict({"name": "a", "scale": "nominal", "levles": [1]})


@pytest.mark.parametrize("attributes", [3, [3], ["a"], None])
def test_a_schema_is_a_list_of_attributes(attributes):
    with pytest.raises(DiscreetError, match="attributes must be a list of Attribute"):
        Schema(attributes)


def test_names_come_once_and_at_least_one():
    with pytest.raises(SchemaError, match="Attribute 'b' is declared 3 times"):
        Schema([Attribute(name, Numeric()) for name in "cbcbb"])
    with pytest.raises(SchemaError, match="at least one attribute"):
        Schema([])


def inferred(name, parts, question=""):
    return Attribute(name, Numeric(), "key", inferred=Inferred(parts, "its name says so", 0.85, question))


def test_what_was_inferred_is_said_in_comments():
    schema = Schema(
        [inferred("a", ("role", "scale"), "is it?"), inferred("b", ("levels",)), inferred("c", ()),
         Attribute("d", Numeric(), "identifier", household=True)]
    )  # fmt: skip
    assert schema.inferred("role") == schema.inferred("scale") == ("a",)
    assert schema.inferred("levels") == ("b",)
    rest = 'role = "key"\nscale = "numeric"\n'
    assert schema.to_toml() == (
        "# inferred: role, scale (85 %): its name says so\n# QUESTION: is it?\n"
        f'[[attribute]]\nname = "a"\n{rest}\n'
        f'# inferred: levels (85 %): its name says so\n[[attribute]]\nname = "b"\n{rest}\n'
        f'[[attribute]]\nname = "c"\n{rest}\n'
        '[[attribute]]\nname = "d"\nrole = "identifier"\nscale = "numeric"\nhousehold = true\n'
    )
    told = schema.with_roles(a="confidential", d="key")
    assert told["a"].inferred.parts == ("scale",)
    assert told["a"].role == "confidential"
    assert (told["d"].household, told.household, schema.household) == (False, None, "d")
    assert schema.with_roles(d="identifier").household == "d"
    assert told["b"] is schema["b"]


def test_copies_keep_the_order_and_know_their_names():
    schema = Schema([Attribute(name, Numeric(), "key") for name in "abc"])
    changed = schema.replacing(Attribute("b", Nominal(["x"]), "other"), Attribute("a", Numeric(), "weight"))
    assert [(a.name, a.role) for a in changed] == [("a", "weight"), ("b", "other"), ("c", "key")]
    assert (changed.weight, schema.weight) == ("a", None)
    assert (len(changed), "b" in changed, "z" in changed) == (3, True, False)
    for change in (lambda: schema.replacing(Attribute("z", Numeric())), lambda: schema.select(["z", "a"]),
                   lambda: schema.with_roles(z="key"), lambda: schema[3]):  # fmt: skip
        with pytest.raises(UnknownNameError, match="no attribute named"):
            change()
    assert repr(changed) == "Schema(3 attributes: 1 weight, 1 other, 1 key)"
    assert "Schema of 3 attributes" in changed._repr_html_()


@pytest.mark.parametrize("fields", [{}, {"attribute": []}, {"attribute": {}}, {"attribute": [3]}])
def test_a_file_without_attributes_is_no_schema(fields):
    with pytest.raises(SchemaError, match="declares no"):
        Schema.from_dict(fields)
