"""What every linker for files without common attributes must do, run over the registry."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import sklearn.base
from tests.linkage.unshared import problems

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.linkage.unshared.rank_to_rank import FirstComponentLinkage, SumOfScoresLinkage
from discreet.linkage.unshared.unshared import UnsharedLinker, _blocks, _joined, all_tied, one_each, varying

CLASSES = [c for c in catalogue.linkers().values() if not c.needs_common_attributes]
EXAMPLES = [pytest.param(m, id=f"{m.name}-{i}") for c in CLASSES for i, m in enumerate(c.examples())]


@pytest.fixture(params=EXAMPLES)
def linker(request):
    return request.param.clone()


def files(n=50, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    hidden = rng.gamma([1.0, 2.0, 5.0], size=(n, 3))
    x, y = hidden, hidden[:, [1, 2, 0]] * np.exp(noise * rng.normal(size=(n, 3)))
    return problems.table(x, "a"), problems.table(y, "b")


def test_all_are_there():
    names = {c.name for c in CLASSES}
    assert names == {"representatives", "structural", "supervised", "first-component", "sum-of-scores"}
    assert all(issubclass(c, UnsharedLinker) for c in CLASSES)


def test_is_described(linker):
    assert linker.scales == {"numeric"}
    for part in ("Parameters", "Notes", "References", "Examples"):
        assert part in type(linker).__doc__
    assert type(linker).__name__ in linker._repr_html_()
    assert set(linker.parameters) >= set(linker.get_params(deep=False))


def test_parameters_in_scikit_learn_manner(linker):
    for copy in (linker.clone(), sklearn.base.clone(linker), type(linker)(**linker.get_params(deep=False))):
        assert repr(copy) == repr(linker)
    for name in linker.get_params(deep=False):
        broken = linker.clone().set_params(**{name: object()})
        with pytest.raises(ParameterError, match=f"^{type(linker).__name__}: {name} must be "):
            broken.link(*files())


def test_finds_more_than_guessing(linker):
    linked = linker.link(*files()).evaluate()
    assert linked.expected > 3 * linked.chance


def test_the_shape_of_links(linker):
    links = linker.link(*files())
    assert (links.n_a, links.n_b) == (50, 50)
    assert links.attributes == ("a0", "a1", "a2", "b0", "b1", "b2")
    assert links.method == linker.name
    assert (links.best < 50).all()
    assert (links.second[links.best >= 0] != links.best[links.best >= 0]).all()
    better = links.score >= links.second_score if links.higher_is_better else links.score <= links.second_score
    assigned = getattr(linker, "one_to_one", False)
    assert better.all() or assigned
    assert links.to_frame().shape[0] == 50


def test_seed_reproduces_threads_and_input_do_not_matter(linker):
    a, b = files()
    before = [table.to_arrow().to_pydict() for table in (a, b)]
    first, second = linker.link(a, b), linker.link(a, b, engine=MemoryEngine(workers=3))
    for name in ("best", "second", "score", "ties", "tied", "tied_offsets", "classes"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert [table.to_arrow().to_pydict() for table in (a, b)] == before


def test_files_of_different_length(linker):
    a, b = files(60)
    few = np.arange(0, 40, 2)
    for left, right in ((a, b.take(few)), (a.take(few), b)):
        links = linker.link(left, right)
        assert (links.n_a, links.n_b) == (len(left), len(right))
        if getattr(linker, "one_to_one", False):
            used = links.best[links.best >= 0]
            assert used.size == np.unique(used).size == 20


def test_bad_input_is_refused(linker):
    a, b = files()
    owner = type(linker).__name__
    with pytest.raises(DataError, match=f"{owner}: the second file has no records"):
        linker.link(a, b.take([]))
    with pytest.raises(DataError, match=f"{owner}: none of the 2 attributes of the first file varies"):
        linker.link(problems.table(np.full((50, 2), 4711.0), "a"), b)
    assert "4711" not in repr(linker.link(problems.table(np.arange(4711.0, 4761.0)[:, None], "a"), b))


def test_who_has_no_link_is_tied_with_nobody():
    best, second = np.array([1, -1, 0]), np.array([0, -1, 1])
    links = one_each(best, second, np.array([0.5, np.inf, 0.25]), np.array([1.0, np.inf, 2.0]))
    assert links.ties.tolist() == [1, 0, 1]
    assert links.tied.tolist() == [1, 0]
    assert links.row_offsets.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("cls", CLASSES)
def test_only_what_is_named_is_looked_at(cls):
    """Naming all but the columns that mislead is as good as not having these; naming none takes every key."""
    a, b = files()
    rng = np.random.default_rng(4)
    noise = rng.permuted(np.column_stack([a.numeric(a.schema.names), rng.gamma(1.0, size=(50, 2))]), axis=0)[:, 3:]
    wider = problems.table(np.column_stack([a.numeric(a.schema.names), noise]), "a")
    linker = next(one for one in cls.examples()).clone()
    named = linker.clone().set_params(attributes_a=list(a.schema.names), attributes_b=list(b.schema.names))
    assert named._sides(wider.schema, b.schema) == (a.schema.names, b.schema.names)
    assert linker._sides(wider.schema, b.schema) == (wider.schema.names, b.schema.names)
    links = named.link(wider, b)
    assert links.attributes == (*a.schema.names, *b.schema.names)
    assert links.best.tolist() == linker.clone().link(a, b).best.tolist()


def test_where_nothing_tells_records_apart_all_of_them_tie():
    three, one = all_tied(3, 2), all_tied(1, 2)
    assert (three.best.tolist(), three.second.tolist(), three.ties.tolist()) == ([0, 0], [1, 1], [3, 3])
    assert (three.score.tolist(), three.second_score.tolist()) == ([0, 0], [0, 0])
    assert (three.row_offsets.tolist(), three.tied.tolist(), three.row.tolist()) == ([0, 1, 2], [0, 0], [0, 1])
    assert three.class_of_records(3).tolist() == [0, 0, 0]
    assert (one.second.tolist(), one.second_score.tolist(), one.ties.tolist()) == ([-1, -1], [np.inf, np.inf], [1, 1])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1.0, 2.0], [1.0, 3.0]], True),
        ([[1.0, 2.0], [1.0, 2.0]], False),
        ([[1.0, np.nan], [1.0, 2.0]], False),
        ([[np.nan, np.nan], [np.nan, np.nan]], False),
        ([[np.nan], [0.0], [-1.0]], True),
    ],
)
def test_a_column_varies_that_has_two_values(values, expected):
    assert varying(np.array(values)) is expected


def by_town(towns, numbers, name):
    schema = Schema([Attribute("town", Nominal("uvw"), "key"), Attribute(name, Numeric(), "key")])
    return Microdata(pl.DataFrame({"town": towns, name: numbers}), schema)


A = by_town(["u", "v", "u", "u", None, "v"], [1.0, 5.0, 2.0, 9.0, 4.0, 5.0], "x")
B = by_town(["v", "u", "w", "u", None], [1.0, 7.0, 3.0, 8.0, 2.0], "y")


def test_blocks_agree_on_what_they_are_formed_by():
    assert [(one.tolist(), other.tolist()) for one, other in _blocks(A, B, ())] == [
        ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4])
    ]
    found = sorted((one.tolist(), other.tolist()) for one, other in _blocks(A, B, ("town",)))
    assert found == [([0, 2, 3], [1, 3]), ([1, 5], [0]), ([4], [4])]


@pytest.mark.parametrize("higher", [False, True])
def test_blocks_are_put_together_in_positions_of_the_files(higher):
    blocks = [(np.array([0, 2, 3]), np.array([1, 3])), (np.array([1, 5]), np.array([0]))]
    ranked = one_each(np.array([2, -1]), np.array([0, -1]), np.array([0.5, 9.0]), np.array([0.75, 9.0]))
    links = _joined([ranked, all_tied(2, 1)], blocks, 6, 5, ("x", "y"), "made", higher)
    worst = -np.inf if higher else np.inf
    assert (links.n_a, links.n_b, links.attributes, links.method) == (6, 5, ("x", "y"), "made")
    assert links.higher_is_better is higher
    assert links.best.tolist() == [1, 3, -1, -1, -1]
    assert links.second.tolist() == [5, 0, -1, -1, -1]
    assert links.score.tolist() == [0.0, 0.5, worst, 9.0, worst]
    assert links.second_score.tolist() == [0.0, 0.75, worst, 9.0, worst]
    assert links.ties.tolist() == [2, 1, 0, 0, 0]
    # Three classes of the first block, one of the second, and one of the record that is in none.
    assert links.classes.tolist() == [0, 3, 1, 2, 4, 3]
    assert links.rows.tolist() == [2, 0, -1, 1, -1]
    assert (links.tied_offsets.tolist(), links.tied.tolist()) == ([0, 1, 1, 2], [2, 3])
    assert links.evaluate(np.array([5, 3, 0, 0, 4])).probability.tolist() == [0.5, 1.0, 0.0, 0.0, 0.0]


def test_small_and_constant_blocks_are_guessed():
    links = SumOfScoresLinkage(by=["town"]).link(A, B)
    # In v nothing varies, in the block of missing towns is one of each; w is in one file alone.
    assert links.ties.tolist()[0] == 2
    assert links.best.tolist()[0] == 1
    assert (links.best[2], links.ties[2]) == (-1, 0)
    assert (links.best[4], links.ties[4]) == (4, 1)
    assert set(links.best[[1, 3]].tolist()) <= {0, 2, 3}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"by": ["job"]}, "SumOfScoresLinkage: blocks are formed by 'job', which is not in both files"),
        ({"by": ["x"]}, "blocks are formed by 'x', which is not in both files"),
        ({"attributes_a": ["town"]}, "attribute 'town' is nominal; it links numeric attributes"),
    ],
)
def test_what_cannot_be_linked_on_is_refused(parameters, words):
    with pytest.raises(DiscreetError, match=words):
        SumOfScoresLinkage(**parameters).link(A, B)


def test_a_single_record_has_no_structure_and_other_levels_make_no_blocks():
    for one, other, which in ((A.take([0]), B, "first"), (A, B.take([0]), "second")):
        with pytest.raises(DataError, match=f"the {which} file has 1 record; structure needs at least 2"):
            SumOfScoresLinkage().link(one, other)
    numbers = by_town(["u"] * 3, [1.0, 2.0, 3.0], "x")
    schema = Schema([Attribute("town", Nominal("uv"), "key"), Attribute("y", Numeric(), "key")])
    others = Microdata(pl.DataFrame({"town": ["u", "v"], "y": [1.0, 2.0]}), schema)
    with pytest.raises(DiscreetError, match="'town' must be ordinal or nominal, with the same levels in both files"):
        SumOfScoresLinkage(by=["town"]).link(numbers, others)
    identified = Schema([Attribute("x", Numeric(), "identifier"), Attribute("z", Numeric(), "key")])
    named = Microdata(pl.DataFrame({"x": [1.0, 2.0], "z": [1.0, 2.0]}), identified)
    with pytest.raises(DiscreetError, match="'x' is an identifier; linking on it shows nothing"):
        SumOfScoresLinkage(attributes_a=["x"]).link(named, B)


def test_plain_tables_are_read_by_the_part_of_the_schema_that_they_have():
    schema = Schema([*(A.schema[name] for name in ("town", "x")), B.schema["y"]])
    first, second = A.to_polars(), B.to_polars()
    for linker in (SumOfScoresLinkage(), FirstComponentLinkage()):
        plain, read = linker.link(first, second, schema), linker.link(A, B)
        assert plain.best.tolist() == read.best.tolist()
        assert linker.link(A, second, schema).best.tolist() == read.best.tolist()
