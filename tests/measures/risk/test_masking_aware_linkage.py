from __future__ import annotations

import pytest
from tests.battery import microdata

import discreet as dc
from discreet.errors import DataError
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
