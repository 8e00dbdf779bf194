from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.withholding.ghost_suppression import GhostSuppression

REGIONS = ("n", "e", "s", "w")
CODES = tuple(f"{region}{i}" for region in REGIONS for i in range(3))
SCHEMA = dc.Schema(
    [
        dc.Attribute("region", dc.Nominal(REGIONS), "key", missing=("?",)),
        dc.Attribute("trade", dc.Nominal(tuple("abcdef")), "key"),
        dc.Attribute("postcode", dc.Nominal(CODES), "other"),
        dc.Attribute("distance", dc.Numeric(), "other"),
        dc.Attribute("weight", dc.Numeric(), "weight"),
    ]
)


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    return pl.DataFrame(
        {
            "region": [REGIONS[r] for r in region],
            "trade": ["abcdef"[t] for t in rng.integers(0, 6, n)],
            "postcode": [f"{REGIONS[r]}{rng.integers(3)}" for r in region],
            "distance": region * 100.0 + rng.integers(0, 50, n) + 0.5,
            "weight": np.ones(n),
        }
    )


def test_an_intruder_reads_no_suppressed_region_off_its_twin(tmp_path):
    """Of every record whose region went, he reads the first letter of its postcode, and its distance by hundreds."""
    ghosts = {"region": ["postcode", "distance"]}
    first = dc.LocalSuppression(4, attributes=["region", "trade"], importance=["trade"], missing="wildcard")
    alone = dc.Chain([first])
    both = dc.Chain([*alone.steps, GhostSuppression(ghosts)])
    told = {}
    for name, chain in (("alone", alone), ("both", both)):
        dc.write(chain.mask(people(), SCHEMA), tmp_path / f"{name}.csv")
        with (tmp_path / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        gone = [row for row in rows if row["region"] in {"", "?"}]
        assert len(gone) > 5
        told[name] = sum(row["postcode"] != "" or row["distance"] != "" for row in gone)
        assert all(row["postcode"] and row["distance"] for row in rows if row not in gone)
    assert told["alone"] > 5
    assert told["both"] == 0


def test_counts_what_goes_and_hands_on():
    frame = people(20).with_columns(
        pl.when(pl.int_range(20) < 4).then(None).otherwise("region").alias("region"),
        pl.when(pl.int_range(20) == 0).then(None).otherwise("postcode").alias("postcode"),
    )
    masked = GhostSuppression({"region": ["postcode"], "postcode": ["distance"]}).mask(frame, SCHEMA)
    after = masked.to_native()
    assert masked.provenance.details["suppressed"] == {"postcode": 3, "distance": 4}
    assert after["postcode"].is_null().to_list() == [True] * 4 + [False] * 16
    assert after["distance"].is_null().to_list() == [True] * 4 + [False] * 16
    assert after["trade"].equals(frame["trade"])


def test_missing_codes_are_missing():
    frame = people(20).with_columns(pl.when(pl.int_range(20) < 4).then(pl.lit("?")).otherwise("region").alias("region"))
    masked = GhostSuppression({"region": ["distance"]}).mask(frame, SCHEMA)
    assert masked.provenance.details["suppressed"] == {"distance": 4}


def test_bad_input_is_refused():
    with pytest.raises(ParameterError, match="'weight' is the weight"):
        GhostSuppression({"region": ["weight"]}).mask(people(), SCHEMA)
    with pytest.raises(ParameterError, match="other attributes than the key 'region'"):
        GhostSuppression({"region": ["region"]}).mask(people(), SCHEMA)
    with pytest.raises(ParameterError, match="ghosts must be a mapping of names"):
        GhostSuppression({}).mask(people(), SCHEMA)


def test_transitions_say_that_values_stay_or_go():
    frame = people(40).with_columns(pl.when(pl.int_range(40) < 9).then(None).otherwise("region").alias("region"))
    masked = GhostSuppression({"region": ["postcode", "distance"]}).mask(frame, SCHEMA)
    assert list(masked.provenance.transitions) == ["postcode"], "numbers have none"
    expected = np.eye(13, dtype=bool)
    expected[:, 12] = True
    assert (masked.provenance.transitions["postcode"] == expected).all()


def test_what_a_ghost_cannot_be():
    schema = dc.Schema(
        [*SCHEMA, dc.Attribute("name", dc.Nominal(("u", "v")), "identifier"), dc.Attribute("path", dc.Sequence("ab"))]
    )
    for ghosts, said in [
        ({"region": ["name"]}, "ghosts must be attributes that can go missing; 'name' is the identifier."),
        ({"name": ["region"]}, "ghosts must be attributes that can go missing; 'name' is the identifier."),
        ({"region": ["path"]}, "ghosts must be nominal or numeric or ordinal; 'path' is sequence."),
        ({"path": ["region"]}, "ghosts must be nominal or numeric or ordinal; 'path' is sequence."),
    ]:
        with pytest.raises(ParameterError) as caught:
            GhostSuppression(ghosts).columns_for(schema)
        assert str(caught.value).startswith(f"GhostSuppression: {said}")


@pytest.mark.parametrize(
    ("ghosts", "keys"),
    [
        ({"a": ["b", "c"]}, {"b": ("a",), "c": ("a",)}),
        ({"a": ["b"], "b": ["c"]}, {"b": ("a",), "c": ("a", "b")}),
        ({"a": ["b"], "b": ["a"]}, {"b": ("a",), "a": ("b",)}),
        ({"a": ["c"], "b": ["c"]}, {"c": ("a", "b")}),
        ({"a": ["b", "c"], "b": ["c"], "c": ["b"]}, {"b": ("a", "c"), "c": ("a", "b")}),
    ],
)
def test_keys_that_an_attribute_goes_with(ghosts, keys):
    assert GhostSuppression(ghosts)._keys() == keys
