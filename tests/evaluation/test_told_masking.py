"""What follows from the method of a release that was read from a file."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.masked import Masked, Provenance
from discreet.datasets import housing
from discreet.errors import DataError, ParameterError
from discreet.evaluation.told_masking import parse_masking, told
from discreet.io.reading import read_release

METHODS = [
    "rank-swapping p=8",
    "global-recoding p=2",
    "pram theta=0.6",
    "top-coding share=0.1",
    "mdav k=5",
    "kmodes k=4 n_vars=3",
    "mondrian k=5",
    "additive-noise",
]


@pytest.fixture(scope="module")
def original():
    return housing(300)


@pytest.mark.parametrize("text", METHODS)
def test_a_file_and_its_method_are_attacked_as_the_release_with_its_provenance(original, text, tmp_path):
    masked = parse_masking([text])[0].mask(original)
    dc.write(masked, tmp_path / "released.csv")
    release = read_release(tmp_path / "released.csv", original)
    # Other draws than those of the file: what is known follows from the original and the parameters alone.
    knowing = dc.attack(original, told(original, release, parse_masking([text])[0]), "masking-aware").evaluate()
    holding = dc.attack(original, masked, "masking-aware").evaluate()
    assert knowing.expected == pytest.approx(holding.expected)
    assert knowing.expected >= 0.99 * dc.attack(original, release).evaluate().expected


def test_nothing_that_was_drawn_is_kept(original):
    method = parse_masking(["pram theta=0.6"])[0]
    known = told(original, method.mask(original).microdata, method).provenance
    assert known.seed is None
    assert known.rows is None


def test_chains_are_told_step_by_step(original):
    chain = dc.Chain(parse_masking(["top-coding share=0.1", "rank-swapping p=5"]))
    release = chain.mask(original).microdata
    known = told(original, release, chain)
    assert [step.method for step in known.provenance.history] == ["top-coding", "rank-swapping"]
    assert all(step.seed is None for step in known.provenance.history)


def test_another_method_is_not_believed(original):
    first, *_ = original.schema["METRO"].scale.levels
    release = dc.LevelMap({"METRO": {first: "elsewhere"}}).mask(original).microdata
    with pytest.raises(DataError, match="is not what pram makes of the original"):
        told(original, release, dc.PRAM(0.5))


def test_what_was_left_alone_is_what_it_was():
    # The release differs on x alone, and an intruder who knows that looks among the two who share y.
    a = pl.DataFrame({"x": [1.0, 5.0, 5.2, 9.0], "y": ["p", "p", "q", "q"], "z": [1.0, 2.0, 3.0, 4.0]})
    b = pl.DataFrame({"x": [5.1, 1.2, 9.1, 5.0], "y": ["p", "p", "q", "q"], "z": [1.0, 2.0, 3.0, 4.0]})
    schema = dc.Schema(
        [
            dc.Attribute("x", dc.Numeric(), "key"),
            dc.Attribute("y", dc.Nominal(["p", "q"]), "key"),
            dc.Attribute("z", dc.Numeric(), "key"),
        ]
    )
    before, after = dc.microdata(a, schema), dc.microdata(b, schema)
    release = Masked(after, Provenance("made", {}, ("x",), 4))
    assert dc.MaskingAwareLinkage().link(before, release).best.tolist() == [0, 1, 2, 3]
    by_category = dc.MaskingAwareLinkage(attributes=["x", "y"]).link(before, release)
    assert by_category.best.tolist() == [1, 0, 3, 2]
    # Far on x, so that the distance alone would rather have another category.
    far = dc.microdata(pl.DataFrame({"x": [9.0, 9.1, 1.0, 1.1], "y": ["p", "p", "q", "q"], "z": [0.5] * 4}), schema)
    aware = dc.MaskingAwareLinkage(attributes=["x", "y"])
    assert aware.link(before, Masked(far, Provenance("made", {}, ("x",), 4))).best.tolist() == [1, 1, 2, 2]
    assert aware.link(before, Masked(far, Provenance("made", {}, ("x", "y"), 4))).best.tolist() != [1, 1, 2, 2]
    assert not np.array_equal(dc.DistanceLinkage().link(before, after).best, [0, 1, 2, 3])


def test_methods_are_read_as_typed():
    assert [one.label() for one in parse_masking(["mdav"], {"k": "7"})] == ["mdav(k=7)"]
    with pytest.raises(ParameterError, match="is written 'rank-swapping p=10'"):
        parse_masking(["rank-swapping 10"])
    with pytest.raises(ParameterError, match="Which of the 2 methods k belongs to"):
        parse_masking(["mdav", "ward"], {"k": "7"})


def small(**cells):
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("c", dc.Nominal(("p", "q")), "key")])
    whole = {"x": [1.0, 2.0, 3.0, 4.0], "c": list("ppqq")} | cells
    return dc.Microdata(pl.DataFrame(whole), schema.select(list(whole)))


class Made:
    """A method that gives what a test tells."""

    def __init__(self, table, **record):
        self.masked = Masked(table, Provenance("made", {}, ("x", "c"), 4, **record))

    def mask(self, _original):
        return self.masked


def test_a_release_without_a_masked_column_or_with_other_levels_is_named():
    made = Made(small())
    with pytest.raises(DataError) as said:
        told(small(), small().select(["x"]), made)
    assert "Column 'c' is not what made makes of the original with these parameters: the release lacks it." in str(
        said.value
    )
    wider = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("c", dc.Nominal(("p", "z")), "key")])
    other = dc.Microdata(pl.DataFrame({"x": [1.0] * 4, "c": list("ppzz")}), wider)
    with pytest.raises(DataError) as said:
        told(small(), other, made)
    assert "Column 'c' is not what made" in str(said.value)
    assert "it holds levels that the method does not release." in str(said.value)


def test_labels_are_kept_where_as_many_records_are_released_and_seeds_never():
    labels = np.array([0, 0, 1, 1])
    steps = (Provenance("a", {}, ("x",), 4, seed=5), Provenance("b", {}, ("c",), 4, seed=6))
    made = Made(small(), labels=labels, seed=7, rows=np.arange(4), history=steps)
    found = told(small(), small(), made).provenance
    assert (found.labels.tolist(), found.seed, found.rows, found.n_records) == ([0, 0, 1, 1], None, None, 4)
    assert [(step.method, step.seed) for step in found.history] == [("a", None), ("b", None)]
    fewer = told(small(), small().take([0, 1]), made).provenance
    assert (fewer.labels, fewer.n_records) == (None, 2)


def test_parameters_that_were_typed_apart_belong_to_a_single_method():
    assert [one.label() for one in parse_masking(["mdav"], {"k": "7"})] == ["mdav(k=7)"]
    assert [one.label() for one in parse_masking(["mdav k=4"], {"k": "7"})] == ["mdav(k=4)"]
    with pytest.raises(ParameterError, match="Which of the 2 methods k belongs to is not said"):
        parse_masking(["mdav", "pram"], {"k": "7"})
