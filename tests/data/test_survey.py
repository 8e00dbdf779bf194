from __future__ import annotations

from dataclasses import replace

import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inference import propose_schema
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.survey import Declaration, complete
from discreet.errors import ParameterError, SchemaError


@pytest.fixture
def people() -> pl.DataFrame:
    n = 60
    return pl.DataFrame(
        {
            "age": [20 + i % 41 for i in range(n)],
            "region_now": [1 + i % 3 for i in range(n)],
            "region_born": [1 + i % 4 for i in range(n)],
            "turnover": [1000.5 + 13 * i for i in range(n)],
            "home": [i // 3 for i in range(n)],
            "w": [1.5 + i % 5 for i in range(n)],
            "remark": [f"note {i}" for i in range(n)],
        }
    )


def roles(table):
    return {a.name: a.role for a in table.schema}


def test_one_line_gives_every_role(people):
    table = dc.survey(
        people, keys=["age", "region*"], confidential="turnover", weight="w", household="home", others="drop"
    )
    assert roles(table) == {
        "age": "key", "region_now": "key", "region_born": "key", "turnover": "confidential", "home": "identifier",
        "w": "weight", "remark": "identifier",
    }  # fmt: skip
    assert table.schema.household == "home"
    assert table.schema["home"].scale.levels == ("",), "who lives where is not written into a schema"
    assert table.schema.inferred("role") == ()


def test_a_name_goes_before_a_pattern_and_two_lists_are_refused(people):
    table = dc.survey(people, keys="region*", strata="region_born")
    assert table.schema["region_born"].role == "stratum"
    with pytest.raises(SchemaError, match="'age' is listed in keys and in confidential"):
        dc.survey(people, keys="age", confidential="age")
    with pytest.raises(SchemaError, match="listed in keys and in strata"):
        dc.survey(people, keys="region*", strata="region_b*")


def test_levels_are_taken_from_the_data(people):
    table = dc.survey(people, keys=["region_now"], nominal="region*")
    assert table.schema["region_now"].scale == dc.Nominal([1, 2, 3])
    assert table.schema["region_now"].inferred.parts == ("levels",)


def test_a_list_that_is_given_is_whole(people):
    whole = dc.survey(people, keys="region_now")
    assert whole.schema.keys == ("region_now",)
    assert whole.schema["age"].inferred is not None
    assert "role" in whole.schema["age"].inferred.parts


def test_what_looks_like_an_identifier_stays_one_unless_it_is_named(people):
    assert dc.survey(people, keys="age", others="other").schema["remark"].role == "identifier"
    named = dc.survey(people, keys=["age", "remark"], others="other")
    assert named.schema["remark"].role == "key"
    assert len(named.schema["remark"].scale.levels) == 60


def test_a_partial_schema_is_completed_and_says_so(people, tmp_path):
    path = tmp_path / "some.toml"
    path.write_text(
        '[[attribute]]\nname = "turnover"\nrole = "confidential"\nscale = "numeric"\n\n'
        '[[attribute]]\nname = "region_now"\nrole = "key"\nscale = "nominal"\n\n'
        '[[attribute]]\nname = "age"\nrole = "key"\n'
    )
    table = dc.survey(people, schema=path)
    assert table.schema["turnover"].inferred is None
    assert table.schema["region_now"].inferred.parts == ("levels",)
    assert table.schema["age"].inferred.parts == ("scale",)
    assert set(table.schema.inferred("role")) == {"region_born", "home", "w", "remark"}
    assert "inferred" in repr(table)
    text = table.schema.to_toml()
    assert text.count("# inferred: role") == 4
    assert "# inferred: levels" in text
    assert dc.Schema.from_toml(text) == table.schema, "what is written can be read as a whole schema"


def test_keys_beside_a_file_that_declares_more_of_them_are_refused(people, tmp_path):
    path = tmp_path / "some.toml"
    tables = [f'[[attribute]]\nname = "{name}"\nrole = "key"\n' for name in ("age", "home")]
    path.write_text("\n".join(tables))
    with pytest.raises(
        SchemaError, match="1 column is listed in keys, and the schema declares 1 more, the first 'home'"
    ):
        dc.survey(people, keys="age", schema=path)
    both = dc.survey(people, keys=["age", "home"], schema=path).schema
    assert both.keys == dc.survey(people, schema=path, others="other").schema.keys


def test_flags_and_a_file_must_agree(people, tmp_path):
    path = tmp_path / "some.toml"
    path.write_text('[[attribute]]\nname = "age"\nrole = "key"\nscale = "numeric"\n')
    with pytest.raises(SchemaError, match="listed in confidential, and the schema gives it another role"):
        dc.survey(people, confidential="age", schema=path)
    with pytest.raises(SchemaError, match="listed as nominal, and the schema gives it another scale"):
        dc.survey(people, nominal="age", schema=path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keys": ["agge"]}, "Did you mean 'age'"),
        ({"keys": ["zz*"]}, "'zz"),
        ({"weight": "region*"}, "weight must be one column"),
        ({"others": "confidental"}, "Did you mean 'confidential'"),
        ({"others": "weight"}, "others must be one of"),
        ({"keys": [3]}, "keys must list names"),
        ({"household": ""}, "household must be the name of one column"),
        ({"ordinal": "remark", "keys": "remark"}, "the order of its 60 levels is not known"),
        ({"weight": "remark"}, "'remark': 60 of 60 values are not numbers"),
    ],
)
def test_bad_declarations_are_one_sentence_without_a_value(people, options, message):
    with pytest.raises((SchemaError, ParameterError, dc.DiscreetError), match=message) as caught:
        dc.survey(people, **options)
    assert "note 1" not in str(caught.value)


