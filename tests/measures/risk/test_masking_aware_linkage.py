from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.contracts.masked import Masked
from discreet.errors import DataError
from discreet.evaluation import intruder_view
from discreet.measures.risk.masking_aware_linkage import MaskingAwareLinkageRisk


def test_it_is_the_linker_told_how_the_file_was_masked():
    data = microdata(120)
    masked = dc.RankSwapping(p=10, random_state=3).mask(data)
    told = dc.measure(data, masked, "masking-aware-linkage")[0]
    names = data.schema.of_scale("numeric", "ordinal", "nominal", among=data.schema.keys)
    links = dc.attack(data, masked, "masking-aware", attributes=names)
    assert told.value == pytest.approx(100 * links.evaluate().rate)
    assert told.value > dc.measure(data, masked, "distance-linkage")[0].value
    assert "how the file was masked" in told.sentence
    assert dc.assess(data, masked).score.risk >= told.value


def test_without_knowing_it_says_so():
    data = microdata(60)
    with pytest.raises(DataError, match="not known here.*--method, --protocol or a manifest"):
        MaskingAwareLinkageRisk().measure(data, data)
    assert MaskingAwareLinkageRisk(p=10).measure(data, data).value > 0


def test_a_method_that_rules_nothing_out_leaves_it_to_the_distance():
    data = microdata(60)
    names = list(data.schema.of_scale("numeric", among=data.schema.keys))
    masked = dc.AdditiveNoise(level=0.1, attributes=names, random_state=1).mask(data)
    with pytest.raises(DataError, match="rules nothing out"):
        MaskingAwareLinkageRisk(attributes=names).measure(data, masked)


def test_an_intruder_whose_linkers_are_named_links_by_them_alone():
    data = microdata(60)
    masked = dc.RankSwapping(p=10, random_state=3).mask(data)
    known = data.schema.of_scale("numeric", "ordinal", "nominal", among=data.schema.keys)
    plain = dc.assess(data, masked, intruders=[dc.Intruder("one", known, ("distance",))])["one"]
    assert {m.name for m in plain.of_kind("risk") if "linkage" in m.name} == {"distance-linkage"}
    aware = dc.assess(data, masked, intruders=[dc.Intruder("all", known)])["all"]
    assert aware.score.risk >= plain.score.risk
    assert [m.name for m in aware.measurements].count("masking-aware-linkage") == 1


def suppressed(gone):
    """Return 90 people by town, job and age, and the same where the age of some was suppressed."""
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({
        "town": rng.choice(["a", "b", "c", "d"], 90), "job": rng.choice(["u", "v", "w"], 90),
        "age": rng.normal(50, 15, 90).round(),
    })  # fmt: skip
    schema = dc.Schema([
        dc.Attribute("town", dc.Nominal("abcd"), "key"), dc.Attribute("job", dc.Nominal("uvw"), "key"),
        dc.Attribute("age", dc.Numeric(), "key"),
    ])  # fmt: skip
    data = dc.microdata(frame, schema)
    ages = pl.when(pl.Series(gone)).then(None).otherwise(pl.col("age")).alias("age")
    known = dc.LocalSuppression(k=2).mask(data).provenance
    return data, Masked(dc.microdata(frame.with_columns(ages), schema), known)


def test_a_key_that_was_wiped_out_is_left_out():
    data, masked = suppressed(np.ones(90, dtype=bool))
    told, plain = dc.measure(data, masked, ["masking-aware-linkage", "distance-linkage"])
    without = dc.attack(data, masked, "masking-aware", attributes=["town", "job"]).evaluate()
    assert told.details["expected"] == pytest.approx(without.expected)
    assert without.expected == pytest.approx(
        12
    )  # a guess in each of the groups by town and job, of which none is empty
    assert told.value >= plain.value - 1e-9
    assert told.details["emptied"] == ["age"]
    assert told.sentence.endswith("He leaves out what is missing in every released record: age.")
    for linker in ("masking-aware", "distance", "probabilistic"):
        links = dc.attack(data, masked, linker)
        assert links.attributes == ("town", "job")
        assert links.evaluate().expected > 9


def test_a_number_that_some_lost_can_have_been_theirs():
    """The key that says where a number is missing is no key that was left alone."""
    gone = np.arange(90) % 2 == 0
    data, masked = suppressed(gone)
    told = dc.measure(data, masked, "masking-aware-linkage")[0]
    assert "emptied" not in told.details
    links = dc.attack(*intruder_view.without_gaps(data, masked), "masking-aware")
    assert (links.best[gone] >= 0).all()
