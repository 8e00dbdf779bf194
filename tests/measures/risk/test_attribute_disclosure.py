from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow.parquet
import pytest
from tests.battery import microdata

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, SchemaError
from discreet.evaluation.assessing import assess
from discreet.io.stored_parquet import ParquetSource
from discreet.measures.risk.attribute_disclosure import AttributeDisclosure, _most_within, _percentages, _wilson
from discreet.measures.risk.learnt_values import within_release

SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("area", Nominal(range(4)), "key"),
        Attribute("ill", Nominal(range(5)), "confidential"),
        Attribute("debt", Numeric(), "confidential"),
    ]
)


def people(seed, n=200, *, related=0.0):
    rng = np.random.default_rng(seed)
    x, area = np.round(rng.normal(size=n), 1), rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < related, area, rng.integers(0, 5, n))
    return pl.DataFrame({"x": x, "area": area, "ill": ill, "debt": rng.normal(size=n)})


def table(frame):
    return Microdata(frame, SCHEMA)


def brute_force(original, masked, released, targets, tolerance, known):
    """Shares of correct guesses, every released record compared with every target."""
    unit = masked["x"].to_numpy()[released].std()
    debt = tolerance * original["debt"].to_numpy().std()
    hits = {"ill": [], "debt": []}
    for t in targets:
        distance = [
            ("x" in known) * ((masked["x"][int(r)] - original["x"][int(t)]) / unit) ** 2
            + ("area" in known) * (masked["area"][int(r)] != original["area"][int(t)])
            for r in released
        ]
        nearest = [int(r) for r, d in zip(released, distance, strict=True) if d == min(distance)]
        hits["ill"].append(np.mean([masked["ill"][r] == original["ill"][int(t)] for r in nearest]))
        hits["debt"].append(np.mean([abs(masked["debt"][r] - original["debt"][int(t)]) <= debt for r in nearest]))
    return {name: np.mean(found) for name, found in hits.items()}


@pytest.mark.parametrize("known", [["x"], ["area"], ["x", "area"]])
@pytest.mark.parametrize("seed", range(2))
def test_equals_a_comparison_of_all_pairs(seed, known, monkeypatch):
    original = people(seed, 60)
    rng = np.random.default_rng(seed + 9)
    masked = original.with_columns(
        x=pl.Series(original["x"] + rng.normal(size=60) * 0.2), ill=original["ill"].shuffle(seed=1)
    )
    draws = rng.random(60)
    monkeypatch.setattr("discreet.measures.risk.attribute_disclosure.record_draws", lambda *_: draws)
    released, others = np.flatnonzero(draws < 0.5), np.flatnonzero(draws >= 0.5)
    result = AttributeDisclosure(attributes=known, tolerance=0.3).measure(table(original), table(masked))
    attack = brute_force(original, masked, released, released, 0.3, known)
    control = brute_force(original, masked, released, others, 0.3, known)
    for name in ("ill", "debt"):
        figures = result.details["by_attribute"][name]
        assert figures["attack_percent"] == pytest.approx(100 * attack[name])
        assert figures["control_percent"] == pytest.approx(100 * control[name])
        risk = max(attack[name] - control[name], 0) / (1 - control[name])
        assert result.per_attribute[name] == pytest.approx(100 * risk)
    assert result.value == max(result.per_attribute.values())


def test_an_unmasked_file_gives_away_what_a_shuffled_one_does_not():
    original = people(0, 800).with_columns(x=pl.Series(np.random.default_rng(5).normal(size=800)))
    shuffled = original.with_columns(ill=original["ill"].shuffle(seed=1), debt=original["debt"].shuffle(seed=2))
    assert AttributeDisclosure().measure(table(original), table(original)).value == 100
    assert AttributeDisclosure().measure(table(original), table(shuffled)).value < 12


def test_what_is_known_about_the_population_is_no_disclosure():
    original = people(1, 1500, related=0.9)
    # Only the area is known, and everybody in it is alike whether released or not.
    result = AttributeDisclosure(attributes=["area"], sensitive=["ill"]).measure(table(original), table(original))
    figures = result.details["by_attribute"]["ill"]
    assert figures["control_percent"] > figures["baseline_percent"] + 30
    assert result.value < 15
    low, high = figures["control_interval_percent"]
    assert low < figures["control_percent"] < high