def test_every_frame_is_declared_alike(people):
    frames = [people, people.to_pandas(), people.to_arrow()]
    schemas = [dc.survey(frame, keys="age", weight="w").schema for frame in frames]
    assert schemas[0] == schemas[1] == schemas[2]


def test_one_household_which_is_an_identifier():
    with pytest.raises(SchemaError, match="one household; 2 are declared"):
        dc.Schema([dc.Attribute(n, dc.Nominal([""]), "identifier", household=True) for n in "ab"])
    with pytest.raises(SchemaError, match="is an identifier"):
        dc.Attribute("a", dc.Nominal([1]), "key", household=True)
    schema = dc.Schema([dc.Attribute("a", dc.Nominal([""]), "identifier", household=True)])
    assert dc.Schema.from_toml(schema.to_toml()).household == "a"


def test_missing_codes_that_were_told_are_counted():
    table = pa.table({"age": [31, 45, -9, -9], "sex": ["f", "m", "f", "m"]})
    told = Declaration(attributes=({"name": "age", "role": "key", "missing": [-9]},))
    proposal = complete(propose_schema(table), told, table)
    assert proposal.missing["age"] == 2
    assert proposal.schema["age"].missing == (-9,)


def declared(frame, told, states=None):
    table = frame.to_arrow()
    return complete(propose_schema(table), told, table, states)


@pytest.mark.parametrize(
    ("options", "told", "only_attributes", "arguments"),
    [
        ({}, False, True, []),
        ({"keys": "a"}, True, False, ["keys=['a']"]),
        ({"keys": ["a", "b"], "weight": "w"}, True, False, ["keys=['a', 'b']", "weight='w'"]),
        ({"household": "h", "others": "drop"}, True, False, ["household='h'", "others='drop'"]),
        ({"attributes": ({"name": "a"},)}, True, True, []),
        ({"attributes": ({"name": "a"},), "file": "s.toml"}, True, True, ["schema='s.toml'"]),
        ({"queries": "q", "states": "m1..m9"}, True, False, ["queries=['q']", "states=['m1..m9']"]),
    ],
)
def test_what_was_said_and_how_a_script_says_it(options, told, only_attributes, arguments):
    declaration = Declaration(**options)
    assert declaration.told is told
    assert declaration.only_attributes is only_attributes
    assert declaration.as_arguments() == arguments


