from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.perturbing import record_swapping
from discreet.masking.perturbing.record_swapping import RecordSwapping

COUNTIES, TOWNS, WORK, SEX = ("n", "s"), tuple("abcdef"), ("farmer", "baker", "judge", "miner"), ("f", "m")


def schema(households=True):
    house = Attribute("house", Nominal(tuple(range(5000))), "identifier", household=True)
    return Schema(
        [
            *([house] if households else []),
            Attribute("county", Nominal(COUNTIES), "key"),
            Attribute("town", Nominal(TOWNS), "key"),
            Attribute("work", Nominal(WORK), "key"),
            Attribute("sex", Nominal(SEX), "key"),
            Attribute("height", Numeric(), "other"),
        ]
    )


def village(n=200, seed=0):
    """Households of one to four in six towns of two counties."""
    rng = np.random.default_rng(seed)
    rows = []
    for house in range(n):
        town = int(rng.integers(6))
        for _ in range(int(rng.integers(1, 5))):
            work = WORK[int(rng.choice(4, p=[0.7, 0.2, 0.06, 0.04]))]
            rows.append((house, COUNTIES[town // 3], TOWNS[town], work, SEX[int(rng.integers(2))], 100.0 * town))
    rows = [rows[i] for i in rng.permutation(len(rows))]
    return pl.DataFrame(rows, schema=["house", "county", "town", "work", "sex", "height"], orient="row")


def homes(original, released):
    """By household: where it was, where it is, and who lives in it."""
    before, after, members = {}, defaultdict(set), defaultdict(list)
    for was, now in zip(original.rows(named=True), released.rows(named=True), strict=True):
        before[was["house"]] = (was["county"], was["town"], was["height"])
        after[was["house"]].add((now["county"], now["town"], now["height"]))
        members[was["house"]].append((was["work"], was["sex"]))
        assert (was["work"], was["sex"]) == (now["work"], now["sex"])
    assert all(len(places) == 1 for places in after.values()), "members stay together"
    return before, {house: next(iter(places)) for house, places in after.items()}, members


def swap(frame, *args, **options):
    masked = RecordSwapping(*args, **options).mask(frame, schema())
    return masked, homes(frame, masked.to_native())


@given(st.integers(0, 50), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([None, ["sex"], [["work"], ["sex"]]]))
def test_counts_by_region_and_size_stay_and_pairs_exchange(seed, rate, similar):
    frame = village(60, seed)
    masked, (before, after, members) = swap(
        frame, ["county", "town"], rate=rate, similar=similar, carry=["height"], random_state=seed
    )
    size = {house: len(people) for house, people in members.items()}
    assert Counter((before[h], size[h]) for h in size) == Counter((after[h], size[h]) for h in size)
    moved = [house for house in size if before[house] != after[house]]
    details = masked.provenance.details
    assert len(moved) == details["swapped"]
    assert sum(size[house] for house in moved) == details["records_moved"]
    if similar == ["sex"]:
        looks = {house: "".join(sorted(sex for _, sex in members[house])) for house in size}
        assert Counter((before[h], looks[h]) for h in size) == Counter((after[h], looks[h]) for h in size)


def rarest(frame, level):
    """By household, how many records of its region share the work and sex of its rarest member."""
    counts = Counter((row[level], row["work"], row["sex"]) for row in frame.rows(named=True))
    result = {}
    for row in frame.rows(named=True):
        size = counts[row[level], row["work"], row["sex"]]
        result[row["house"]] = min(size, result.get(row["house"], size))
    return result


def test_whoever_is_at_risk_leaves_the_region_where_he_is():
    frame = village(400, 3)
    masked, (before, after, _) = swap(
        frame, ["county", "town"], rate=0, k=4, risk=["work", "sex"], certain=True, carry=["height"], random_state=1
    )
    county, town = rarest(frame, "county"), rarest(frame, "town")
    first = [house for house in before if county[house] < 4]
    then = [house for house in before if county[house] >= 4 and town[house] < 4]
    details = masked.provenance.details
    assert details["at_risk"] == {"county": len(first), "town": len(then)}
    assert len(then) > 10
    assert details["without_partner"] == details["left_by_chance"] == 0
    assert all(before[house][0] != after[house][0] for house in first)
    assert all(before[house][1] != after[house][1] for house in then)


def test_the_rate_is_reached_and_not_exceeded():
    masked, (before, _, _) = swap(village(), ["county", "town"], rate=0.2, k=1, carry=["height"], random_state=2)
    assert masked.provenance.details["swapped"] == 0.2 * len(before)
    assert masked.provenance.details["at_risk"] == {"county": 0, "town": 0}


@pytest.mark.parametrize("certain", [False, True])
def test_an_intruder_learns_no_region_of_a_unique_household(certain):
    """He finds a profession that occurs once, and says that its household lives where the file puts it."""
    shown = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        town = rng.integers(0, 2, 60)
        work = np.array(["farmer"] * 60, dtype=object)
        work[rng.integers(60)] = "judge"
        frame = pl.DataFrame({"town": ["ab"[t] for t in town], "work": work.tolist()})
        attributes = [Attribute("town", Nominal(("a", "b")), "key"), Attribute("work", Nominal(WORK), "key")]
        masked = RecordSwapping(["town"], rate=0.1, certain=certain, random_state=seed).mask(frame, Schema(attributes))
        judge = frame["work"].to_list().index("judge")
        shown += masked.to_native()["town"][judge] == frame["town"][judge]
    if certain:
        assert shown == 0, "of two regions it must be the other one: whoever is told so knows"
    else:
        assert 0.3 < shown / 60 < 0.7, "the one that is shown is as good as any"


def test_rare_households_are_swapped_more_often():
    frame = village(1000, 5)
    moves = Counter()
    for seed in range(4):
        _, (before, after, _) = swap(frame, ["town"], rate=0.1, k=1, carry=["county", "height"], random_state=seed)
        rare = rarest(frame, "town")
        for house in before:
            kind = "rare" if rare[house] <= 10 else "common" if rare[house] > 60 else "between"
            moves[kind, before[house] != after[house]] += 1
    share = {kind: moves[kind, True] / (moves[kind, True] + moves[kind, False]) for kind in ("rare", "common")}
    assert share["rare"] > 2 * share["common"]


def test_gaps_stay_where_they_are_and_the_order_is_told():
    gap = pl.col("house") == 3
    frame = village(80, 1).with_columns(pl.when(gap).then(None).otherwise("town").alias("town")).sort("town")
    masked, (before, after, _) = swap(frame, ["county", "town"], rate=0.5, carry=["height"], random_state=1)
    assert before[3] == after[3]
    notes = " ".join(masked.provenance.notes)
    assert "Left alone, because their geography is not complete: 1 households." in notes
    assert "reorder the records (record-order)" in notes
    shuffled = RecordSwapping(["county", "town"]).mask(village(), schema())
    assert "record-order" not in " ".join(shuffled.provenance.notes)


def test_bad_input_is_refused():
    frame = village(40)
    torn = frame.with_columns(pl.lit(0).alias("house"))
    with pytest.raises(DataError, match="Column 'town' differs within 1 of 1 units of 'house'"):
        RecordSwapping(["town"]).mask(torn, schema())
    with pytest.raises(DataError, match="of one region"):
        RecordSwapping(["county"]).mask(frame.filter(pl.col("county") == "n"), schema())
    with pytest.raises(ParameterError, match="hierarchy must be nominal or ordinal; 'height' is numeric"):
        RecordSwapping(["height"]).mask(frame, schema())
    with pytest.raises(ParameterError, match="risk must be attributes that stay where they are"):
        RecordSwapping(["town"], risk=["town"]).mask(frame, schema())
    with pytest.raises(ParameterError, match="must name an attribute once"):
        RecordSwapping(["town"], carry=["town"]).mask(frame, schema())


# ------------------------------------------------------------------------------------------------------ the parts


def test_rows_are_numbered_alike_exactly_where_they_are():
    codes = np.array([[1, 5], [1, 6], [0, 5], [1, 5], [-1, 5]])
    numbers = record_swapping._numbered(codes)
    same = (codes[:, None] == codes[None]).all(axis=2)
    assert ((numbers[:, None] == numbers[None]) == same).all()
    assert sorted(set(numbers.tolist())) == [0, 1, 2, 3]


def test_households_are_alike_by_their_members_in_any_order():
    traits, labels = np.array([3, 5, 5, 3, 3, 3, 5]), np.array([0, 0, 1, 1, 2, 3, 3])
    assert record_swapping._compositions(traits, labels).tolist() == [0, 0, 1, 0]


def test_levels_that_occur_may_become_each_other():
    found = record_swapping._any_present(np.array([0, 2, -1]), 3)
    assert found.tolist() == [
        [True, False, True, False],
        [False, True, False, False],
        [True, False, True, False],
        [False, False, False, True],
    ]


def test_homes_by_hand():
    """Four households in three towns of two counties, one of them without a town."""
    frame = pl.DataFrame(
        [
            (1, "n", "a", "farmer", "f", 0.0),
            (1, "n", "a", "baker", "m", 0.0),
            (2, "n", "a", "farmer", "f", 0.0),
            (3, "n", "b", "farmer", "f", 0.0),
            (4, "s", None, "farmer", "f", 0.0),
            (5, "s", "d", "judge", "m", 0.0),
        ],
        schema=["house", "county", "town", "work", "sex", "height"],
        orient="row",
    )
    masker = RecordSwapping(["county", "town"], risk=["work"], similar=["sex"])
    homes = masker._homes(dc.Microdata(frame, schema()))
    assert homes.labels.tolist() == [0, 0, 1, 2, 3, 4]
    assert homes.first.tolist() == [0, 2, 3, 4, 5]
    assert (homes.regions[3] == -1).all()
    assert homes.regions[0].tolist() == homes.regions[1].tolist() != homes.regions[2].tolist()
    assert homes.regions[0, 0] == homes.regions[2, 0] != homes.regions[4, 0]
    # The baker is alone in county and town; three farmers share the county, two of them the town.
    assert homes.counts.tolist() == [[1, 1], [3, 2], [3, 1], [1, 1], [1, 1]]
    (alike,) = homes.profiles
    assert alike[1] == alike[2] == alike[3] != alike[4]
    assert alike[0] not in alike[1:]


def test_sentences_count_what_was_done():
    masked = RecordSwapping(["county", "town"], rate=0.2, k=1, carry=["height"], random_state=2).mask(
        village(), schema()
    )
    details = masked.provenance.details
    assert masked.provenance.notes[0] == (
        f"{details['swapped']} of 200 households exchanged their county, town with another one; 0 were at risk, 0 of "
        "which were swapped."
    )
    alone = RecordSwapping(["town"], rate=0.2, k=1, random_state=2).mask(
        village().drop("house"), schema(households=False)
    )
    assert alone.provenance.notes[0].startswith(
        f"{alone.provenance.details['swapped']} of {len(alone)} records exchanged their town with another one"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"hierarchy": ["house"]}, "hierarchy names 'house', an identifier"),
        ({"hierarchy": ["town"], "carry": ["house"]}, "carry names 'house', an identifier"),
        ({"hierarchy": ["town", "town"]}, "hierarchy and carry must name an attribute once"),
        ({"hierarchy": ["town"], "carry": ["county"], "risk": ["county"]}, "risk must be attributes that stay where"),
    ],
)
def test_what_cannot_be_swapped_is_said(options, said):
    with pytest.raises(ParameterError, match=f"RecordSwapping: {said}"):
        RecordSwapping(**options).columns_for(schema())


