"""A masking in several steps keeps its contract: stages that grow, and steps that are taken one by one."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.contracts.stepwise import MaskingStage, StepwiseMasking
from discreet.data.microdata import Microdata
from discreet.engines.memory import MemoryEngine

TABLE = Microdata(
    pl.DataFrame({"x": [1.2, 2.7, 3.1, 4.9, 5.5, 6.4], "y": [1.0, 9.0, 4.0, 2.0, 8.0, 5.0]}),
    dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("y", dc.Numeric(), "key")]),
)


def test_a_stage_begins_with_the_original_and_nothing_done():
    stage = MaskingStage(TABLE, TABLE)
    assert (stage.rows, stage.history, stage.schemas, stage.removed) == (None, (), (), frozenset())
    assert "1.2" not in repr(stage)


def test_nobody_is_stepwise_who_leaves_something_open():
    wanted = {"label", "description", "name", "draws", "seeded", "step_keys", "prepare", "advance", "finish"}
    assert StepwiseMasking.__abstractmethods__ == wanted
    with pytest.raises(TypeError):
        StepwiseMasking()  # type: ignore[abstract]


def test_steps_taken_one_by_one_are_the_steps_taken_together():
    chain = dc.Chain([dc.Rounding(base=2.0), dc.MDAV(k=3)], 7)
    assert isinstance(chain, StepwiseMasking)
    maskers = chain.prepare(TABLE)
    stage = MaskingStage(TABLE, TABLE)
    for place, masker in enumerate(maskers):
        stage = chain.advance(stage, place, masker, MemoryEngine(workers=1))
        assert len(stage.history) == len(stage.schemas) == place + 1
        assert stage.original is TABLE
    together, alone = chain.mask(TABLE), chain.finish(stage)
    assert alone.microdata.to_polars().equals(together.microdata.to_polars())
    assert len(chain.step_keys()) == 2
    assert chain.step_keys()[0] == dc.Chain([dc.Rounding(base=2.0), dc.MDAV(k=2)], 7).step_keys()[0]
    assert chain.step_keys()[1] != dc.Chain([dc.Rounding(base=2.0), dc.MDAV(k=2)], 7).step_keys()[1]
