from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from discreet.data.inference import propose_schema
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
    import polars as pl

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
