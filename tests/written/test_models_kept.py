"""Every privacy model that a release promises, judged on the written bytes by code that shares nothing with ours.

The file is read as text, its classes are a dictionary, models are those of `tests/reference/generalisation`. What is
promised and does not hold is refused before the file gets its name.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.reference.generalisation import keeps

import discreet as dc
from discreet import models
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import BrokenGuaranteeError
from discreet.masking.recoding.hierarchy import Hierarchy

KEYS = ("age", "sex", "area")
DEGREES = ("none", "school", "college", "doctor")
BRANCH = {"none": "low", "school": "low", "college": "high", "doctor": "high"}
SCHEMA = Schema(
    [
        Attribute("age", Numeric(), "key"),
        Attribute("sex", Nominal(("f", "m")), "key"),
        Attribute("area", Nominal(("n1", "n2", "s1", "s2")), "key"),
        Attribute("degree", Ordinal(DEGREES), "confidential"),
        Attribute("wage", Numeric(), "confidential"),
    ]
)
TREES = {
    "age": Hierarchy([[str(a), f"{a // 10}0s", "any"] for a in range(20, 60)]),
    "sex": Hierarchy([["f", "*"], ["m", "*"]]),
    "area": Hierarchy([[a, a[0], "*"] for a in ("n1", "n2", "s1", "s2")]),
    "degree": Hierarchy([[d, BRANCH[d], "*"] for d in DEGREES]),
}


def people(n, seed, *, gaps=True):
    rng = random.Random(seed)  # noqa: S311 - a table, not a secret
    rows = {
        "age": [rng.choice([20, 21, 22, 34, 35, 36, 51]) for _ in range(n)],
        "sex": [rng.choice("fm") for _ in range(n)],
        "area": [None if gaps and rng.random() < 0.05 else rng.choice(["n1", "n2", "s1", "s2"]) for _ in range(n)],
        "degree": [None if gaps and rng.random() < 0.05 else rng.choice(DEGREES) for _ in range(n)],
        "wage": [rng.choice([10.0, 12.5, 20.0]) for _ in range(n)],
    }
    return Microdata(pl.DataFrame(rows, schema_overrides={"age": pl.Int64}), SCHEMA)


TABLE = people(160, 7)
CROWD = people(700, 8)

CASES = {
    "k": (models.K(4), {"kind": "k", "k": 4}),
    "k-some-keys": (models.K(20, keys=["age", "sex"]), {"kind": "k", "k": 20, "keys": ("age", "sex")}),
    "k-by-size": (models.K({1: 30, 2: 8}), {"kind": "k-by-size", "sizes": {1: 30, 2: 8}}),
    "k-map": (models.KMap(12, CROWD), {"kind": "k-map", "k": 12}),
    "presence": (models.DeltaPresence(0.05, 0.4, CROWD), {"kind": "presence", "low": 0.05, "high": 0.4}),
    "km": (models.KM(8, 2), {"kind": "km", "k": 8, "m": 2}),
    "highest-risk": (models.HighestRisk(0.3), {"kind": "highest-risk", "risk": 0.3}),
    "average-risk": (models.AverageRisk(0.1), {"kind": "average", "risk": 0.1}),
    "population-uniqueness": (models.PopulationUniqueness(0.001, 5000), {"kind": "uniques", "risk": 0.001, "of": 5000}),
    "distinct": (models.LDiversity(3, "degree"), {"kind": "distinct", "l": 3}),
    "entropy": (models.LDiversity(2.5, "degree", kind_of="entropy"), {"kind": "entropy", "l": 2.5}),
    "recursive": (
        models.LDiversity(2, "degree", kind_of="recursive", c=1.5),
        {"kind": "recursive", "l": 2, "c": 1.5},
    ),
    "t-equal": (models.TCloseClasses(0.2, "degree"), {"kind": "equal", "t": 0.2}),
    "t-ordered": (models.TCloseClasses(0.15, "degree", distance="ordered"), {"kind": "ordered", "t": 0.15}),
    "t-numbers": (models.TCloseClasses(0.2, "wage", distance="ordered"), {"kind": "ordered", "t": 0.2, "of": "wage"}),
    "t-hierarchical": (
        models.TCloseClasses(0.15, "degree", distance="hierarchical"),
        {"kind": "hierarchical", "t": 0.15},
    ),
    "beta": (models.BetaLikeness(0.8, "degree"), {"kind": "beta", "beta": 0.8}),
    "beta-enhanced": (models.BetaLikeness(1.5, "degree", enhanced=True), {"kind": "beta-enhanced", "beta": 1.5}),
    "delta": (models.DeltaDisclosure(1.2, "wage"), {"kind": "delta", "delta": 1.2, "of": "wage"}),
    "alpha-k": (models.AlphaK(0.5, 4, "degree"), {"kind": "alpha", "alpha": 0.5, "k": 4}),
    "alpha-some-keys": (
        models.AlphaK(0.35, 4, "degree", keys=["age", "sex"]),
        {"kind": "alpha", "alpha": 0.35, "k": 4, "keys": ("age", "sex")},
    ),
}


def released_by(case, suppressed="dropped", more=()):
    model = CASES[case][0]
    if model.people is not None and suppressed == "generalised":
        pytest.skip("nobody of a population is fully generalised")
    trees = TREES if case == "t-hierarchical" else {name: tree for name, tree in TREES.items() if name != "degree"}
    return dc.Generalisation(
        [model, *more], trees, attributes=list(KEYS), suppression=0.35, suppressed=suppressed
    ).mask(TABLE)


# ----------------------------------------------------------------------------------------------- a stranger's judgement


def text_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [row | {"wage": f"{float(row['wage']):g}"} for row in csv.DictReader(file)]


def broken_in(rows, original, model, crowd=()):
    """Return how many classes of the text break a model; `crowd` is the population as it would be released."""
    keys = model.get("keys", KEYS)
    kind, of = model["kind"], model.get("of", "degree")
    if kind in ("k-by-size", "km"):
        sizes = model.get("sizes") or dict.fromkeys(range(1, model["m"] + 1), model["k"])
        return sum(
            count < k and not (kind == "km" and "" in cells)
            for size, k in sizes.items()
            for chosen in combinations(keys, size)
            for cells, count in Counter(tuple(row[c] for c in chosen) for row in rows).items()
        )
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[key] for key in keys)].append("" if kind in ("average", "uniques") else row.get(of, ""))
    if kind == "average":
        return int(len(classes) / len(rows) > model["risk"] + 1e-9)
    if kind == "uniques":
        alone = sum(len(members) == 1 for members in classes.values())
        return int(alone * len(original) / model["of"] / len(rows) > model["risk"] + 1e-9)
    whole = Counter(row[of] for row in original)
    order = sorted(whole, key=float) if of == "wage" else [d for d in (*DEGREES, "") if d in (*DEGREES, *whole)]
    shares = {value: whole[value] / len(original) for value in order}
    tree = {value: (value, BRANCH.get(value, ""), "*") for value in order}
    everybody = Counter(tuple(row[key] for key in keys) for row in crowd)
    fails = 0
    for key, members in classes.items():
        kept = keeps(model, members, everybody[key], shares, order, tree)
        fails += not (kept and (kind != "alpha" or len(members) >= model["k"]))
    return fails


def raised(rows, steps):
    """Put records on the steps of a release, by the hierarchies' own rows."""
    named = {
        name: {row[0]: row for row in ([str(a), f"{a // 10}0s", "any"] for a in range(20, 60))} for name in ("age",)
    }
    named["sex"] = {"f": ["f", "*"], "m": ["m", "*"]}
    named["area"] = {a: [a, a[0], "*"] for a in ("n1", "n2", "s1", "s2")} | {"": ["", "", ""]}
    return [{key: named[key][row[key]][steps[key]] for key in KEYS} for row in rows]


