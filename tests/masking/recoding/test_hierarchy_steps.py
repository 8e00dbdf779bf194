"""Builders of hierarchies: against short definitions, and what they refuse."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy_steps import cooccurrence_rows


def nested(hierarchy):
    """Whether every name has one name above it."""
    rows = list(hierarchy.rows.values())
    return all(
        len({row[step + 1] for row in rows if row[step] == name}) == 1
        for step in range(hierarchy.height)
        for name in {row[step] for row in rows}
    )


@given(st.lists(st.integers(0, 120), min_size=1, max_size=30), st.sampled_from([2, 3, 5]), st.sampled_from([2, 4]))
def test_intervals_are_those_of_the_definition(numbers, width, factor):
    tree = dc.Hierarchy.from_intervals(numbers, [width, width * factor])
    for number in numbers:
        low, broad = number // width * width, number // (width * factor) * width * factor
        names = (f"{low}–{low + width - 1}", f"{broad}–{broad + width * factor - 1}", "*")
        assert tree.rows[str(number)] == (str(number), *names)
    assert nested(tree)


def test_intervals_that_are_not_nested_are_refused():
    with pytest.raises(ParameterError, match="2 names of step 1 belong to two different broader names"):
        dc.Hierarchy.from_intervals(range(30), [10, "0,5,25,30"])
    with pytest.raises(ParameterError, match="5 of 30 numbers lie outside of the breaks of step 1"):
        dc.Hierarchy.from_intervals(range(30), ["0,10,24"])
    with pytest.raises(ParameterError, match="step 1 must be a width"):
        dc.Hierarchy.from_intervals(range(30), ["tens"])
    with pytest.raises(ParameterError, match="count bands of step 1 need the records"):
        dc.Hierarchy.from_intervals(range(30), ["count:3"])


@given(st.integers(1, 12), st.sampled_from([[2], [2, 4], [3, 6, 12]]))
def test_order_joins_runs_from_the_lowest(size, sizes):
    levels = [f"v{place}" for place in range(size)]
    tree = dc.Hierarchy.from_order(levels, sizes)
    for step, each in enumerate(sizes, 1):
        groups = [levels[start : start + each] for start in range(0, size, each)]
        names = {name: f"{g[0]}–{g[-1]}" if len(g) > 1 else g[0] for g in groups for name in g}
        assert {level: row[step] for level, row in tree.rows.items()} == names
    with pytest.raises(ParameterError, match="each a multiple"):
        dc.Hierarchy.from_order(levels, [2, 3])


@given(st.lists(st.text("0123456789", min_size=1, max_size=6), min_size=1, max_size=20, unique=True))
def test_prefixes_are_nested_and_keep_the_length(codes):
    tree = dc.Hierarchy.from_prefix(codes)
    assert nested(tree)
    for code, row in tree.rows.items():
        assert all(len(name) == len(code) for name in row[:-1])
        assert all(a.rstrip("*") == code[: len(a.rstrip("*"))] for a in row[:-1])
    left = dc.Hierarchy.from_prefix(codes, [1], mask="", from_left=True)
    assert {code: row[1] for code, row in left.rows.items()} == {code: code[-1] for code in codes}


def test_prefixes_put_zeros_back():
    assert dc.Hierarchy.from_prefix([601, 12345], [3], width=5).rows["601"] == ("601", "006**", "*")
    with pytest.raises(ParameterError, match="digits must descend"):
        dc.Hierarchy.from_prefix(["12"], [1, 2])


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 30), min_size=1), st.integers(2, 10), st.integers(1, 20)
)
def test_frequency_joins_what_is_rare_and_tells_no_count(counts, least, more):
    tree = dc.Hierarchy.from_frequency(counts, [least, least + more])
    assert nested(tree)
    assert list(tree.rows) == list(counts), "the order of rows is that of the levels"
    total = sum(counts.values())
    for step, fewest in ((1, least), (2, least + more)):
        sums = Counter()
        for level, row in tree.rows.items():
            sums[row[step]] += counts[level]
        assert all(number >= min(fewest, total) for number in sums.values() if number)
    assert not any(character.isdigit() for row in tree.rows.values() for name in row for character in name)


def test_dates_are_those_of_the_calendar():
    days = [dt.date(1999, 12, 31), dt.date(2000, 1, 1)]
    tree = dc.Hierarchy.from_dates(days, ["month", "quarter", "year", "decade"])
    assert tree.rows["1999-12-31"] == ("1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*")
    with pytest.raises(ParameterError, match="in this order"):
        dc.Hierarchy.from_dates(days, ["year", "month"])
    with pytest.raises(ParameterError, match="in this order"):
        dc.Hierarchy.from_dates(days, ["season"])
    with pytest.raises(ParameterError, match="1 of 1 values are no dates") as caught:
        dc.Hierarchy.from_dates(["SECRET"], ["year"])
    assert "SECRET" not in str(caught.value)


# ---------------------------------------------------------------------------------------------------- co-occurrence


def together(jobs, sectors):
    levels = tuple(sorted(set(jobs)))
    schema = dc.Schema(
        [
            dc.Attribute("job", dc.Nominal(levels), "key"),
            dc.Attribute("sector", dc.Nominal(tuple(sorted(set(sectors)))), "key"),
        ]
    )
    return dc.Microdata(pa.table({"job": jobs, "sector": sectors}), schema)


def lost(jobs, sectors, groups):
    """The information about sectors that is lost where levels are joined."""

    def information(members):
        times = Counter(s for j, s in zip(jobs, sectors, strict=True) if j in members)
        total = sum(times.values())
        return sum(t * log(t / total) for t in times.values())

    return sum(sum(information({member}) for member in group) - information(group) for group in groups)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=8, max_size=40))
def test_the_first_join_is_the_cheapest(pairs):
    jobs, sectors = [j for j, _ in pairs], [s for _, s in pairs]
    levels = sorted(set(jobs))
    if len(levels) < 3:
        return
    rows = cooccurrence_rows(together(jobs, sectors), "job", [len(levels) - 1], ["sector"])
    groups: dict[str, set[str]] = {}
    for level, name in rows:
        groups.setdefault(name, set()).add(level)
    best = min(lost(jobs, sectors, [set(pair)]) for pair in combinations(levels, 2))
    assert lost(jobs, sectors, groups.values()) == pytest.approx(best, abs=1e-6)


def test_levels_that_occur_alike_are_joined():
    rng = np.random.default_rng(0)
    jobs = rng.choice(["nurse", "doctor", "smith", "welder", "judge"], 500)
    care = {"nurse": 0.9, "doctor": 0.85, "smith": 0.1, "welder": 0.15, "judge": 0.5}
    sectors = [("care" if rng.random() < care[job] else "metal") for job in jobs]
    tree = dc.Hierarchy.from_cooccurrence(together(jobs.tolist(), sectors), "job", [3, 2])
    assert tree.rows["nurse"][1] == "doctor | nurse"
    assert tree.rows["smith"][1] == "smith | welder"
    assert tree.rows["judge"][1] == "judge"
    assert nested(tree)


def test_what_cannot_be_compared_is_refused():
    table = together(["a", "b"], ["x", "y"])
    with pytest.raises(ParameterError, match="groups must descend"):
        dc.Hierarchy.from_cooccurrence(table, "job", [2, 4])
    with pytest.raises(ParameterError, match="compared by other attributes, and there is none"):
        dc.Hierarchy.from_cooccurrence(table, "job", [1], ["job"])


@pytest.mark.parametrize("bad", [3, "abc", [3], ["abc"], None])
def test_what_is_no_list_of_rows_is_refused_in_our_words(bad):
    with pytest.raises(ParameterError, match="Hierarchy: "):
        dc.Hierarchy(bad)


def test_no_message_of_a_library_tells_a_value():
    for build in (lambda: dc.Hierarchy.from_intervals(["SECRET4711"], [5]), lambda: dc.Hierarchy.from_order(3, [2])):
        with pytest.raises(dc.DiscreetError) as caught:
            build()
        assert "SECRET" not in str(caught.value)
