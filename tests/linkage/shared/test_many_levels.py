"""Categories of many levels: the same links as with tables of terms, without a table of levels by levels."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError
from discreet.kernels.jit import always_compiled
from discreet.linkage.shared import yardstick as measured_by
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.learned_distance import LearnedDistanceLinkage
from discreet.linkage.shared.masking_aware import MaskingAwareLinkage
from discreet.linkage.shared.yardstick import prepare

LEVELS = 12
KINDS = [
    "n", "o", "nn", "on", "noono", "nnnnn",  # categories alone
    "nx", "ox", "noxx", "oonx",  # with numbers
]  # fmt: skip


def files(kinds, seed, n_a=90, n_b=60, *, levels=LEVELS, other_levels=False):
    """Return two files of nominal (n) and ordinal (o) levels and numbers (x), on a grid: there are many ties."""
    rng = np.random.default_rng(seed)
    texts = [str(level) for level in range(levels)]
    released = texts
    if other_levels:
        # In another order, some of them gone, some new.
        released = rng.permutation(texts[2:]).tolist()

    def table(n, names, own):
        columns, attributes = {}, []
        for place, kind in enumerate(kinds):
            name = f"{kind}{place}"
            if kind == "x":
                columns[name] = np.round(rng.normal(size=n), 0)
                attributes.append(Attribute(name, Numeric(), "key"))
                continue
            listed = [*names, "new", "newer"] if own and kind == "n" else list(names)
            codes = rng.integers(-1, len(listed), n)
            columns[name] = [None if code < 0 else listed[code] for code in codes]
            attributes.append(Attribute(name, (Nominal if kind == "n" else Ordinal)(listed), "key"))
        return Microdata(pl.DataFrame(columns), Schema(attributes))

    return table(n_a, texts, own=False), table(n_b, released, own=other_levels)


def told(links):
    """Return all that links say of records: also who is tied, whatever their classes are called."""
    tied = [
        np.flatnonzero(np.isin(links.classes, links.tied[low:high])).tolist()
        for low, high in zip(links.tied_offsets[:-1], links.tied_offsets[1:], strict=True)
    ]
    fields = ("best", "score", "second", "second_score", "ties")
    return [*(getattr(links, name).tolist() for name in fields), tied]


def both_roads(monkeypatch, ask):
    """Return what is told with tables of terms, and without."""
    answers = []
    for few in (1 << 20, 0):
        monkeypatch.setattr(measured_by, "_FEW_CELLS", few)
        answers.append(ask())
    return answers


@pytest.mark.parametrize("other_levels", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "max"])
@pytest.mark.parametrize("kinds", KINDS)
def test_links_are_those_of_tables(monkeypatch, kinds, metric, other_levels):
    linker = DistanceLinkage(metric=metric, weights={f"{kinds[0]}0": 1.7})
    for seed, (n_a, n_b) in enumerate([(90, 60), (7, 40), (40, 1)]):
        a, b = files(kinds, seed, n_a, n_b, other_levels=other_levels)
        for second in (True, False):
            ask = lambda a=a, b=b, second=second: linker.link_both(a, b, engine=InProcess(), second=second)  # noqa: E731
            with always_compiled():
                by_table, by_steps = both_roads(monkeypatch, ask)
            for one, other in zip(by_table, by_steps, strict=True):
                if second:
                    assert told(one) == told(other)
                else:  # the second is then whoever was met
                    assert [told(one)[field] for field in (0, 1, 4, 5)] == [
                        told(other)[field] for field in (0, 1, 4, 5)
                    ]


def test_many_levels_are_places_and_few_are_a_table(monkeypatch):
    a, b = files("nox", 0)
    by_table, by_steps = both_roads(monkeypatch, lambda: prepare("test", a, b, a.schema.names))
    assert [table.shape for table in by_table.tables] == [(LEVELS + 1, LEVELS + 1)] * 2
    assert [table.shape for table in by_steps.tables] == [(LEVELS + 1,), (2 * LEVELS,)]
    assert np.array_equal(by_table.matrix(slice(None)), by_steps.matrix(slice(None)))
    monkeypatch.setattr(measured_by, "_FEW_CELLS", (LEVELS + 1) ** 2)
    assert [table.ndim for table in prepare("test", a, b, a.schema.names).tables] == [2, 2]
    monkeypatch.setattr(measured_by, "_FEW_CELLS", (LEVELS + 1) ** 2 - 1)
    assert [table.ndim for table in prepare("test", a, b, a.schema.names).tables] == [1, 1]


@pytest.mark.parametrize("kinds", ["no", "nox"])
def test_plain_code_an_assignment_and_learning_read_steps_too(monkeypatch, kinds):
    a, b = files(kinds, 3, 40, 40)
    known = [[i, i] for i in range(8)]
    for ask in (
        lambda: told(DistanceLinkage().link(a, b)),
        lambda: told(DistanceLinkage(one_to_one=True).link(a, b)),
        lambda: told(LearnedDistanceLinkage(known).link(a, b)),
    ):
        by_table, by_steps = both_roads(monkeypatch, ask)
        assert by_table == by_steps


@pytest.mark.parametrize("of_release", [True, False])
@pytest.mark.parametrize("kinds", ["no", "nox"])
def test_records_that_pass_in_blocks(monkeypatch, kinds, of_release):
    a, b = files(kinds, 4, 50, 50, other_levels=True)

    def ask():
        linker = DistanceLinkage(attributes=["n0", "o1"] if kinds == "no" else None)
        inquiry = linker.inquire((a.schema, b.schema))
        try:
            question = next(inquiry)
            inquiry.send(question.summarise(type("Both", (), {"original": a, "release": b})))
        except StopIteration as end:
            plan = end.value
        asked, others = (b, a) if of_release else (a, b)
        search = linker.search(plan, asked, of_release=of_release)
        halves = [np.arange(0, 50, 2), np.arange(1, 50, 2)]
        parts = [search.among(others.take(rows), rows) for rows in halves]
        found = parts[0].merge(parts[1]).evaluate(search.own(others))
        return found.rate, found.expected, search.own(others).tolist()

    by_table, by_steps = both_roads(monkeypatch, ask)
    assert by_table == by_steps


@pytest.mark.parametrize("grouped", [None, ("o1", "x2")])
@pytest.mark.parametrize("kinds", ["noo", "nox"])
def test_what_was_left_alone_needs_no_table(monkeypatch, kinds, grouped):
    a, b = files(kinds, 5, 60, 60)
    b = b.replacing({"n0": a.encoded("n0")})
    masked = a.schema.names[1:]
    release = Masked(b, Provenance("made", {}, masked, 60, grouped=grouped if kinds == "nox" else None))
    by_table, by_steps = both_roads(monkeypatch, lambda: told(MaskingAwareLinkage().link(a, release)))
    assert by_table == by_steps
    untouched = Masked(a, Provenance("made", {}, (), 60))
    by_table, by_steps = both_roads(
        monkeypatch, lambda: told(MaskingAwareLinkage(attributes=["n0", "o1"]).link(a, untouched))
    )
    assert by_table == by_steps


def test_chances_of_some_and_certainty_of_others(monkeypatch):
    a, b = files("no", 7, 60, 60)
    b = b.replacing({"n0": a.encoded("n0")})
    matrix = np.random.default_rng(1).dirichlet(np.ones(LEVELS), LEVELS)
    told_chances = {"details": {"matrices": {"o1": matrix.tolist()}}, "transitions": {"o1": matrix > 0}}
    for masked, known in [(("o1",), told_chances), (("n0",), {}), (("n0", "o1"), {})]:
        release = Masked(b, Provenance("made", {}, masked, 60, **known))
        by_table, by_steps = both_roads(monkeypatch, lambda release=release: MaskingAwareLinkage().link(a, release))
        assert told(by_table) == told(by_steps)
    release = Masked(b, Provenance("made", {}, ("o1",), 60, **told_chances))
    codes = a.encoded("o1"), b.encoded("o1")
    score = MaskingAwareLinkage().link(a, release).score
    certain = np.flatnonzero((codes[0] >= 0) & (codes[1] >= 0))
    assert (score[certain] <= -np.log(matrix[codes[0][certain], codes[1][certain]]) + 1e-6).all()


def test_transitions_keep_their_table(monkeypatch):
    a, b = files("no", 6, 60, 60)
    possible = np.random.default_rng(0).random((LEVELS + 1, LEVELS + 1)) < 0.7
    release = Masked(b, Provenance("made", {}, ("n0", "o1"), 60, transitions={"n0": possible}))
    by_table, by_steps = both_roads(monkeypatch, lambda: told(MaskingAwareLinkage().link(a, release)))
    assert by_table == by_steps


@pytest.mark.parametrize("kinds", ["nn", "on", "nx", "ox"])
def test_memory_does_not_grow_with_the_square_of_levels(kinds):
    levels = 6_000
    rng = np.random.default_rng(1)
    scale = (Nominal if kinds[0] == "n" else Ordinal)(tuple(range(levels)))
    other = Numeric() if kinds[1] == "x" else Nominal(tuple(range(50)))
    schema = Schema([Attribute("place", scale, "key"), Attribute("other", other, "key")])
    place, others = np.arange(levels), rng.integers(0, 50, levels)
    moved = np.where(rng.random(levels) < 0.02, rng.permutation(place), place)
    a = Microdata(pl.DataFrame({"place": place, "other": others}), schema)
    b = Microdata(pl.DataFrame({"place": moved, "other": others}), schema)
    a, b = (side.replacing({"place": np.where(place % 500 == 7, -1, side.encoded("place"))}) for side in (a, b))
    linker, engine = DistanceLinkage(), MemoryEngine(workers=1)
    linker.link_both(a, b, engine=engine)  # compiles
    tracemalloc.start()
    try:
        of_release, of_original = linker.link_both(a, b, engine=engine)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < levels**2 / 3  # and a table of terms has 8 bytes a cell
    assert min(of_release.evaluate().rate, of_original.evaluate().rate) > 0.9


def test_more_levels_than_a_table_could_have():
    schema = Schema([Attribute("x", Nominal(tuple(range(40_000))), "key"),
                     Attribute("y", Ordinal(tuple(range(40_000))), "key")])  # fmt: skip
    a = Microdata(pl.DataFrame({"x": [1, 2, 39_999], "y": [5, 39_000, 7]}), schema)
    b = Microdata(pl.DataFrame({"x": [2, 2, 39_999], "y": [38_000, 5, None]}, schema=a.to_polars().schema), schema)
    links = DistanceLinkage(metric="manhattan").link(a, b)
    assert links.best.tolist() == [1, 1, 2]
    assert links.score == pytest.approx([1000 / 40_000, 38_995 / 40_000, 39_999 / 40_000])


def test_levels_that_need_a_table_too_large_are_refused_before_it_is_made():
    bounds = np.arange(10_002.0)
    meant = Ordinal(tuple(range(10_001)), IntervalSemantics(bounds[:-1], bounds[1:]))
    schema = Schema([Attribute("x", meant, "key")])
    a = Microdata(pl.DataFrame({"x": [1, 2]}), schema)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"too many levels to compare each with each \(100040004 pairs"):
            DistanceLinkage().link(a, a)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_001**2 / 10