def as_text(table):
    return [
        {name: "" if cell is None else f"{cell:g}" if name == "wage" else str(cell) for name, cell in row.items()}
        for row in table.to_polars().iter_rows(named=True)
    ]


@pytest.mark.parametrize("suppressed", ["dropped", "generalised"])
@pytest.mark.parametrize("case", CASES)
def test_the_written_bytes_keep_every_model(case, suppressed, tmp_path):
    masked = released_by(case, suppressed)
    dc.write(masked, tmp_path / "released.csv")
    rows, original = text_of(tmp_path / "released.csv"), as_text(TABLE)
    assert rows
    assert len(rows) == 160 - (masked.provenance.details["suppressed"] if suppressed == "dropped" else 0)
    crowd = raised(as_text(CROWD), masked.provenance.details["steps"]) if CASES[case][0].people is not None else ()
    assert not broken_in(rows, original, CASES[case][1], crowd)
    # The judge is no rubber stamp: the original breaks it.
    assert broken_in(original, original, CASES[case][1], as_text(CROWD))
    assert masked.provenance.guarantees
    told = json.dumps(masked.provenance.to_dict()) + repr(masked.provenance.guarantees)
    assert "doctor" not in told
    assert "12.5" not in told


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".ndjson", ".xlsx", ".sav", ".dta", ".arrow"])
@pytest.mark.parametrize("case", ["k-map", "t-ordered", "t-numbers", "t-hierarchical", "delta", "km"])
def test_every_format_is_counted(case, ending, tmp_path):
    masked = released_by(case)
    path = tmp_path / f"released{ending}"
    dc.write(masked, path)
    assert path.exists()


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".ndjson"])
@pytest.mark.parametrize("case", CASES)
def test_what_does_not_hold_is_refused_and_nothing_is_put_in_place(case, ending, tmp_path):
    honest = released_by(case)
    # The original's own records with the promises of the release: what a defect of the search would write.
    rows, steps = honest.provenance.rows, honest.provenance.details["steps"]
    # Where leaving records out was enough, they are back.
    spoilt = TABLE if rows is None or not any(steps.values()) else TABLE.take(rows)
    path = tmp_path / f"released{ending}"
    with pytest.raises(BrokenGuaranteeError) as raised_error:
        dc.write(Masked(spoilt, replace(honest.provenance, changed={})), path)
    assert not path.exists()
    assert not list(tmp_path.iterdir())
    assert "doctor" not in str(raised_error.value)