def test_targets_are_limited_and_the_halves_depend_on_the_seed_alone():
    data = microdata(90)
    few = AttributeDisclosure(targets=7).measure(data, data)
    assert (few.details["attacked"], few.details["controls"]) == (7, 7)
    order = np.random.default_rng(0).permutation(90)
    for seed in (0, 1):
        measure = AttributeDisclosure(random_state=seed)
        assert measure.measure(data.take(order), data.take(order)).details == measure.measure(data, data).details
    sizes = {AttributeDisclosure(random_state=s).measure(data, data).details["attacked"] for s in range(6)}
    assert len(sizes) > 1


def test_numbers_with_gaps_are_not_linked_on():
    original = people(2).with_columns(x=pl.when(pl.int_range(200) == 0).then(None).otherwise(pl.col("x")))
    result = AttributeDisclosure().measure(table(original), table(original))
    assert result.details["known"] == ["area"]
    with pytest.raises(DataError, match="every key has missing numbers"):
        AttributeDisclosure(attributes=["x"]).measure(table(original), table(original))


def test_records_that_are_all_alike_cannot_be_split():
    same = pl.DataFrame({"x": [1.0] * 9, "area": [0] * 9, "ill": [1] * 9, "debt": [2.0] * 9})
    assert AttributeDisclosure().measure(table(same), table(same)).value == 0


def test_a_sample_and_keys_with_gaps_are_named_in_the_sentence():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"x": rng.normal(size=200), "gap": [None, *rng.normal(size=199)], "y": rng.normal(size=200)})
    attributes = [Attribute(name, Numeric(), "key") for name in ("x", "gap")]
    data = Microdata(frame, Schema([*attributes, Attribute("y", Numeric(), "confidential")]))
    told = AttributeDisclosure(targets=10).measure(data, data)
    assert told.details["left_out"] == ["gap"]
    assert "Of 2 keys gap has gaps" in told.sentence
    assert "Tried on a sample: 10 of" in told.sentence
    whole = AttributeDisclosure(attributes=["x"]).measure(data, data)
    assert "sample" not in whole.sentence
    assert whole.sentence.startswith("From 1 key")


def in_files(folder, **tables):
    """Tables as files."""
    sources = []
    for name, data in tables.items():
        path = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(data.to_arrow(), path, row_group_size=17)
        sources.append(ParquetSource(path, data.schema))
    return sources


@pytest.mark.parametrize("known", [["x"], ["area"], ["x", "area"]])
def test_beyond_the_limit_halves_are_drawn_by_position(known, monkeypatch, tmp_path):
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    original = people(3, 60)
    rng = np.random.default_rng(4)
    masked = original.with_columns(
        x=pl.Series(original["x"] + rng.normal(size=60) * 0.2), ill=original["ill"].shuffle(seed=1)
    )
    inside = within_release(2, np.arange(60))
    released, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    measure = AttributeDisclosure(attributes=known, tolerance=0.3, random_state=2)
    attack = brute_force(original, masked, released, released, 0.3, known)
    control = brute_force(original, masked, released, others, 0.3, known)
    stored = in_files(tmp_path, original=table(original), masked=table(masked))
    here = measure.measure(table(original), table(masked))
    for told in (here, *(measure.measure(*stored, engine=StreamingEngine(2, batch=batch)) for batch in (1, 7, 60))):
        assert (told.details["attacked"], told.details["controls"]) == (released.size, others.size)
        assert told.sentence == here.sentence
        for name in ("ill", "debt"):
            figures = told.details["by_attribute"][name]
            assert figures["attack_percent"] == pytest.approx(100 * attack[name])
            assert figures["control_percent"] == pytest.approx(100 * control[name])


def test_of_many_records_some_are_looked_for_and_gaps_are_a_value(monkeypatch, tmp_path):
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    frame = people(2).with_columns(x=pl.when(pl.int_range(200) % 9 == 0).then(None).otherwise(pl.col("x")))
    data = table(frame)
    release = table(frame.with_columns(ill=frame["ill"].shuffle(seed=3)))
    measure = AttributeDisclosure(targets=12)
    told = measure.measure(*in_files(tmp_path, original=data, masked=release), engine=StreamingEngine(2, batch=30))
    assert (told.details["attacked"], told.details["controls"]) == (12, 12)
    assert told.details["known"] == ["x", "area"]
    inside = int(within_release(0, np.arange(200)).sum())
    assert f"Tried on a sample: 12 of {inside} people in it, 12 of {200 - inside} others." in told.sentence
    assert "A missing number counts as a value of its own." in told.sentence
    # An assessment fills the gaps of tables in memory before it measures, and flags them: the figures are the same.
    (beside,) = assess(data, release, measures=[measure]).measurements
    assert beside.sentence == told.sentence
    assert beside.per_attribute == pytest.approx(told.per_attribute)


