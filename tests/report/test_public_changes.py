"""What data users are told of how much was changed: by column, by group, and by choice; never a seed."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Attribute, Nominal, Numeric, Schema, workflow
from discreet.data.microdata import Microdata
from discreet.errors import ParameterError, SchemaError
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step

SEED = 918273645


def survey(n=200):
    rng = np.random.default_rng(4)
    region = np.array(["north"] * (n // 2) + ["south"] * (n // 2 - 4) + ["isle"] * 4)
    frame = pl.DataFrame(
        {
            "region": region,
            "job": rng.choice(list("abcdefgh"), n, p=[0.4, 0.3, 0.1, 0.1, 0.04, 0.03, 0.02, 0.01]),
            "home": rng.choice(["own", "rent", "other"], n),
            "age": rng.integers(18, 80, n).astype(float),
        }
    )
    schema = Schema(
        [
            Attribute("region", Nominal(["north", "south", "isle"]), "stratum"),
            Attribute("job", Nominal(list("abcdefgh")), "key"),
            Attribute("home", Nominal(["own", "rent", "other"]), "key"),
            Attribute("age", Numeric(), "confidential"),
        ]
    )
    return Microdata(frame, schema)


def told(table, masked, folder, **choices):
    """Return the external report as JSON values and as text."""
    paths = {"json": folder / "external.json", "html": folder / "external.html"}
    dc.write_report(table, masked, dc.assess(table, masked), **paths, audience="external", **choices)
    return json.loads(paths["json"].read_text()), paths["json"].read_text() + paths["html"].read_text()


def test_changes_by_column_and_suppressions_by_group(tmp_path):
    table = survey()
    masked = dc.methods("masker")["local-suppression"](k=6).mask(table)
    gone = {n: int((masked.microdata.missing(n) & ~table.missing(n)).sum()) for n in ("job", "home")}
    assert sum(gone.values()) > 10
    figures, text = told(table, masked, tmp_path)
    by_name = {one["attribute"]: one for one in figures["changes"]}
    for name, count in gone.items():
        assert by_name[name]["suppressed"] == (count if count == 0 or count >= 10 else None)
    assert by_name["age"]["changed"] == 0
    groups = {one["level"]: one for one in figures["suppressions"]}
    assert {"north", "south"} <= set(groups)
    assert "isle" not in groups  # four records
    for one in groups.values():
        assert one["percent"] is None or one["percent"] == round(one["percent"])
    assert str(SEED) not in text
    assert figures["loss"]["mean"] > 0


def test_a_changed_confidential_column_is_not_a_loss_of_nothing(tmp_path):
    table = survey()
    masked = dc.methods("masker")["mdav"](k=5, attributes=["age"]).mask(table)
    figures, _ = told(table, masked, tmp_path)
    assert figures["loss"]["mean"] > 0
    assert figures["loss"]["most_in"] == "age"


@pytest.mark.parametrize(
    ("method", "choice", "field"), [("additive-noise", "noise", "noise_level"), ("pram", "pram", "matrices")]
)
def test_parameters_are_told_by_choice_alone(method, choice, field, tmp_path):
    table = survey()
    given = {"attributes": ["age"], "level": 0.25} if method == "additive-noise" else {"attributes": ["home"]}
    masked = dc.methods("masker")[method](random_state=SEED, **given).mask(table)
    silent, text = told(table, masked, tmp_path)
    assert field not in silent["steps"][0]
    figures, chosen = told(table, masked, tmp_path, tell=[choice])
    assert figures["steps"][0][field]
    assert str(SEED) not in text + chosen
    if choice == "pram":
        (matrix,) = figures["steps"][0]["matrices"]
        assert np.allclose(np.sum(matrix["matrix"], axis=1), 1.0, atol=1e-3)
    with pytest.raises(ParameterError, match="tell"):
        told(table, masked, tmp_path, tell=["seed"])


def test_the_protocol_says_what_is_told(tmp_path):
    table = survey()
    plan = Protocol(
        table.schema,
        [Step("additive-noise", {"attributes": ["age"], "level": 0.25})],
        seed=SEED,
        release={"external": "external.html"},
        public={"domains": ["region"], "tell": ["noise"]},
    )
    assert Protocol.from_toml(plan.to_toml()) == plan
    run = workflow.run(plan, original=table)
    run.write(tmp_path)
    page = (tmp_path / "external.html").read_text()
    assert "Level of the noise: 0.25" in page
    assert str(SEED) not in page
    with pytest.raises(SchemaError, match="tell"):
        Protocol(table.schema, public={"tell": ["seed"]})
    with pytest.raises(SchemaError, match="levels"):
        Protocol(table.schema, public={"domains": ["age"]})