def test_a_declaration_from_itself_a_schema_a_file_or_nothing(tmp_path):
    one = Declaration(keys="a", file="old.toml")
    assert Declaration.of(one) is one
    assert Declaration.of(None) == Declaration()
    empty = Declaration()
    assert Declaration.of(empty) == empty
    schema = dc.Schema([dc.Attribute("a", dc.Nominal([1, 2]), "key")])
    assert Declaration.of(schema) == Declaration(attributes=(schema["a"].to_dict(),))
    path = tmp_path / "some.toml"
    path.write_text('[[attribute]]\nname = "b"\n')
    assert Declaration.of(path) == Declaration(attributes=({"name": "b"},), file=str(path))
    both = Declaration(keys="a", attributes=({"name": "c"},), file="old.toml").and_file(path)
    assert both == Declaration(keys="a", attributes=({"name": "b"}, {"name": "c"}), file=str(path))
    assert one.and_file(schema) == Declaration(keys="a", attributes=(schema["a"].to_dict(),), file="old.toml")
    for text in ("", "attribute = 3", "attribute = []", "attribute = [3]"):
        path.write_text(text)
        with pytest.raises(SchemaError, match="declares no"):
            Declaration.of(path)


@pytest.mark.parametrize(
    ("tables", "whole"),
    [
        ([{"name": "a", "scale": "numeric"}, {"name": "b", "scale": "nominal", "levels": [1]}], True),
        ([{"name": "a", "scale": "numeric"}, {"name": "b", "scale": "nominal"}], False),
        ([{"name": "a", "scale": "numeric"}, {"name": "b", "scale": "ordinal"}], False),
        ([{"name": "a", "scale": "numeric"}, {"name": "b"}], False),
        ([{"name": "a", "scale": "numeric"}], False),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "sequence"}], True),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "sequence", "columns": ["m1", "m2"]}], False),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "sequence", "columns": ["m"], "alphabet": [1]}], True),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "series", "step": 1}], False),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "series", "step": 1, "span": 2}], True),
        ([{"name": "a", "scale": "date"}, {"name": "b", "scale": "nothing known"}], True),
        ([{"name": c, "scale": "numeric"} for c in "abc"], True),
        ([*({"name": c, "scale": "numeric"} for c in "abc"), {"name": "d"}], False),
    ],
)
def test_a_schema_is_whole_if_every_column_has_its_scale_and_levels(tables, whole):
    assert Declaration(attributes=tuple(tables)).is_whole(["a", "b"]) is whole


def test_columns_that_are_named_by_themselves():
    told = Declaration(
        keys="age", confidential="pay*", identifiers="id", strata="land", weight="w", household="home",
        ordinal="size", trajectory="way", attributes=({"name": "sex"}, {"name": "work", "columns": ["m1", "m2"]}, {}),
    )  # fmt: skip
    assert told.names() == ("sex", "m1", "m2")
    named = ["age", "pay", "pay2", "id", "land", "w", "home", "size", "way", "sex", "m1", "m2"]
    assert all(told.speaks_of(name) for name in named)
    assert not any(told.speaks_of(name) for name in ("", "Age", "apay", "work", "homes", "m3"))
    assert not Declaration().speaks_of("age")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": 3}, "weight must be the name of one column"),
        ({"weight": ""}, "weight must be the name of one column"),
        ({"household": ["a"]}, "household must be the name of one column"),
        ({"keys": [""]}, "keys must list names of columns"),
        ({"series": [None]}, "series must list names of columns"),
        ({"states": [3]}, "states must list names of columns"),
        ({"others": "stratum"}, "others must be one of key, confidential, identifier, other, drop"),
    ],
)
def test_what_is_no_name_of_a_column_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        Declaration(**options)


def test_a_pattern_for_one_column_may_fit_one_or_be_a_name():
    frame = pl.DataFrame({"w*": [1.5, 2.5], "w1": [2.5, 1.5], "home": [1, 2], "age": [31, 40]})
    assert dc.survey(frame, weight="w*").schema.weight == "w*"
    assert dc.survey(frame, weight="w[1]").schema.weight == "w1"
    assert dc.survey(frame, household="h*").schema.household == "home"
    with pytest.raises(SchemaError, match="household must be one column; the pattern fits several"):
        dc.survey(frame, household="*")


def roles_and_reasons(proposal):
    return {a.name: (a.role, proposal.reasons[a.name].split(";")[0]) for a in proposal.schema}


