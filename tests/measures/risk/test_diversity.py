"""What groups of equal keys tell of confidential values, on groups small enough to count."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.measures.risk.diversity import LDiversityViolations, TCloseness

AREA = Attribute("area", Nominal(list("nsw")), "key")
ILL = Attribute("ill", Nominal(list("abcd")), "confidential")
SCHEMA = Schema([AREA, ILL])


def measured(measure, areas, ill, schema=SCHEMA):
    frame = pl.DataFrame({"area": list(areas), "ill": list(ill)})
    return measure.measure(frame, frame, schema)


@pytest.mark.parametrize(
    ("options", "ill", "fails"),
    [
        ({"l": 3}, "aabc", False),
        ({"l": 4}, "aabc", True),
        ({"l": 2, "kind_of": "entropy"}, "aabb", False),
        ({"l": 2.01, "kind_of": "entropy"}, "aabb", True),
        ({"l": 2, "kind_of": "entropy"}, "aaab", True),
        ({"l": 2.8, "kind_of": "entropy"}, "aabc", False),  # 1.5 bits are 2.83
        ({"l": 2.9, "kind_of": "entropy"}, "aabc", True),
        ({"l": 2, "kind_of": "recursive"}, "aabc", True),  # two are not fewer than two
        ({"l": 2, "kind_of": "recursive", "c": 1.01}, "aabc", False),
        ({"l": 1.5, "kind_of": "recursive", "c": 1.01}, "aabc", False),
        ({"l": 3, "kind_of": "recursive", "c": 2}, "aabc", True),
        ({"l": 3, "kind_of": "recursive", "c": 2.01}, "aabc", False),
        ({"l": 3, "kind_of": "recursive", "c": 2.01}, "caba", False),
        ({"l": 1, "kind_of": "recursive"}, "aaaa", True),
        ({"l": 1, "kind_of": "recursive", "c": 1.01}, "aaaa", False),
        ({"l": 2}, ["a", None, "a", None], False),  # a missing value is one
    ],
)
def test_one_group_by_hand(options, ill, fails):
    assert measured(LDiversityViolations(**options), "nnnn", ill).value == (100 if fails else 0)


def test_groups_that_fail_are_told_by_attribute():
    also = Attribute("debt", Numeric(), "confidential")
    frame = pl.DataFrame({"area": list("nnssw"), "ill": list("abaac"), "debt": [1.5, 2.5, 1.5, 2.5, 0.5]})
    result = LDiversityViolations().measure(frame, frame, Schema([AREA, ILL, also]))
    assert result.value == 60
    assert result.per_attribute == {"ill": 60, "debt": 20}
    assert result.sentence.startswith(
        "3 of 5 records are in groups of equal keys (1 key counted) that are not distinct 2-diverse, most for ill."
    )
    assert {name: result.details[name] for name in ("l", "kind_of", "sensitive")} == {
        "l": 2.0, "kind_of": "distinct", "sensitive": ["ill", "debt"],
    }  # fmt: skip
    assert LDiversityViolations().per_record(frame, frame, Schema([AREA, ILL, also])).tolist() == [0, 0, 1, 1, 1]
    fine = LDiversityViolations(1).measure(frame, frame, Schema([AREA, ILL, also]))
    assert fine.sentence.startswith("Every group of equal keys (1 key counted) is distinct 1-diverse in 2 attributes.")
    one = LDiversityViolations(sensitive=["debt"]).measure(frame, frame, Schema([AREA, ILL, also]))
    assert one.per_attribute == {"debt": 20}


def test_distances_of_groups_by_hand():
    # All: a 3, b 1, c 1 of 5. In n a and b; in s a, a, c.
    result = measured(TCloseness(0.1), "nnsss", "abaac")
    assert result.per_attribute == {"ill": pytest.approx(100 * (0.5 - 0.2))}
    assert result.details["records_beyond"] == 5
    assert result.details["mean_percent"] == pytest.approx(100 * (2 * 0.3 + 3 * (2 / 3 - 0.6 + 1 / 3 - 0.2)) / 5)
    assert measured(TCloseness(0.25), "nnsss", "abaac").details["records_beyond"] == 2
    assert "; 2 of 5 records are in groups beyond 25 %." in measured(TCloseness(0.25), "nnsss", "abaac").sentence
    assert measured(TCloseness(0.5), "nnssssss", "abbbbbbb").details["records_beyond"] == 0


def test_ordered_values_are_as_far_as_the_places_between_them():
    ordered = Schema([AREA, Attribute("ill", Ordinal(list("abcd")), "confidential")])
    # All a ½, c ½: two values occur, so one step. In n a alone.
    assert measured(TCloseness(), "nnss", "aacc", ordered).value == pytest.approx(50)
    # All a, b, d: a third each; n has d: |0 − ⅓| + |0 − ⅔| over two steps.
    assert measured(TCloseness(), "nsw", "dab", ordered).value == pytest.approx(50)
    assert measured(TCloseness(distance="equal"), "nsw", "dab", ordered).value == pytest.approx(100 * 2 / 3)
    assert measured(TCloseness(), "nns", "aaa", ordered).value == 0
    # A missing value is the last level: |0 − ½| over one step.
    assert measured(TCloseness(), "ns", ["a", None], ordered).value == pytest.approx(50)
    with pytest.raises(ParameterError, match="TCloseness: 'ill' has no order for the ordered distance"):
        measured(TCloseness(distance="ordered"), "ns", "ab")


@pytest.mark.parametrize("top", [True, False])
def test_on_a_hierarchy_what_lies_under_one_name_is_nearer(top):
    rows = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]
    tree = Hierarchy([(*row, "any") if top else row for row in rows])
    measure = TCloseness(distance="hierarchical", hierarchies={"ill": tree})
    # All a quarter each. n has a and b: half of it must cross both steps. s has c and d likewise.
    assert measured(measure, "nnss", "abcd").value == pytest.approx(50)
    # n has a and c: leaves differ by a half, and names by nothing: half of a half.
    assert measured(measure, "nsns", "abcd").value == pytest.approx(25)
    # A missing value is a branch of its own at every step.
    assert measured(measure, "ns", ["a", None]).value == pytest.approx(50)
    with pytest.raises(ParameterError, match="'ill' needs levels and a hierarchy"):
        measured(TCloseness(distance="hierarchical"), "ns", "ab")
    few = TCloseness(distance="hierarchical", hierarchies={"ill": Hierarchy(rows[:3])})
    with pytest.raises(ParameterError, match="TCloseness: 1 of 4 levels of 'ill' have no row"):
        measured(few, "ns", "ab")
