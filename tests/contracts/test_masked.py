"""A release and how it came about: as JSON values, as a frame with its index, and in a notebook."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.masked import Masked, Provenance, release_of
from discreet.data.guarantees import Guarantee
from discreet.errors import ParameterError


def record(**given):
    whole = {"removed": ("id",), "changed": {"x": 3, "c": 1}, "details": {"d": 1}, "notes": ("A.",), "seed": 7}
    return Provenance("mdav", {"k": 2}, ("x", "c"), 4, **(whole | given))


PLAIN = {
    "method": "mdav", "parameters": {"k": 2}, "attributes": ["x", "c"], "removed": ["id"], "n_records": 4,
    "changed_cells": {"x": 3, "c": 1}, "details": {"d": 1}, "notes": ["A."],
}  # fmt: skip


def test_a_record_as_json_values_has_no_seed_unless_it_stays_in_the_house():
    assert record().to_dict() == PLAIN
    assert record().to_dict(internal=True) == PLAIN | {"seed": 7}
    promise = Guarantee("mdav", ("x",), 2)
    chain = record(history=(record(), record()), guarantees=(promise,))
    assert chain.to_dict() == PLAIN | {"guarantees": [promise.to_dict()], "steps": [PLAIN, PLAIN]}
    assert [step["seed"] for step in chain.to_dict(internal=True)["steps"]] == [7, 7]
    assert repr(record()) == "Provenance(mdav on x, c; 4 cells changed)"


def test_groups_are_told_by_number_and_size():
    assert record(labels=np.array([0, 0, 1, 0])).to_dict()["groups"] == {"count": 2, "smallest": 1, "largest": 3}
    blocks = np.array([[0, 0], [0, 1], [1, 2], [0, 2]])
    assert record(labels=blocks).to_dict()["groups"] == {
        "count": 5, "smallest": 1, "largest": 3,
        "blocks": [{"count": 2, "smallest": 1, "largest": 3}, {"count": 3, "smallest": 1, "largest": 2}],
    }  # fmt: skip


def frame(kind):
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("c", dc.Nominal(("a", "b")), "key")])
    return dc.microdata(kind({"x": [1.0, 2.0, 3.0, 4.0], "c": list("abab")}), schema)


def test_the_index_of_the_original_comes_back_where_it_is_asked_for():
    masked = Masked(frame(pd.DataFrame), record())
    index = pd.Index(["p", "q", "r", "s"])
    assert masked.to_native().index.tolist() == [0, 1, 2, 3]
    assert masked.to_native(index=index).index.tolist() == ["p", "q", "r", "s"]
    fewer = Masked(masked.microdata.take(np.array([3, 0])), record(rows=np.array([3, 0])))
    assert fewer.to_native(index=index).index.tolist() == ["s", "p"]
    with pytest.raises(ParameterError, match="index has 2 entries, and the original 4 records"):
        fewer.to_native(index=index[:2])
    with pytest.raises(ParameterError, match="index is for a release of a pandas frame"):
        Masked(frame(pl.DataFrame), record()).to_native(index=index)


def test_what_a_release_shows():
    masked = Masked(frame(pl.DataFrame), record(labels=np.array([0, 0, 1, 1])))
    assert (len(masked), masked.labels.tolist()) == (4, [0, 0, 1, 1])
    assert repr(masked) == "Masked(4 records by mdav: x, c)"
    page = masked._repr_html_()
    assert "<b>4 records masked by mdav</b>" in page
    assert re.findall(r"<t[hd][^>]*text-align:(left|right)[^>]*>([^<]*)</t[hd]>", page) == [
        ("left", "attribute"), ("right", "cells changed"),
        ("left", "x"), ("right", "3 of 4"),
        ("left", "c"), ("right", "1 of 4"),
    ]  # fmt: skip
    assert re.findall("<li>(.*?)</li>", page) == ["A."]
    assert "cells changed (%): 75; attribute: x" in masked.plot().svg


def test_the_schema_that_is_released_has_the_levels_that_occur():
    masked = Masked(frame(pl.DataFrame).take(np.array([0, 2])), record())
    assert masked.schema["c"].scale.levels == ("a",)
    assert masked.microdata.schema["c"].scale.levels == ("a", "b")


def test_a_survey_that_was_protected_holds_its_release():
    survey = dc.survey(pl.DataFrame({"x": [1.0, 2.0, 3.0, 9.0]}), keys=["x"], numeric=["x"])
    protected = survey.protect("mdav", k=2)
    assert release_of(protected) is protected.masked
    assert release_of(protected.masked) is protected.masked
    assert release_of(survey) is survey
    named = pl.DataFrame({"masked": [1]})
    assert release_of(named) is named
