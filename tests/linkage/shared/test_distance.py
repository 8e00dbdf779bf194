from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata
from tests.reference import nearest

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, MissingValueError, SchemaError
from discreet.linkage.shared.coordinates import BothSpreads, Spread, SpreadOf
from discreet.linkage.shared.distance import DistanceLinkage

SIZES = ("s", "m", "l", "xl")
FUELS = ("gas", "oil", "sun")
SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("size", Ordinal(SIZES), "key"),
        Attribute("fuel", Nominal(FUELS), "key"),
    ]
)
SCALES = ["numeric", ("ordinal", SIZES), ("nominal", FUELS)]


def table(rng, n, *, missing=False):
    sizes = [*SIZES, None] if missing else SIZES
    return pl.DataFrame(
        {
            "x": rng.integers(0, 4, n).astype(float),
            "size": [sizes[i] for i in rng.integers(0, len(sizes), n)],
            "fuel": [FUELS[i] for i in rng.integers(0, 3, n)],
        }
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n_a", "n_b"), [(30, 30), (7, 40), (40, 7), (1, 5), (2, 3)])
def test_equals_the_plain_definition(n_a, n_b, missing):
    rng = np.random.default_rng(n_a * 100 + n_b)
    a, b = table(rng, n_a, missing=missing), table(rng, n_b, missing=missing)
    links = DistanceLinkage().link(Microdata(a, SCHEMA), Microdata(b, SCHEMA))
    for j, (order, distances, ties) in enumerate(nearest.link(a.rows(), b.rows(), SCALES)):
        assert links.best[j] == order[0]
        assert links.ties[j] == len(ties)
        assert links.score[j] == pytest.approx(distances[order[0]])
        if n_a > 1:
            assert links.second[j] == order[1]
            assert links.second_score[j] == pytest.approx(distances[order[1]])
        else:
            assert links.second[j] == -1
        tied = set(links.tied[links.tied_offsets[j] : links.tied_offsets[j + 1]])
        assert {i for i in range(n_a) if links.classes[i] in tied} == set(ties)


def test_ties_are_shared():
    a = pl.DataFrame({"x": [1.0, 1.0, 1.0, 5.0]})
    linked = DistanceLinkage().link(a, a).evaluate()
    assert linked.probability == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert linked.expected == pytest.approx(2)
    assert (linked.optimistic, linked.pessimistic) == (4, 1)
    assert linked.chance == 1


def test_all_equal_records_link_at_chance_level():
    a = Microdata(pl.DataFrame({"x": [2.0] * 50}), Schema([Attribute("x", Numeric(), "key")]))
    linked = DistanceLinkage().link(a, a).evaluate()
    assert linked.expected == pytest.approx(1)
    assert linked.pessimistic == 0


def test_truth_in_another_order_and_records_without_a_counterpart():
    schema = Schema([Attribute("x", Numeric(), "key")])
    a = Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]}), schema)
    b = Microdata(pl.DataFrame({"x": [3.1, 1.1, 9.0, 2.0]}), schema)
    links = DistanceLinkage().link(a, b)
    linked = links.evaluate(np.array([2, 0, -1, 1]))
    assert linked.probability.tolist() == [1, 1, 0, 1]
    assert linked.chance == pytest.approx(1)
    with pytest.raises(DataError, match="files of 3 and 4 records|Files of 3 and 4 records"):
        links.evaluate()


def test_an_offset_of_a_billion_changes_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200) / 10
    plain = DistanceLinkage().link(pl.DataFrame({"x": x}), pl.DataFrame({"x": y}))
    moved = DistanceLinkage().link(pl.DataFrame({"x": x + 1e9}), pl.DataFrame({"x": y + 1e9}))
    assert (plain.best == moved.best).mean() > 0.99


def test_engine_does_not_matter():
    a, b = microdata(3000, seed=1), microdata(3000, seed=2)
    names = ["income", "age", "size", "fuel"]
    first = DistanceLinkage(attributes=names).link(a, b, engine=InProcess())
    second = DistanceLinkage(attributes=names).link(a, b, engine=MemoryEngine(workers=3))
    for field in ("best", "second", "score", "ties", "tied", "tied_offsets"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), field


def test_bad_input():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("id", Nominal(("a", "b")), "identifier")])
    a = Microdata(pl.DataFrame({"x": [1.0, None], "id": ["a", "b"]}), schema)
    with pytest.raises(MissingValueError, match="column 'x' has 2 missing values in the two files"):
        DistanceLinkage().link(a, a)
    with pytest.raises(SchemaError, match="'id' is an identifier"):
        DistanceLinkage(attributes=["id"]).link(a, a)
    other = Microdata(pl.DataFrame({"y": [1.0]}), Schema([Attribute("y", Numeric(), "key")]))
    with pytest.raises(SchemaError, match="no attribute in common"):
        DistanceLinkage().link(a, other)
    ordinal = Microdata(pl.DataFrame({"x": [1, 2]}), Schema([Attribute("x", Ordinal((1, 2)), "key")]))
    with pytest.raises(SchemaError, match="different scales or levels"):
        DistanceLinkage().link(a, ordinal)
    with pytest.raises(SchemaError, match="'visits' is sequence"):
        DistanceLinkage().link(microdata(), microdata())