def test_the_role_of_a_column_and_why(people):
    guessed = {a.name: a.role for a in propose_schema(people.to_arrow()).schema}
    assert guessed["age"] == "key"
    assert guessed["w"] == "weight"
    assert guessed["remark"] == "identifier"
    told = Declaration(
        keys="region_now",
        weight="turnover",
        attributes=({"name": "home", "scale": "numeric"}, {"name": "w", "label": "W"}),
    )
    found = roles_and_reasons(declared(people, told))
    assert found["region_now"] == ("key", "named")
    assert found["turnover"] == ("weight", "named")
    assert found["home"] == ("other", "declared")
    assert found["w"] == ("other", "it looks like a weight, but others were named")
    assert found["age"] == ("other", "it looks like a key, but others were named")
    assert found["remark"][0] == "identifier"
    others = roles_and_reasons(declared(people, Declaration(keys="age", others="confidential")))
    assert others["region_now"] == ("confidential", "as all others")
    assert others["remark"][0] == "identifier"
    drop = roles_and_reasons(declared(people, Declaration(keys="age", others="drop")))
    assert drop["region_now"] == ("identifier", "as all others")
    states = declared(people, Declaration(), {"region_now": "sequence"})
    assert roles_and_reasons(states)["region_now"] == ("key", "named as states")
    assert states.schema["region_now"].inferred is None


def test_a_household_that_is_named_is_the_only_one(people):
    frame = people.rename({"home": "household_id"})
    guess = propose_schema(frame.to_arrow()).schema
    assert guess.household == "household_id"
    assert declared(frame, Declaration(keys="age")).schema.household == "household_id"
    assert declared(frame, Declaration(household="region_now")).schema.household == "region_now"
    other = Declaration(attributes=({"name": "region_now", "role": "identifier", "household": True},))
    assert declared(frame, other).schema.household == "region_now"
    key = declared(frame, Declaration(keys="household_id")).schema
    assert (key.household, key["household_id"].role) == (None, "key")


def test_what_is_declared_goes_before_what_is_inferred(people):
    told = Declaration(
        numeric="region_born",
        attributes=(
            {"name": "age", "scale": "ordinal", "missing": 60},
            {"name": "region_now", "scale": "nominal", "levels": [1, 2, 3], "role": "key", "label": "Now"},
            {"name": "turnover", "missing": [1000.5], "label": "Sales"},
        ),
    )
    proposal = declared(people, told)
    schema = proposal.schema
    assert schema["age"].scale == dc.Ordinal(range(20, 60))
    assert (schema["age"].missing, schema["age"].role, schema["age"].inferred.parts) == (
        (60,), "other", ("role", "levels"),
    )  # fmt: skip
    assert proposal.missing["age"] == 1
    assert schema["region_now"] == dc.Attribute("region_now", dc.Nominal([1, 2, 3]), "key", label="Now")
    assert (schema["region_now"].inferred, proposal.reasons["region_now"]) == (None, "declared")
    assert schema["region_born"].scale == dc.Numeric()
    assert schema["region_born"].inferred.parts == ("role",)
    assert (schema["turnover"].label, schema["turnover"].missing, proposal.missing["turnover"]) == (
        "Sales", (1000.5,), 1,
    )  # fmt: skip
    assert schema["turnover"].inferred.parts == ("role", "scale")
    assert schema["w"].inferred.parts == ("role",), "a weight is a number, which nobody has to confirm"


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (({"role": "key"},), "Every .* needs a name"),
        (({"name": "age", "rolle": "key"},), "'age': unknown field 'rolle'.* Did you mean 'role'"),
        (({"name": "age"}, {"name": "age"}), "'age' is declared twice"),
        (({"name": "aeg", "role": "key"}, {"name": "x"}, {"name": "y", "role": "identifier"}),
         "declares 2 attributes that the table lacks, the first 'aeg'.* Did you mean 'age'"),
    ],
)  # fmt: skip
def test_attributes_that_fit_no_table(people, attributes, message):
    with pytest.raises(SchemaError, match=message):
        declared(people, Declaration(attributes=attributes))
    absent = Declaration(attributes=({"name": "y", "role": "identifier"},))
    assert declared(people, absent).schema.names == tuple(people.columns)


