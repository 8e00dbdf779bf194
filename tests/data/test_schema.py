from __future__ import annotations

import json
import pickle

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tests.battery import SCHEMA

from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import ROLES, Attribute, Schema
from discreet.errors import FileError, SchemaError, UnknownNameError

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
