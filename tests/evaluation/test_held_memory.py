"""What several measures hold together is what the largest of them holds, not their sum."""

from __future__ import annotations

import gc
import threading

import pytest

import discreet as dc
from discreet.contracts.engine import TablePair
from discreet.contracts.links import Links
from discreet.data.freed_memory import give_back
from discreet.data.levels import join_levels
from discreet.linkage.shared import term_search
from discreet.measures.loss.suppressed import SuppressionShare
from discreet.measures.risk.equal_keys import SampleUniques

LINKAGES = ["distance-linkage", "probabilistic-linkage", "combined-linkage"]


def links_alive():
    gc.collect()
    return sum(isinstance(one, Links) for one in gc.get_objects())


@pytest.mark.parametrize("measure", [SuppressionShare, SampleUniques], ids=lambda cls: cls.__name__)
def test_whom_linkages_found_is_held_by_nobody_when_other_measures_begin(measure, monkeypatch):
    alive = []
    asked = measure.question
    monkeypatch.setattr(measure, "question", lambda self, scope: alive.append(links_alive()) or asked(self, scope))
    original = dc.datasets.housing(300)
    before = links_alive()
    dc.measure(original, dc.MDAV(k=3).mask(original), [*LINKAGES, measure()])
    assert alive, "the measure was asked"
    assert set(alive) == {before}


def test_a_result_holds_no_links():
    original = dc.datasets.housing(300)
    release = dc.MDAV(k=3).mask(original)
    for names in (LINKAGES, LINKAGES[:1], LINKAGES[-1:]):
        assert not any(one.found for one in dc.measure(original, release, names)), names


def test_both_directions_of_a_linkage_are_searched_one_after_the_other(monkeypatch):
    at_once, most = [], []
    lock, search = threading.Lock(), term_search._searched

    def counted(*arguments, **options):
        with lock:
            at_once.append(1)
            most.append(len(at_once))
        try:
            return search(*arguments, **options)
        finally:
            with lock:
                at_once.pop()

    monkeypatch.setattr(term_search, "_searched", counted)
    original = dc.datasets.housing(5_000)  # enough records that threads are used
    release = dc.MDAV(k=3).mask(original)
    dc.measure(original, release, ["distance-linkage"], engine=dc.MemoryEngine(workers=2))
    assert most == [1, 1]


def test_what_measures_share_is_kept_in_as_few_bytes_as_it_needs():
    original = dc.datasets.housing(300)
    release = dc.MDAV(k=3).mask(original).microdata
    block = TablePair(original, release).whole([])
    names = original.schema.of_scale("nominal", "ordinal")
    for name in names:
        joined = join_levels(original.schema[name].scale, release.schema[name].scale)
        before, after = block.levels(name, joined)
        assert before.tolist() == joined.before(original.encoded(name)).tolist()
        assert after.tolist() == joined.after(release.encoded(name)).tolist()
        assert {before.itemsize, after.itemsize, original.as_written(name).itemsize} == {1}, name


def test_memory_is_given_back_wherever_that_can_be_asked_for():
    give_back(10)
    give_back(1_000_000)
