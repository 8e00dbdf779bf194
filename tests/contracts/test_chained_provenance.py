"""A release that is masked again: what it says of all that was done to it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.contracts.chained_provenance import chained, masked_again, table_to_mask
from discreet.contracts.masked import Masked, Provenance
from discreet.data.guarantees import Guarantee
from discreet.errors import ParameterError


@pytest.fixture
def people():
    return microdata(120)


def test_a_release_is_masked_again_as_a_chain_would(people):
    steps = [
        dc.MDAV(k=3, random_state=1),
        dc.PRAM(attributes=["fuel"], random_state=2),
        dc.PRAM(attributes=["fuel"], random_state=3),
    ]
    twice = people
    for step in steps:
        twice = dc.protect(twice, step)
    chain = dc.Chain(steps, seed=0).mask(people)
    assert twice.to_native().equals(chain.to_native())
    mine, theirs = twice.provenance, chain.provenance
    assert [one.method for one in mine.history] == ["mdav", "pram", "pram"]
    assert (mine.method, mine.perturbative) == (theirs.method, theirs.perturbative)
    assert set(mine.attributes) == set(theirs.attributes)
    assert set(mine.removed) == set(theirs.removed)
    assert mine.guarantees == theirs.guarantees
    assert mine.guarantees
    assert set(mine.transitions) == set(theirs.transitions)
    for name, matrix in theirs.transitions.items():
        assert (mine.transitions[name] == matrix).all(), name
    assert any("counted from what" in note and "fuel" in note for note in mine.notes)
    assert dc.assess(people, twice).score == dc.assess(people, chain).score


def test_a_promise_that_the_second_step_breaks_is_not_made(people):
    grouped = dc.protect(people, "mdav", k=3, random_state=1)
    noisy = dc.protect(grouped, "additive-noise", level=0.3, random_state=1)
    assert grouped.provenance.guarantees
    assert noisy.provenance.guarantees == ()
    assert any("Not promised any more" in note for note in noisy.provenance.notes)
    assert noisy.provenance.labels is None


def test_groups_stay_where_the_second_step_left_them_alone(people):
    grouped = dc.protect(people, "mdav", k=3, random_state=1)
    again = dc.protect(grouped, dc.PRAM(attributes=["fuel"], random_state=1))
    assert (again.labels == grouped.labels).all()
    assert again.provenance.grouped == grouped.provenance.attributes


@pytest.mark.parametrize(
    "step", [dc.Sampling(0.5, random_state=1), dc.RecordOrder(random_state=1)], ids=["fewer", "order"]
)
def test_records_that_moved_are_not_masked_again(people, step):
    moved = step.mask(people)
    for masker in (dc.MDAV(k=3), dc.Chain([dc.MDAV(k=3)])):
        with pytest.raises(ParameterError, match="left records out or put them into another order") as caught:
            dc.protect(moved, masker)
        assert "Chain" in caught.value.hint


def test_a_release_is_taken_wherever_a_frame_is(people):
    masked = dc.protect(people, "mdav", k=3, random_state=1)
    again = dc.protect(masked, dc.PRAM(attributes=["fuel"], random_state=1))
    # Compared with the first release, a second one has only done what it did itself.
    assert dc.assess(masked, again).score.risk > dc.assess(people, again).score.risk
    assert dc.risk(masked).to_dict() == dc.risk(masked.microdata).to_dict()
    assert len(dc.microdata(masked)) == len(people)
    assert np.isfinite(dc.measure(masked, again, "distance-linkage")[0].value)


# ------------------------------------------------------------------------------------------------- records made by hand

SCHEMA = dc.Schema(
    [
        dc.Attribute("id", dc.Numeric(), "identifier"),
        dc.Attribute("age", dc.Numeric(), "key"),
        dc.Attribute("town", dc.Nominal(("n", "s")), "key"),
        dc.Attribute("job", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("ill", dc.Nominal(("no", "yes")), "confidential"),
    ]
)
CELLS = {
    "id": [1, 2, 3, 4],
    "age": [30, 30, 40, 40],
    "town": ["n", "n", "s", "s"],
    "job": list("abab"),
    "ill": ["no"] * 4,
}


def table(**cells):
    return dc.microdata(pl.DataFrame(CELLS | cells), SCHEMA)


def step(method="step", attributes=("age",), **given):
    return Provenance(method, {"p": method}, attributes, 4, **({"changed": dict.fromkeys(attributes, 1)} | given))


def record(*history, released=None, rows=None, units=None, original=None):
    original = original or table()
    released = released or original.select(["age", "town", "job", "ill"])
    schemas = [(original.schema, released.schema)] * len(history)
    return chained(original, released, rows, units or [None] * len(history), history, schemas, 7)


def test_the_record_of_several_steps_is_one():
    first = step(
        "one", notes=("Keys that were left alone (2): x.", "It swapped."), perturbative=False, details={"d": 1}
    )
    second = step("two", ("town",), notes=("Identifiers that are not released (1): id.", "It drew."), perturbative=True)
    released = table(age=[30, 30, 41, 40], town=["s", "n", "s", "n"]).select(["age", "town", "job", "ill"])
    found = record(first, second, released=released, units=[None, "house"])
    assert found.method == "one + two"
    assert found.parameters == {
        "steps": [{"method": "one", "p": "one"}, {"method": "two", "unit": "house", "p": "two"}]
    }
    assert (found.attributes, found.removed, found.n_records) == (("age", "town"), ("id",), 4)
    assert found.changed == {"age": 1, "town": 2}
    assert (found.seed, found.perturbative, found.rows, found.labels) == (7, True, None, None)
    assert found.details == {"steps": [{"d": 1}, {}]}
    assert found.notes == (
        "Step 1 (one): It swapped.",
        "Step 2 (two): It drew.",
        "Keys that no step masked (1): job.",
        "Identifiers that are not released (1): id.",
    )
    assert found.history == (first, second)


def test_cells_are_counted_by_record_where_records_moved():
    rows = np.array([2, 0])
    released = table(age=[40, 31, 0, 0]).take(np.array([0, 1])).select(["age", "town", "job", "ill"])
    assert record(step(), released=released, rows=rows).changed == {"age": 1}
    none = record(step(attributes=("id",)))
    assert (none.changed, none.attributes) == ({}, ())


@pytest.mark.parametrize(
    ("flags", "together"),
    [((False, False), False), ((False, True), True), ((None, True), True), ((False, None), None), ((None, None), None)],
)
def test_one_step_that_makes_values_untrue_is_enough(flags, together):
    assert record(*(step(perturbative=flag) for flag in flags)).perturbative is together


LABELS = np.array([0, 0, 1, 1])


def test_groups_are_those_of_the_last_step_that_formed_some():
    formed = step("one", ("age", "town"), changed={"age": 1}, labels=LABELS, details={"blocks": [["age"]]})
    alone = record(formed)
    assert (alone.labels.tolist(), alone.grouped, alone.details["blocks"]) == ([0, 0, 1, 1], ("age",), [["age"]])
    assert record(step("zero", details={"blocks": [["job"]]}), formed).details["blocks"] == [["age"]]
    assert record(formed, step("two", ("town",))).grouped == ("age",)
    later = step("two", ("town",), labels=np.array([5, 5, 5, 9]))
    assert (record(formed, later).labels.tolist(), record(formed, later).grouped) == ([0, 0, 0, 1], ("town",))
    assert "blocks" not in record(formed, later).details
    spoilt = record(formed, step("two"))
    assert (spoilt.labels, spoilt.grouped) == (None, None)
    assert spoilt.notes[-1] == "The groups of one are not reported: two changed their values."
    assert "blocks" not in spoilt.details
    told = step("one", ("age", "town"), grouped=("age", "town"))
    assert (record(told).labels, record(told).grouped) == (None, ("age", "town"))
    assert record(told, step("two", ("town",))).grouped is None


def test_groups_follow_the_records_that_stay():
    formed = step("one", labels=LABELS)
    fewer = step("two", ("age",), changed={}, rows=np.array([3, 2]))
    released = table().take(np.array([3, 2])).select(["age", "town", "job", "ill"])
    assert record(formed, fewer, released=released, rows=fewer.rows).labels.tolist() == [0, 0]
    assert record(step(grouped=("age",)), fewer, released=released, rows=fewer.rows).grouped == ("age",)
    # What was written in parts was not counted, and may have changed all that it masked.
    parts = record(formed, step("two", ("age",), changed={}))
    assert parts.labels is None
    block = step("one", labels=np.array([[0, 1], [0, 1], [4, 1], [4, 1]]))
    assert record(block).labels.tolist() == [[0, 1], [0, 1], [4, 1], [4, 1]]


def test_promises_stand_where_nothing_touched_them_or_the_release_keeps_them():
    pair = Guarantee("one", ("age",), 2)
    first = step("one", guarantees=(pair,))
    assert record(first).guarantees == (pair,)
    assert all(one.guarantees == () for one in record(first).history)
    assert record(first, step("two", ("town",))).guarantees == (pair,)
    # Counted again where a later step touched it: ages come in pairs still, or not.
    assert record(first, step("two")).guarantees == (pair,)
    single = table(age=[30, 30, 40, 41]).select(["age", "town", "job", "ill"])
    broken = record(first, step("two"), released=single)
    assert broken.guarantees == ()
    assert broken.notes[-1] == "Not promised any more, because a later step changed it: groups of 2 by one on age."
    # Nobody counts again what was not touched, or changed in no cell, or was renumbered.
    for later in (step("two", ("town",)), step("two", changed={"age": 0}), step(dc.Identifiers().name)):
        assert record(first, later, released=single).guarantees == (pair,)
    order = step("two", (), rows=np.array([1, 0, 2, 3]))
    assert record(first, order, released=single).guarantees == (pair,)
    fewer = step("two", (), rows=np.array([0, 1, 2]))
    assert record(first, fewer, released=single.take(np.arange(3)), rows=fewer.rows).guarantees == ()
    # A promise of the last step is its own.
    assert record(step("zero"), first, released=single).guarantees == (pair,)


def test_a_promise_within_strata_may_hold_over_all_of_them():
    inside = Guarantee("one", ("age",), 2, strata=("town",))
    moved = table(town=["n", "s", "n", "s"]).select(["age", "town", "job", "ill"])
    found = record(step("one", guarantees=(inside,)), step("two", ("town",)), released=moved)
    assert found.guarantees == (Guarantee("one", ("age",), 2),)
    assert found.notes[-1].endswith("groups of 2 by one on town, age.")


def test_windows_hold_for_what_one_step_alone_touched():
    swapped = step("one", ("age", "job"), details={"window": {"age": 3, "job": 4}})
    assert record(swapped).details["window"] == {"age": 3, "job": 4}
    assert record(swapped, step("two", ("job",))).details["window"] == {"age": 3}
    assert "window" not in record(swapped, step("two", ("age", "job"))).details


TO_FIRST = np.array([[True, False], [True, False]])
EITHER = np.array([[True, True], [False, True]])


def test_transitions_are_composed_step_by_step():
    def town(matrix, **given):
        return step(attributes=("town",), transitions={} if matrix is None else {"town": matrix}, **given)

    whole = [[True, False, False], [True, False, False], [False, False, True]]
    assert record(town(TO_FIRST)).transitions["town"].tolist() == whole
    assert record(town(np.array(whole))).transitions["town"].tolist() == whole
    # The second level may become the second only; after it, everything goes to the first, or the other way round.
    assert record(town(EITHER), town(TO_FIRST)).transitions["town"].tolist() == whole
    assert record(town(TO_FIRST), town(EITHER)).transitions["town"].tolist() == [
        [True, True, False], [True, True, False], [False, False, True],
    ]  # fmt: skip
    hides = np.array([[False, False, True], [False, True, False], [False, False, True]])
    assert record(town(hides), town(TO_FIRST)).transitions["town"].tolist() == [
        [False, False, True], [True, False, False], [False, False, True],
    ]  # fmt: skip
    for history in (
        (town(None), town(TO_FIRST)),
        (town(TO_FIRST), town(None)),
        (town(TO_FIRST), town(None), town(EITHER)),
    ):
        assert record(*history).transitions == {}
    assert set(record(town(TO_FIRST), step()).transitions) == {"town"}


# -------------------------------------------------------------------------------------------------------- masked again


def again(first, second, data=None, masked=None):
    data = Masked(data or table().select(["age", "town", "job", "ill"]), first)
    return masked_again(data, Masked(masked or data.microdata, second)).provenance


def test_what_was_no_release_is_left_as_it_is():
    masked = Masked(table(), step())
    assert masked_again(table(), masked) is masked
    assert table_to_mask("x", masked, None).names == tuple(CELLS)


def test_two_releases_are_told_as_one():
    first = step("one", removed=("id",), notes=("A.", "B."), seed=3, perturbative=False, details={"d": 1})
    second = step("two", ("town", "age"), removed=("q", "id"), notes=("B.", "C."), seed=4, perturbative=None)
    found = again(first, second)
    assert found.method == "one + two"
    assert found.parameters == {"steps": [{"method": "one", "p": "one"}, {"method": "two", "p": "two"}]}
    assert (found.attributes, found.removed, found.n_records) == (("age", "town"), ("id", "q"), 4)
    assert found.changed == {"age": 1, "town": 1}
    assert found.notes == ("A.", "B.", "C.", "Cells that differ are counted from what one released: age.")
    assert (found.seed, found.perturbative, found.history) == (4, None, (first, second))
    assert found.details == {"steps": [{"d": 1}, {}]}
    third = again(found, step("three", ("job",), details={"window": {"job": 2}}))
    assert [one.method for one in third.history] == ["one", "two", "three"]
    assert third.details == {"steps": [{"d": 1}, {}, {"window": {"job": 2}}], "window": {"job": 2}}
    assert "Cells that differ are counted from what one + two" not in " ".join(third.notes)


def test_groups_and_promises_of_the_first_release_are_kept_or_told_as_lost():
    pair = Guarantee("one", ("age",), 2)
    first = step("one", labels=LABELS, guarantees=(pair,))
    kept = again(first, step("two", ("town",)))
    assert (kept.labels.tolist(), kept.grouped, kept.guarantees) == ([0, 0, 1, 1], ("age",), (pair,))
    single = table(age=[30, 30, 40, 41]).select(["age", "town", "job", "ill"])
    lost = again(first, step("two"), masked=single)
    assert (lost.labels, lost.grouped, lost.guarantees) == (None, None, ())
    assert [note.split(":")[0] for note in lost.notes] == [
        "The groups of one are not reported",
        "Not promised any more, because a later step changed it",
        "Cells that differ are counted from what one released",
    ]


def test_transitions_of_two_releases_are_composed():
    def town(matrix):
        return step(attributes=("town",), transitions={} if matrix is None else {"town": matrix})

    assert again(town(EITHER), step()).transitions["town"] is EITHER
    assert again(step(), town(EITHER)).transitions["town"] is EITHER
    whole = [[True, False, False], [True, False, False], [False, False, True]]
    assert again(town(EITHER), town(TO_FIRST)).transitions["town"].tolist() == whole
    hides = np.array([[False, False, True], [False, True, False], [False, False, False]])
    assert again(town(hides), town(TO_FIRST)).transitions["town"].tolist() == [
        [False, False, True], [True, False, False], [False, False, False],
    ]  # fmt: skip
    assert again(town(None), town(TO_FIRST)).transitions == {}
    assert again(town(TO_FIRST), town(None)).transitions == {}
    gone = table().select(["age", "job", "ill"])
    assert again(town(EITHER), town(TO_FIRST), masked=gone).transitions == {}
