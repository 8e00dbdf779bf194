from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.generalisation import Generalisation
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.masking.withholding.identifiers import Identifiers
from discreet.measures.loss.class_losses import AverageClassSize, Discernibility

SCHEMA = Schema([Attribute("a", Nominal("pqrs"), "key"), Attribute("x", Numeric(), "key")])


def rows(seed, n=40, *, missing=True):
    rng = np.random.default_rng(seed)
    letters = [None if missing and rng.random() < 0.2 else "pqrs"[i] for i in rng.integers(0, 4, n)]
    numbers = [None if missing and rng.random() < 0.2 else float(i) for i in rng.integers(0, 3, n)]
    return letters, numbers


def table(columns):
    return Microdata(pl.DataFrame({"a": columns[0], "x": pl.Series(columns[1], dtype=pl.Float64)}), SCHEMA)


@pytest.mark.parametrize("seed", range(4))
def test_both_equal_their_definitions(seed):
    before, after = rows(seed), rows(seed + 100)
    n = 40
    first, second = (Counter(zip(*side, strict=True)) for side in (before, after))
    blank = second[None, None]
    metric = sum(c * c for row, c in second.items() if row != (None, None)) + blank * n
    plain = sum(c * c for c in first.values())
    result = Discernibility().measure(table(before), table(after))
    assert (result.details["discernibility"], result.details["before"]) == (metric, plain)
    assert result.value == pytest.approx(max(0, 100 * (metric - plain) / (n * n - plain)))
    sizes = n / len(first), n / len(second)
    result = AverageClassSize().measure(table(before), table(after))
    assert result.details["average_size"] == pytest.approx(sizes[1])
    assert result.value == pytest.approx(max(0, 100 * (sizes[1] - sizes[0]) / (n - sizes[0])))


@pytest.mark.parametrize("objective", ["discernibility", "class-size"])
def test_the_figure_is_what_the_search_made_least(objective):
    before = rows(7, missing=False)
    tree = Hierarchy([["p", "pq", "*"], ["q", "pq", "*"], ["r", "rs", "*"], ["s", "rs", "*"]])
    original = table(before)
    release = Generalisation(k=4, hierarchies={"a": tree}, attributes=["a"], objective=objective, suppression=0.2).mask(
        original
    )
    measure = (Discernibility if objective == "discernibility" else AverageClassSize)(attributes=["a"])
    counts = Counter(release.to_native()["a"].to_list())
    absent = 40 - counts.total()
    details = measure.measure(original, release).details
    if objective == "discernibility":
        assert details["discernibility"] == sum(c * c for c in counts.values()) + absent * 40
    else:
        assert details["average_size"] == pytest.approx(40 / (len(counts) + bool(absent)))


def test_a_key_that_is_not_released_joins_classes():
    original = table(rows(1, missing=False))
    release = Identifiers(remove=["x"]).mask(original)
    result = Discernibility().measure(original, release)
    assert result.details["discernibility"] == sum(c * c for c in Counter(rows(1, missing=False)[0]).values())


def test_everything_suppressed_loses_everything():
    original = table(rows(2, missing=False))
    nothing = table(([None] * 40, [None] * 40))
    assert Discernibility().measure(original, nothing).value == 100
    assert AverageClassSize().measure(original, nothing).value == 100


def test_classes_are_told_whole():
    before = table((["p", "p", "q", "r"], [1.0, 1.0, 1.0, 2.0]))
    after = table((["p", "p", "p", None], [1.0, 1.0, 1.0, None]))
    result = Discernibility().measure(before, after)
    # Before 4 + 1 + 1 pairs were alike; now nine, and who is suppressed is like everybody: 4 more.
    assert result.details == {"discernibility": 13, "before": 6, "suppressed": 1}
    assert result.value == pytest.approx(70)
    assert result.sentence == (
        "Of the pairs of records that the keys told apart, 70.0 % are now alike or suppressed; a record shares its "
        "keys with 2.2 others on average."
    )
    assert Discernibility().measure(before, before).sentence == "Records are told apart by their keys as before."
    size = AverageClassSize().measure(before, after)
    assert size.value == pytest.approx(100 * (2 - 4 / 3) / (4 - 4 / 3))
    assert size.sentence == "The average class of records with equal keys has 2.00 records, after 1.33 in the original."
    assert AverageClassSize().measure(after, before).sentence == (
        "Classes of records with equal keys are no larger than before."
    )
    same = table((["p"] * 3, [1.0] * 3))
    for measure in (Discernibility(), AverageClassSize()):
        assert measure.measure(same, same).value == 0, "nobody was told apart"