def test_several_keys_beside_a_schema_are_counted(people):
    more = tuple({"name": name, "role": "key"} for name in ("age", "home", "w"))
    with pytest.raises(SchemaError, match="2 columns are listed in keys, and the schema declares 2 more, .* 'home'"):
        declared(people, Declaration(keys=["age", "remark"], attributes=more))
    assert declared(people, Declaration(strata="remark", attributes=more)).schema.keys[:1] == ("age",)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([1.0, 0.0, 2.0], "of 3 weights 0 are missing, 1 are zero and 0 are negative"),
        ([-1.0, -2.0, 2.0], "of 3 weights 0 are missing, 0 are zero and 2 are negative"),
        ([None, 3.0, 2.0], "of 3 weights 1 are missing, 0 are zero and 0 are negative"),
    ],
)
def test_weights_above_zero_are_needed_where_they_are_named(cells, told):
    frame = pl.DataFrame({"age": [1, 2, 3], "w": cells})
    with pytest.raises(dc.DiscreetError, match=f"Column 'w': {told}"):
        declared(frame, Declaration(weight="w"))


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        (pl.Series([2.0, 1.0, None]), "nominal", (1, 2)),
        (pl.Series([2.5, 1.0, None]), "nominal", (1.0, 2.5)),
        (pl.Series(["b", "a", "b"]), "nominal", ("a", "b")),
        (pl.Series([3, 1, 2]), "ordinal", (1, 2, 3)),
        (pl.Series([None, None, None], dtype=pl.Int64), "nominal", ("",)),
        (pl.Series(["2", "2", "2"]).cast(pl.Decimal(5, 2)), "nominal", ("2.00",)),
        (pl.Series(["2020-01-02", "2020-01-01", None]).str.to_date(), "nominal", ("2020-01-01", "2020-01-02")),
        (pl.Series(["z", "a", "z"]).cast(pl.Enum(["z", "m", "a"])), "ordinal", ("z", "m", "a")),
    ],
)
def test_levels_that_nobody_listed_are_those_of_the_column(column, kind, levels):
    frame = pl.DataFrame({"x": column, "n": [1.5, 2.5, 3.5]})
    schema = declared(frame, Declaration(**{kind: "x"}, keys="x")).schema
    assert schema["x"].scale == {"nominal": dc.Nominal, "ordinal": dc.Ordinal}[kind](levels)
    assert schema["x"].inferred.parts == ("levels",)


WAYS = pl.DataFrame({"way": [["b", "a"], ["a"], None, ["a", "c"]], "n": [1.5, 2.5, 3.5, 4.5]})
ABC = ("a", "b", "c")


@pytest.mark.parametrize(
    ("told", "scale", "parts"),
    [
        ({}, dc.Sequence(ABC), ("scale",)),
        ({"scale": "sequence"}, dc.Sequence(ABC), None),
        ({"scale": "sequence", "delimiter": ">"}, dc.Sequence(ABC, ">"), None),
        ({"scale": "sequence", "alphabet": ["c", "b", "a", "z"]}, dc.Sequence(("c", "b", "a", "z")), None),
        ({"scale": "items"}, dc.ItemSet(ABC), ("levels",)),
        ({"scale": "items", "alphabet": ["c", "b", "a"]}, dc.ItemSet(("c", "b", "a")), None),
        ({"scale": "items", "delimiter": ">"}, dc.ItemSet(ABC, ">"), ("levels",)),
    ],
)
def test_events_that_nobody_listed_are_those_of_the_column(told, scale, parts):
    attribute = declared(WAYS, Declaration(keys="way", attributes=({"name": "way", **told},))).schema["way"]
    assert attribute.scale == scale
    assert (attribute.inferred.parts if attribute.inferred else None) == parts


def test_missing_codes_are_no_events_and_what_holds_none_is_refused_by_name():
    texts = pl.DataFrame({"basket": ["b a", "none", "a c"], "n": [1.5, 2.5, 3.5]})
    told = Declaration(items="basket", keys="basket", attributes=({"name": "basket", "missing": ["none"]},))
    assert declared(texts, told).schema["basket"].scale == dc.ItemSet(ABC)
    assert declared(texts, Declaration(items="basket")).schema["basket"].scale == dc.ItemSet((*ABC, "none"))
    with pytest.raises(dc.DiscreetError, match="Column 'n': "):
        declared(texts, Declaration(items="n"))


