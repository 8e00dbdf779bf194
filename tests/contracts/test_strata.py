from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata

from discreet.contracts.engine import InProcess
from discreet.contracts.ground import Memory
from discreet.contracts.strata import Strata, StratumSizes
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, ParameterError
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.perturbing.swapping import RankSwapping


def test_rows_of_every_stratum():
    data = microdata(50)
    names = ("region", "owner")
    parts = Strata.of(names, Memory(data, InProcess()).ask([StratumSizes(names)])[0]).rows(data)
    assert sorted(np.concatenate(parts).tolist()) == list(range(50))
    for part in parts:
        assert len({tuple(row) for row in data.codes(["region", "owner"])[part]}) == 1
        assert (np.diff(part) > 0).all()


def test_groups_never_cross_strata():
    data = microdata(200)
    masked = KModes(5, strata=["region"], attributes=["size", "grade", "fuel"]).mask(data)
    region = data.encoded("region")
    assert np.bincount(masked.labels).min() >= 5
    for label in np.unique(masked.labels):
        assert np.unique(region[masked.labels == label]).size == 1
    blocks = KModes(5, n_vars=2, strata=["region"], attributes=["size", "grade", "fuel"]).mask(data)
    assert blocks.labels.shape == (200, 2)
    assert blocks.provenance.details["joint"] is False
    for column in blocks.labels.T:
        assert np.bincount(column).min() >= 5


def test_strata_that_are_too_small_are_counted():
    with pytest.raises(ParameterError, match="2 of 2 strata have fewer than 200"):
        KModes(200, strata=["region"]).mask(microdata(300))


def test_strata_are_no_attributes_to_mask():
    with pytest.raises(ParameterError, match="strata must not be masked; 1 of them would be"):
        RankSwapping(strata=["fuel"], attributes=["fuel", "size"]).mask(microdata())
    with pytest.raises(ParameterError, match="strata must be categorical; 'age' is numeric"):
        RankSwapping(strata=["age"]).mask(microdata())
    assert "fuel" not in RankSwapping(50, strata=["fuel"]).mask(microdata(300)).provenance.attributes


def test_neither_threads_nor_other_strata_matter():
    data = microdata(120)
    one = RankSwapping(20, strata=["region"], random_state=4).mask(data, engine=MemoryEngine(workers=1))
    two = RankSwapping(20, strata=["region"], random_state=4).mask(data, engine=MemoryEngine(workers=2))
    assert one.microdata.to_arrow().equals(two.microdata.to_arrow())


def test_tiny_strata_are_refused_where_a_swap_hides_nothing():
    with pytest.raises(DataError, match=r"'income' has values, but fewer than 5, in \d of \d strata"):
        RankSwapping(50, strata=["region", "fuel"]).mask(microdata(60))
    with pytest.raises(ParameterError, match="p must reach at least two ranks of every stratum.*in 2 of 2 strata"):
        RankSwapping(5, strata=["region"]).mask(microdata(60))


def test_neighbours_that_are_exchanged_for_certain_are_said():
    notes = RankSwapping(window=1, attributes=["income"]).mask(microdata(60)).provenance.notes
    assert any("window of one rank (1): income" in note for note in notes)
    wider = RankSwapping(window=2, attributes=["income"], random_state=1).mask(microdata(60)).provenance.notes
    assert not any("one rank" in note for note in wider)