def test_what_is_at_risk_has_to_be_known():
    frame = village(40).select("house", "county", "town")
    places = schema().select(["house", "county", "town"])
    with pytest.raises(
        ParameterError, match="risk must name attributes; the schema has no categorical key but geography"
    ):
        RecordSwapping(["county", "town"], k=2).mask(frame, places)
    assert RecordSwapping(["county", "town"], k=1, rate=0.5).mask(frame, places).provenance.details["swapped"] > 0


def test_what_is_swapped_stands_in_the_order_of_the_schema_and_a_household_must_be_there():
    masker = RecordSwapping(["town"], carry=["county"], household="house")
    assert masker.columns_for(schema()) == ("county", "town")
    with pytest.raises(dc.DiscreetError, match="no attribute named 'home'"):
        RecordSwapping(["town"], household="home").columns_for(schema())
    with pytest.raises(ParameterError, match="RecordSwapping: hierarchy must be .*; 'height' is numeric"):
        RecordSwapping(["height"]).columns_for(schema())
    assert RecordSwapping(["town"], carry=["height"]).columns_for(schema()) == ("town", "height")
    assert RecordSwapping(["town"], similar=["house"]).columns_for(schema()) == ("town",)


def test_profiles_and_keys_at_risk_by_hand():
    assert RecordSwapping(["town"])._profiles() == [()]
    assert RecordSwapping(["town"], similar=["sex", "work"])._profiles() == [["sex", "work"]]
    several = RecordSwapping(["town"], similar=[["sex", "work"], ["sex"]])
    assert [list(one) for one in several._profiles()] == [["sex", "work"], ["sex"]]
    assert RecordSwapping(["town"], carry=["county"])._risk(schema()) == ("work", "sex")
    assert RecordSwapping(["town"])._risk(schema()) == ("county", "work", "sex")
    assert RecordSwapping(["town"], risk=["sex"])._risk(schema()) == ("sex",)
    assert several._secret(schema(), ("town",)) == ("town", "county", "work", "sex")
