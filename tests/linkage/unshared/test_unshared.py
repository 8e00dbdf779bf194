"""What every linker for files without common attributes must do, run over the registry."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.base
from tests.linkage.unshared import problems

from discreet import catalogue
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, ParameterError
from discreet.linkage.unshared.unshared import UnsharedLinker, one_each

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
