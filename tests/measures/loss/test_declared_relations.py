from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError, ParameterError
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.noise import AdditiveNoise
from discreet.measures.loss.declared_relations import RelationsBroken

SCHEMA = Schema(
    [Attribute(name, Numeric(), "key") for name in ("wage", "other", "total")]
    + [Attribute("married", Nominal(("no", "yes")), "key")]
)


def table(seed=0, n=200, gaps=0.0):
    rng = np.random.default_rng(seed)
    wage, other = rng.integers(0, 900, n) + 0.5, rng.integers(0, 90, n) * 1.0
    frame = pl.DataFrame(
        {
            "wage": wage,
            "other": other,
            "total": wage + other,
            "married": [("no", "yes")[i] for i in rng.integers(0, 2, n)],
        }
    )
    if gaps:
        frame = frame.with_columns(wage=pl.Series([None if rng.random() < gaps else x for x in wage], dtype=pl.Float64))
    return Microdata(frame, SCHEMA)


@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_the_definition(seed):
    before, after = table(seed, gaps=0.1), table(seed + 10, gaps=0.1)
    rows = [side.to_polars().rows(named=True) for side in (before, after)]
    kept = broken = mended = judged = 0
    for x, y in zip(*rows, strict=True):
        if x["wage"] is None or y["wage"] is None:
            continue
        one, two = (r["wage"] <= 450 or r["married"] == "yes" for r in (x, y))
        judged, kept, broken, mended = judged + 1, kept + one, broken + (one and not two), mended + (two and not one)
    result = RelationsBroken(["wage <= 450 or married = 'yes'"]).measure(before, after)
    assert result.value == pytest.approx(100 * broken / kept)
    assert result.details["relations"] == [
        {"judged": judged, "kept_before": kept, "broken": broken, "kept_only_now": mended, "not_judged": 200 - judged}
    ]


def test_noise_breaks_sums_and_means_of_groups_keep_them():
    data = table(3)
    numbers = data.select(["wage", "other", "total"])
    measure = RelationsBroken(["total = wage + other"], tolerance=1.0)
    noisy = AdditiveNoise(random_state=1).mask(numbers)
    assert measure.measure(numbers, noisy).value > 90
    assert measure.measure(numbers, MDAV(k=5).mask(numbers)).value < 5


def test_bad_relations_are_refused_in_a_sentence():
    data = table()
    for relations in (None, ["wage + 1"], ["wage = nobody"], ["__import__('os') = 1"], ["wage = 'no'"]):
        with pytest.raises(DiscreetError) as caught:
            RelationsBroken(relations).measure(data, data)
        assert "450" not in str(caught.value)
    with pytest.raises(ParameterError, match="is no relation"):
        RelationsBroken(["wage + 1"]).measure(data, data)


def hand(wage, total):
    n = len(wage)
    frame = pl.DataFrame({"wage": wage, "other": [1.0] * n, "total": total, "married": ["no"] * n})
    return Microdata(frame, SCHEMA)


BEFORE = hand([1.0, 2.0, 3.0, None, 5.0], [2.0, 3.0, 9.0, 5.0, 6.0])
AFTER = hand([1.0, 2.0, 8.0, 4.0, 5.0], [2.0, 3.5, 9.0, 5.0, None])


def test_relations_are_told_whole():
    result = RelationsBroken(["total = wage + other", "wage >= 1", "total > 100"]).measure(BEFORE, AFTER)
    # The second breaks the sum, the third mends it, the last two cannot be judged.
    assert result.details["relations"] == [
        {"judged": 3, "kept_before": 2, "broken": 1, "kept_only_now": 1, "not_judged": 2},
        {"judged": 4, "kept_before": 4, "broken": 0, "kept_only_now": 0, "not_judged": 1},
        {"judged": 4, "kept_before": 0, "broken": 0, "kept_only_now": 0, "not_judged": 1},
    ]
    assert result.value == pytest.approx(50 / 3)
    assert result.sentence == (
        "Of the records that kept a declared relation, 16.7 % break it in the release on average; relation 1 is broken "
        "most (50.0 %)."
    )


def test_relations_that_hold():
    two = RelationsBroken(["wage >= 1", "wage <= 9"]).measure(BEFORE, AFTER)
    assert (two.value, two.sentence) == (0, "2 relations hold wherever they did.")
    near = RelationsBroken(["total = wage + other"], tolerance=0.5).measure(BEFORE, AFTER)
    assert (near.value, near.sentence) == (0, "The relation holds wherever it did.")
    assert RelationsBroken(["total = wage + other"], tolerance=0.4).measure(BEFORE, AFTER).value == 50
