"""Whoever asks for the best candidates alone gets the same ones, with the same ties, and no second."""

from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.kernels.jit import PlainTwin
from discreet.linkage.shared import every_pair, pattern_search, plain_pairs
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.masking_aware import MaskingAwareLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.measures.risk.directions import worse

KINDS = {
    "mixed": ("income", "age", "wealth", "size", "grade", "fuel", "owner"),
    "numbers": ("income", "age", "wealth"),
    "categories": ("size", "grade", "fuel", "owner"),
}


@pytest.fixture(scope="module")
def files():
    data = microdata(150)
    return data, dc.PRAM(0.3, random_state=3).mask(dc.MDAV(k=3).mask(data).microdata)


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Let small files be searched as they are, or as large ones would be."""
    if request.param == "large":
        monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
        monkeypatch.setattr(every_pair, "_FEW_PAIRS", 0)
        monkeypatch.setattr(pattern_search, "_FEW_PAIRS", 0)
        monkeypatch.setattr(pattern_search, "are_few", lambda *_: False)
        monkeypatch.setattr(plain_pairs, "are_few", lambda *_: False)


def assert_same_best(alone, usual):
    for name in ("best", "score", "ties"):
        assert np.array_equal(getattr(alone, name), getattr(usual, name)), name
    assert alone.evaluate().probability.tolist() == usual.evaluate().probability.tolist()
    assert not alone.has_second
    assert (alone.second == -1).all()
    assert alone.evaluate().second is None
    assert usual.has_second
    assert usual.evaluate().second is not None


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "max"])
@pytest.mark.parametrize("names", KINDS.values(), ids=KINDS)
def test_by_distance(size, files, names, metric):
    linker = DistanceLinkage(attributes=names, metric=metric)
    assert_same_best(linker.link(*files, second=False), linker.link(*files))
    for alone, usual in zip(linker.link_both(*files, second=False), linker.link_both(*files), strict=True):
        assert_same_best(alone, usual)


@pytest.mark.parametrize("m", ["anchored", "known"])
@pytest.mark.parametrize("names", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("joining", [False, True])
def test_by_agreement(size, files, names, m, joining, monkeypatch):
    if joining:
        monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: False)
    linker = ProbabilisticLinkage(attributes=names, m=m)
    alone, usual = linker.link(*files, second=False), linker.link(*files)
    assert_same_best(alone, usual)
    assert alone.decision.tolist() == usual.decision.tolist()
    for one, other in zip(linker.link_both(*files, second=False), linker.link_both(*files), strict=True):
        assert_same_best(one, other)


def test_by_what_is_known_of_the_masking(size):
    data = microdata(150)
    for release in (dc.MDAV(k=3).mask(data), dc.RankSwapping(p=20, random_state=1).mask(data)):
        linker = MaskingAwareLinkage(attributes=KINDS["mixed"])
        assert_same_best(linker.link(data, release, second=False), linker.link(data, release))


def test_linkers_without_a_shorter_way_give_what_they_have(files):
    linker = DistanceLinkage(attributes=KINDS["mixed"], one_to_one=True)
    assert linker.link(*files, second=False).best.tolist() == linker.link(*files).best.tolist()
    there, back = linker.link_both(*files, second=False)
    assert worse((there, back))[0] == worse(linker.link_both(*files))[0]