def test_a_few_cells_that_moved_are_noticed(tmp_path):
    masked = released_by("t-equal")
    frame = masked.microdata.to_polars()
    first = frame.row(0, named=True)
    # Everybody of one class gets one value: sizes are as they were, the distribution is not.
    alike = pl.all_horizontal(pl.col(key).eq_missing(pl.lit(first[key])) for key in KEYS)
    moved = frame.with_columns(degree=pl.when(alike).then(pl.lit("none")).otherwise(pl.col("degree").cast(pl.String)))
    spoilt = Microdata(moved, masked.microdata.schema)
    with pytest.raises(BrokenGuaranteeError, match="do not keep what was promised"):
        dc.write(Masked(spoilt, masked.provenance), tmp_path / "released.csv")


def test_several_models_are_all_promised(tmp_path):
    masked = released_by("t-equal", more=[models.K(5), models.LDiversity(2, "wage"), models.AverageRisk(0.15)])
    dc.write(masked, tmp_path / "released.csv")
    rows, original = text_of(tmp_path / "released.csv"), as_text(TABLE)
    for model in (
        {"kind": "equal", "t": 0.2},
        {"kind": "k", "k": 5},
        {"kind": "distinct", "l": 2, "of": "wage"},
        {"kind": "average", "risk": 0.15},
    ):
        assert not broken_in(rows, original, model)
    assert len(masked.provenance.guarantees) == 4


def test_a_large_file_is_counted_batch_by_batch(tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(TABLE.to_arrow(), source, row_group_size=37)
    masker = dc.Generalisation([models.TCloseClasses(0.2, "degree"), models.KM(8, 2)], TREES, attributes=list(KEYS))
    target = tmp_path / "out.parquet"
    written = dc.protect(dc.scan(source, SCHEMA), masker, output=target)
    held = masker.mask(TABLE)
    assert [one.sentence for one in written.provenance.guarantees] == [
        one.sentence for one in held.provenance.guarantees
    ]
    assert pl.read_parquet(target).rows() == held.to_native().rows()