def asked_of(linker, schemas, *answers, **options):
    """Return the questions of an inquiry and what it concludes from the answers."""
    inquiry, questions = linker.inquire(schemas, **options), []
    try:
        question = next(inquiry)
        for answer in answers:
            questions.append(question)
            question = inquiry.send(answer)
    except StopIteration as done:
        return questions, done.value
    raise AssertionError("the inquiry goes on")


NUMBERS = Schema(
    [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("t", Nominal("ab"), "key")]
)


def test_only_numbers_have_to_be_asked_about():
    spreads = [Spread.of(np.array([[1.0, 2.0], [3.0, 2.5]])), Spread.of(np.array([[1.0, 4.0], [2.0, 9.0]]))]
    questions, plan = asked_of(DistanceLinkage(), (NUMBERS, NUMBERS), BothSpreads(*spreads))
    assert questions == [SpreadOf(("x", "y"))]
    assert (plan.categories, plan.numbers) == (("t",), ("x", "y"))
    questions, plan = asked_of(DistanceLinkage(attributes=["t"]), (NUMBERS, NUMBERS))
    assert questions == []
    assert (plan.categories, plan.numbers) == (("t",), ())


def test_a_number_that_the_release_has_emptied_is_left_out():
    first = Spread.of(np.array([[1.0, 2.0], [3.0, 2.5]]))
    emptied = Spread.of(np.array([[np.nan, 4.0], [np.nan, 9.0]]))
    _, plan = asked_of(DistanceLinkage(), (NUMBERS, NUMBERS), BothSpreads(first, emptied))
    assert (plan.categories, plan.numbers, plan.gaps) == (("t",), ("y",), ())
    assert plan.coordinates.middle.tolist() == [2.25]
    # All of them, where a category is left; and where nothing is left, the gaps are told.
    nothing = Spread.of(np.full((2, 2), np.nan))
    _, plan = asked_of(DistanceLinkage(), (NUMBERS, NUMBERS), BothSpreads(first, nothing))
    assert (plan.categories, plan.numbers) == (("t",), ())
    with pytest.raises(MissingValueError, match="column 'x' has 2 missing values"):
        asked_of(DistanceLinkage(attributes=["x", "y"]), (NUMBERS, NUMBERS), BothSpreads(first, nothing))
    half = Spread.of(np.array([[np.nan, 4.0], [1.0, 9.0]]))
    _, plan = asked_of(DistanceLinkage(), (NUMBERS, NUMBERS), BothSpreads(first, half), flag_gaps=True)
    assert plan.gaps == ("x",)


def test_who_assigns_looks_at_all_pairs_and_cannot_look_in_blocks():
    assert DistanceLinkage(one_to_one=True).looking((NUMBERS, NUMBERS)) is None
    looking = DistanceLinkage().looking((NUMBERS, NUMBERS))
    assert next(looking) == SpreadOf(("x", "y"))
    spread = Spread.of(np.array([[1.0, 2.0], [3.0, 2.5]]))
    with pytest.raises(StopIteration) as done:
        looking.send(BothSpreads(spread, spread))
    assert done.value.value.names == ("x", "y", "t")
    assert not done.value.value.refuses_gaps


def test_a_search_says_what_it_looks_at_and_whom_it_means():
    a = Microdata(pl.DataFrame({"x": [0.0, 4.0], "y": [0.0, 2.0], "t": ["a", "b"]}), NUMBERS)
    b = Microdata(pl.DataFrame({"x": [2.0], "y": [2.0], "t": ["b"]}), NUMBERS)
    linker = DistanceLinkage(metric="manhattan")
    spreads = BothSpreads(Spread.of(a.numeric(("x", "y"))), Spread.of(b.numeric(("x", "y"))))
    _, plan = asked_of(linker, (NUMBERS, NUMBERS), spreads)
    of_release, of_original = linker.search(plan, b), linker.search(plan, a, of_release=False)
    assert (of_release.original, of_release.released) == (("t", "x", "y"), ())
    assert (of_original.original, of_original.released) == ((), ("t", "x", "y"))
    assert of_release.own(a.take([0])).tolist() == [1 + 1 + 2]
    assert of_original.own(b.take([0, 0])).tolist() == [4, 1]
    # Nobody has passed yet: nobody is near.
    nobody, tied = of_release.tied_among(a.take([]), np.empty(0, dtype=np.int64))
    assert (nobody.records, nobody.best.tolist(), nobody.second.tolist()) == (0, [-1], [-1])
    assert (nobody.score.tolist(), nobody.ties.tolist(), tied.owner.size) == ([np.inf], [0], 0)
    found, tied = of_release.tied_among(a, np.array([10, 20]))
    assert (found.best.tolist(), found.second.tolist(), found.score.tolist()) == ([20], [10], [1.0])
    assert found.second_score.tolist() == [4.0]
    assert (tied.owner.tolist(), tied.sums.tolist(), tied.label[tied.group].tolist()) == ([0], [1.0], [1])
