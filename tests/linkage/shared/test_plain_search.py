"""Without kernels, links are the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.shared.test_every_pair import NAMES, mixed

import discreet as dc
from discreet.contracts.engine import InProcess
from discreet.kernels.jit import PlainTwin
from discreet.linkage.record_classes import distinct_rows
from discreet.linkage.shared import number_search, plain_search
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.terms import Terms

LINKED = ("best", "second", "score", "second_score", "ties", "tied_offsets", "tied", "classes")

pytestmark = pytest.mark.plain_code


def compiled(monkeypatch, call):
    with monkeypatch.context() as patch:
        patch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
        return call()


def assert_equal(plain, other, names=LINKED):
    for name in names:
        ours, theirs = np.asarray(getattr(plain, name)), np.asarray(getattr(other, name))
        assert ours.tobytes() == theirs.astype(ours.dtype).tobytes(), name


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "max"])
@pytest.mark.parametrize("attributes", [NAMES, NAMES[4:], NAMES[5:]])
@pytest.mark.parametrize(("n_a", "n_b", "digits"), [(80, 90, 0), (120, 30, 2), (6, 1, 0), (1, 6, 0)])
def test_links_by_distance(monkeypatch, metric, attributes, n_a, n_b, digits):
    monkeypatch.setattr(plain_search, "_TOGETHER", 700)  # so that there are several blocks
    a, b = (mixed(seed, n, levels=3, digits=digits) for seed, n in ((1, n_a), (2, n_b)))
    linker = DistanceLinkage(attributes=attributes, metric=metric)

    def link():
        return linker.link_both(a, b, engine=InProcess())

    for plain, other in zip(link(), compiled(monkeypatch, link), strict=True):
        assert_equal(plain, other)


def test_links_within_limits(monkeypatch):
    from discreet.linkage.record_classes import classes_of

    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 6, (70, 2)) / 3, rng.integers(0, 6, (50, 2)) / 3
    terms = Terms((), ("x", "y"), np.empty((70, 0), np.uint8), np.empty((50, 0), np.uint8), a, b, (), 0, np.zeros(2))
    spread = rng.choice([0.0, 0.4, 9.0], (50, 2))
    first, second = classes_of(terms.a_codes, a), classes_of(terms.b_codes, np.concatenate([b, spread], axis=1))

    def search():
        return number_search.search_numbers(terms, first, second, (b - spread, b + spread), InProcess())

    plain, other = search(), compiled(monkeypatch, search)
    assert (plain.best < 0).any()
    assert_equal(plain, other, ("best", "second", "score", "second_score", "ties"))


def test_distinct_rows(monkeypatch):
    rng = np.random.default_rng(8)
    for n, width in ((1, 1), (40, 1), (90, 3)):
        words = rng.integers(0, 3, (n, width)).astype(np.uint64) << np.uint64(61)
        plain, other = distinct_rows(words), compiled(monkeypatch, lambda rows=words: distinct_rows(rows))
        assert_equal(plain, other, ("label", "first", "size"))


def test_an_assessment_is_the_same_in_every_figure(monkeypatch):
    original = dc.datasets.business(150)
    masked = dc.MDAV(k=3).mask(original)

    def assess():
        return dc.assess(original, masked).to_dict()

    assert assess() == compiled(monkeypatch, assess)