def test_what_is_lacking_is_named():
    data = Microdata(people(0, 30), SCHEMA.with_roles(ill="other", debt="other"))
    with pytest.raises(SchemaError, match="names no confidential attribute") as caught:
        AttributeDisclosure().measure(data, data)
    assert "sensitive" in caught.value.hint
    assert AttributeDisclosure(sensitive=["ill"]).measure(data, data).value >= 0
    recoded = Schema(
        [Attribute(n, Nominal(range(9)) if n == "debt" else SCHEMA[n].scale, SCHEMA[n].role) for n in SCHEMA.names]
    )
    frame = people(0, 30)
    after = Microdata(frame.with_columns(debt=pl.Series([1] * 30)), recoded)
    with pytest.raises(SchemaError, match="no confidential attribute is released on a scale of its kind: debt"):
        AttributeDisclosure(sensitive=["debt"]).measure(table(frame), after)
    bare = Microdata(people(0, 30), SCHEMA.with_roles(x="other", area="other"))
    with pytest.raises(SchemaError, match="no attribute that the measure can look at"):
        AttributeDisclosure().measure(bare, bare)


@pytest.mark.parametrize(
    ("values", "reach", "most"),
    [
        ([], 1.0, 0),
        ([3.0], 0.0, 1),
        ([1.0, 2.0, 2.0, 5.0], 0.0, 2),
        ([1.0, 2.0, 2.0, 5.0], 0.5, 3),
        ([4.0, 1.0], 1.5, 2),
    ],
)
def test_the_best_single_guess_is_right_about_so_many(values, reach, most):
    assert _most_within(np.array(values), reach) == most


def test_intervals_are_those_of_wilson():
    # Of ten, none: 0 to z²/(n + z²); five: around a half; all: the mirror image of none.
    z = 1.959964**2
    low, high = _wilson(0.0, 10)
    assert (low, high) == (pytest.approx(0, abs=1e-9), pytest.approx(100 * z / (10 + z)))
    assert _wilson(1.0, 10) == pytest.approx([100 - high, 100])
    centre, width = 50, 100 * np.sqrt(z * (0.25 / 10 + z / 400)) / (1 + z / 10)
    assert _wilson(0.5, 10) == pytest.approx([centre - width, centre + width])


@pytest.mark.parametrize(
    ("attack", "control", "risk"),
    [
        ([1.0, 0.5], [0.5, 0.0], 100 * 0.5 / 0.75),
        ([0.25, 0.25], [0.5, 0.5], 0),
        ([1.0, 1.0], [1.0, 1.0], 0),
        ([1.0], [0.0], 100),
    ],
)
def test_what_the_release_gives_away(attack, control, risk):
    figures = _percentages(np.array(attack), np.array(control), 0.125)
    assert figures == {
        "risk_percent": pytest.approx(risk),
        "attack_percent": 100 * np.mean(attack),
        "attack_interval_percent": _wilson(float(np.mean(attack)), len(attack)),
        "control_percent": 100 * np.mean(control),
        "control_interval_percent": _wilson(float(np.mean(control)), len(control)),
        "baseline_percent": 12.5,
    }


def test_few_records_of_many_that_are_all_on_one_side(monkeypatch):
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 1)
    seed = next(s for s in range(99) if within_release(s, np.arange(2)).all())
    data = table(people(0, 2))
    result = AttributeDisclosure(random_state=seed).measure(data, data)
    assert (result.value, result.sentence) == (
        0, "The records are too few, or too much alike, to be split into two halves.",
    )  # fmt: skip


def test_baselines_of_levels_and_numbers(monkeypatch):
    frame = pl.DataFrame(
        {"x": np.arange(12) * 1.0, "area": [0] * 12, "ill": [1] * 5 + [2] * 4 + [None] * 3, "debt": [1.0, 1.5, 9.0] * 4}
    )
    draws = np.where(np.arange(12) % 2 == 0, 0.2, 0.8)
    monkeypatch.setattr("discreet.measures.risk.attribute_disclosure.record_draws", lambda *_: draws)
    result = AttributeDisclosure(tolerance=0.1).measure(table(frame), table(frame))
    by_attribute = result.details["by_attribute"]
    assert by_attribute["ill"]["baseline_percent"] == pytest.approx(500 / 12)
    # A tenth of the deviation, 3.7, to either side of 1.25 holds 1 and 1.5.
    assert by_attribute["debt"]["baseline_percent"] == pytest.approx(800 / 12)
    assert result.details["attacked"] == result.details["controls"] == 6
