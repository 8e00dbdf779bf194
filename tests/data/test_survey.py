from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inference import propose_schema
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
