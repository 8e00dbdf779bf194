from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.unshared import problems

from discreet.linkage.unshared.rank_to_rank import FirstComponentLinkage, SumOfScoresLinkage


# P2, section 4.4: 5 of 90 records of the census problem by either ranking.
@pytest.mark.parametrize("method", [FirstComponentLinkage, SumOfScoresLinkage])
def test_census_problem(data_dir, method):
    halves, rng = problems.load(data_dir, "census"), np.random.default_rng(0)
    found = []
    for _ in range(40):
        a, b, truth = problems.draw(halves, 90, rng)
        found.append(method().link(a, b).evaluate(truth).expected)
    assert 3 < np.mean(found) < 8


def test_rank_goes_to_rank():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(25, 1)), rng.normal(size=(25, 1))
    for method in (FirstComponentLinkage, SumOfScoresLinkage):
        links = method().link(problems.table(x, "a"), problems.table(y, "b"))
        assert np.array_equal(np.argsort(x[links.best, 0]), np.argsort(y[:, 0]))
        assert (links.ties == 1).all()


def test_ties_of_ranks_are_shared_and_lengths_may_differ():
    x = np.array([[1.0], [1.0], [2.0], [3.0]])
    linked = SumOfScoresLinkage().link(problems.table(x, "a"), problems.table(x, "b")).evaluate()
    assert linked.probability.tolist() == [0.5, 0.5, 1, 1]
    few = FirstComponentLinkage().link(problems.table(np.arange(10.0)[:, None], "a"), problems.table(x[[3, 0]], "b"))
    assert few.best[0] > few.best[1]


def test_the_component_points_to_large_values():
    rng = np.random.default_rng(1)
    size = rng.gamma(2.0, size=50)
    x = np.column_stack([size, 2 * size, -size]) + rng.normal(size=(50, 3)) / 100
    links = FirstComponentLinkage().link(problems.table(x, "a"), problems.table(size[:, None], "b"))
    assert np.corrcoef(size[links.best], size)[0, 1] > 0.9