def test_ranges_of_columns_are_tables_of_states_or_of_readings():
    columns = ["id", "m1", "m2", "m3", "r1", "r2", "load"]
    told = Declaration(
        states=["work=m1..m2", "m2,m3"],
        series=["r1..r2", "load"],
        attributes=({"name": "way", "scale": "sequence", "columns": ["m1", "m3"]}, {"name": "id"}),
    )
    assert [(one.name, one.columns, one.scale) for one in told.state_tables(columns)] == [
        ("work", ("m1", "m2"), "sequence"), ("m2..m3", ("m2", "m3"), "sequence"), ("r1..r2", ("r1", "r2"), "series"),
        ("way", ("m1", "m3"), "sequence"),
    ]  # fmt: skip
    assert Declaration(series="load").state_tables(columns) == []


def test_readings_in_cells_and_in_columns_are_told_in_one_list():
    frame = pl.DataFrame({"r1": [1.5, 2.5], "r2": [2.0, 3.5], "load": ["1;2.5", "3;4"], "age": [31, 40]})
    schema = dc.survey(frame, series=["heat=r1..r2", "load"], keys=["heat", "load"], others="other").schema
    assert schema.names == ("heat", "load", "age")
    assert schema["heat"].scale == dc.TimeSeries(0.1, 2.0, columns=("r1", "r2"))
    assert schema["load"].scale == dc.TimeSeries(0.1, 3.0, ";")
    assert schema["age"].scale.name != "series"


def test_a_question_about_a_scale_is_asked_until_somebody_tells_it():
    frame = pl.DataFrame({f"q{i}": [1, 2, 3, 7, 9] * 40 for i in range(1, 4)})
    guess = propose_schema(frame.to_arrow()).schema["q1"].inferred
    assert guess.question
    named = declared(frame, Declaration(keys="q*")).schema["q1"].inferred
    assert (named.parts, named.question, named.holds_for) == (("scale",), guess.question, guess.holds_for)
    assert named.reason.startswith("named; ")
    told = declared(frame, Declaration(ordinal="q1")).schema["q1"].inferred
    assert (told.parts, told.question, told.holds_for) == (("role", "levels"), "", "")
    codes = pl.DataFrame({"strat": [1, 1, 2, 2], "n": [1.5, 2.5, 1.5, 2.5]})
    assert declared(codes, Declaration(keys="strat")).schema["strat"].inferred.holds_for == "code"
    assert declared(codes, Declaration(nominal="strat")).schema["strat"].inferred.holds_for == ""


def test_a_proposal_that_was_declared_already_can_be_told_more():
    frame = pl.DataFrame({"x": [1.5, 2.5], "y": [1.5, 2.5]}).to_arrow()
    plain = replace(propose_schema(frame), schema=dc.Schema([dc.Attribute(n, dc.Numeric(), "key") for n in "xy"]))
    attribute = complete(plain, Declaration(confidential="y"), frame).schema["x"]
    assert (attribute.inferred.parts, attribute.inferred.question) == (("role", "scale"), "")


def test_levels_that_were_told_stand_and_a_level_is_no_missing_code():
    frame = pl.DataFrame({"fuel": ["gas", "?", "oil"] * 5, "size": [1, 2, 2] * 5})
    assert declared(frame, Declaration(keys="fuel")).schema["fuel"].missing == ("?",)
    bounds = {"low": [0, 5, 9], "high": [5, 9, 12]}
    told = Declaration(
        keys=["fuel", "size"],
        attributes=(
            {"name": "fuel", "scale": "nominal", "levels": ["gas", "oil", "?"]},
            {"name": "size", "scale": "ordinal", "levels": [1, 2, 3], "semantics": bounds},
        ),
    )
    schema = declared(frame, told).schema
    assert (schema["fuel"].scale, schema["fuel"].missing) == (dc.Nominal(["gas", "oil", "?"]), ())
    assert schema["size"].scale == dc.Ordinal([1, 2, 3], IntervalSemantics((0, 5, 9), (5, 9, 12)))
    assert schema["fuel"].inferred is schema["size"].inferred is None
    fewer = Declaration(keys="fuel", attributes=({"name": "fuel", "scale": "nominal", "levels": ["gas", "oil"]},))
    assert declared(frame, fewer).schema["fuel"].missing == ("?",)


def test_what_was_declared_is_not_changed_by_its_tables():
    tables = [{"name": "a"}]
    told = Declaration(attributes=tables)
    tables[0]["role"] = "key"
    assert told.attributes == ({"name": "a"},)
    assert told == Declaration(attributes=({"name": "a"},))
