"""How a masker is run, piece by piece: strata, stages, what is released, and what is told of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts import run_masker
from discreet.contracts.engine import InProcess
from discreet.contracts.ground import Memory
from discreet.contracts.plan import OfTable, Plan, Stage
from discreet.contracts.run_masker import SameCells, plan_release
from discreet.contracts.strata import ByStratum, Sizes, Strata
from discreet.data.block import Block
from discreet.data.encoded_rows import ROW
from discreet.errors import DataError, MissingValueError, ParameterError

STRATA = Strata(("c",), ((0,), (1,)), (2, 3))
SCHEMA = dc.Schema(
    [
        dc.Attribute("id", dc.Nominal(tuple("pqrst")), "identifier"),
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("y", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("w", dc.Numeric(), "weight"),
    ]
)


def people(**cells):
    whole = {
        "id": list("pqrst"), "x": [1.0, 2.0, 3.0, 4.0, 50.0], "y": [0.0, 1.0, 0.0, 1.0, 2.0],
        "c": list("abbab"), "w": [1.0, 2.0, 1.0, 1.0, 2.0],
    }  # fmt: skip
    return dc.Microdata(pl.DataFrame(whole | cells), SCHEMA)


def run_of(strata, names=("x", "y"), block_size=None):
    return SimpleNamespace(strata=strata, names=names, block_size=block_size)


def test_plans_of_strata_are_told_together():
    left, right = np.eye(2, dtype=bool), np.array([[False, True], [False, False]])
    first = Plan(
        attributes=(SCHEMA["x"],), removed=("y",), transitions={"c": left}, details={"a": 1}, notes=("one", "both"),
        shared=(("x", "y"),),
    )  # fmt: skip
    second = Plan(transitions={"c": right}, details={"a": 2}, notes=("both", "two"), shared=(("x",), ("y",)))
    told = run_masker._outcome(run_of(STRATA, block_size=8), [first, second])
    assert told.details == {"strata": ["c"], "n_strata": 2, "by_stratum": [{"a": 1}, {"a": 2}], "block_size": 8}
    assert told.notes == ("one", "both", "two")
    assert told.transitions["c"].tolist() == [[True, True], [False, True]]
    assert told.shared == (("x",), ("y",)), "what is shared together in one stratum alone is shared by itself"
    assert run_masker._outcome(run_of(STRATA), [first, first]).shared == (("x", "y"),)
    assert (told.attributes, told.removed, told.values) == ((SCHEMA["x"],), ("y",), {})
    alone = run_masker._outcome(run_of(None), [first])
    assert (alone.details, alone.notes, alone.shared) == ({"a": 1}, ("one", "both"), (("x", "y"),))
    assert alone.transitions == {"c": left}


def test_every_record_is_changed_by_the_plan_of_its_stratum():
    def apply(plan, block):
        return {"x": block.original.numeric(("x",))[:, 0] + plan}

    block = Block(np.arange(5), people())
    by_stratum = run_masker._Change(SimpleNamespace(apply=apply), (100.0, 200.0), STRATA)(block)
    assert by_stratum["x"].tolist() == [101.0, 202.0, 203.0, 104.0, 250.0]
    whole = run_masker._Change(SimpleNamespace(apply=apply), (100.0,), None)(block)
    assert whole["x"].tolist() == [101.0, 102.0, 103.0, 104.0, 150.0]


def test_parts_of_different_strata_are_different_parts():
    def stage(parts):
        return Stage(lambda block: block["n"] % parts, parts, lambda block: {ROW: block[ROW], "n": -block["n"]}, {})

    numbered = run_masker._Numbered(STRATA)({"c": np.array([1, 0, 1, 0]), "n": np.array([5, 6, 7, 9])})
    assert numbered[run_masker._STRATUM].tolist() == [1, 0, 1, 0]
    both = run_masker._OfStratum((stage(2), stage(3)), (0, 2))
    assert both.part(numbered).tolist() == [2 + 2, 0, 2 + 1, 1]
    block = {ROW: np.array([4, 2]), "n": np.array([5, 7]), run_masker._STRATUM: np.array([1, 1])}
    assert {name: column.tolist() for name, column in both.work(block).items()} == {
        ROW: [4, 2], "n": [-5, -7], run_masker._STRATUM: [1, 1],
    }  # fmt: skip


def test_groups_are_numbered_from_nought_on_one_column_for_each_stage():
    assert run_masker._labels({"x": np.array([1])}) is None
    one = {f"{run_masker.GROUP}": np.array([7, 3, 7])}
    assert run_masker._labels(one).tolist() == [1, 0, 1]
    two = {f"{run_masker.GROUP}a": np.array([7, 3, 7]), "x": np.zeros(3), f"{run_masker.GROUP}b": np.array([2, 2, 1])}
    assert run_masker._labels(two).tolist() == [[1, 1], [0, 1], [1, 0]]


def test_a_question_is_asked_of_the_table_or_of_some_strata():
    assert run_masker._for_strata("how many", None, [0]) == "how many"
    assert run_masker._for_strata("how many", STRATA, [1]) == ByStratum("how many", STRATA, (1,))
    assert run_masker._for_strata(OfTable("how many"), STRATA, [1]) == "how many"


def test_what_is_present_is_told_by_stratum():
    ground = Memory(people(), InProcess())
    strata = Strata.of(("c",), Sizes({(1,): 3, (0,): 2}))
    (whole,) = run_masker._extents(ground, ("x", "y"), None)
    first, second = run_masker._extents(ground, ("x", "y"), strata)
    alone = [
        run_masker._extents(Memory(people().take(rows), InProcess()), ("x", "y"), None) for rows in ([0, 3], [1, 2, 4])
    ]
    assert [[first], [second]] == alone
    assert whole not in (first, second)


def test_cells_of_parts_are_added_up():
    one, two = SameCells({"x": (1, 5, 2), "y": (0, 5, 0)}), SameCells({"x": (10, 50, 20), "y": (3, 50, 1)})
    assert one.merge(two).counts == {"x": (11, 55, 22), "y": (3, 55, 1)}


def test_records_that_do_not_come_back_are_counted():
    release = run_masker._ReleasedRecords(("x",), (), (), (), lambda _table, values: values, one_missing=False)
    with pytest.raises(DataError, match="5 records were to be released and 3 came back"):
        release(people(), np.arange(5), {ROW: np.arange(3), "x": np.zeros(3)})
    released = release(people(), np.arange(5), {ROW: np.arange(5), "x": np.full(5, 7.0), "y": np.zeros(5)})
    assert released.numeric(("x", "y")).tolist() == [[7, 0], [7, 1], [7, 0], [7, 1], [7, 2]]


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ([None, 2.0, 3.0, 4.0, 5.0], "column 'x' has 1 missing value of 5; the method has no rule for it."),
        ([None, 2.0, None, 4.0, 5.0], "column 'x' has 2 missing values of 5; the method has no rule for them."),
    ],
)
def test_missing_values_without_a_rule_are_counted(x, sentence):
    with pytest.raises(MissingValueError) as told:
        dc.MDAV(k=2, attributes=["y", "x"]).mask(people(x=x))
    assert sentence in str(told.value)


def test_parts_are_of_eight_records_at_least_and_never_of_what_needs_all():
    with pytest.raises(ParameterError, match="block_size"):
        run_masker.run_masker(dc.Rounding(base=2.0), people(), block_size=7)


def test_what_was_left_alone_and_what_is_not_released_is_told():
    masked = dc.Rounding(base=2.0, attributes=["x"]).mask(people())
    assert masked.microdata.names == ("x", "y", "c", "w")
    notes = masked.provenance.notes
    assert "Keys that rounding did not mask (2): y, c." in notes
    assert "Identifiers that are not released (1): id." in notes
    record = masked.provenance
    assert (record.method, record.attributes, record.n_records, record.removed) == ("rounding", ("x",), 5, ("id",))


def test_a_plan_is_for_other_records_where_records_neither_meet_nor_are_drawn_for():
    table = people()
    assert plan_release(dc.MDAV(k=2), table) is None
    assert plan_release(dc.AdditiveNoise(random_state=1), table) is None
    masker = dc.TopCoding(share=0.2, attributes=["x"])
    plan = plan_release(masker, table)
    assert plan.schema == table.schema
    assert plan(table).to_polars().equals(masker.mask(table).microdata.to_polars())
    limit = plan(table).numeric(("x",)).max()
    assert plan(people(x=[11.0, 190.0, 3.0, 1.0, 900.0])).numeric(("x",))[1::3, 0].tolist() == [limit, limit]
