"""A proposal says beside every step, key and scenario why it is there."""

from __future__ import annotations

import polars as pl
import pytest

from discreet import workflow

N = 60
COLUMNS = {
    "height": [1000.0 + 37.5 * (i * 7 % 53) for i in range(N)],
    "sex": ["f", "m"] * (N // 2),
    "area": ["n", "s", "w"] * (N // 3),
}


@pytest.mark.parametrize(
    ("names", "method", "words"),
    [
        (["height", "sex", "area"], "mixed-mdav", "Numbers and categories: groups of at least"),
        (["height"], "mdav", "Numbers: groups of at least"),
        (["sex", "area"], "local-suppression", "Categories: as few values as possible"),
    ],
)
def test_every_step_says_why(tmp_path, names, method, words):
    pl.DataFrame({name: COLUMNS[name] for name in names}).write_csv(tmp_path / "data.csv")
    protocol = workflow.propose(tmp_path / "data.csv")
    assert [step.method for step in protocol.steps] == [method]
    assert protocol.comments["step:0"].startswith(words)
    assert set(protocol.steps[0].parameters["attributes"]) == set(protocol.schema.keys) == set(names)
    assert all(f"attribute:{name}" in protocol.comments for name in names)
    scenarios = {"all keys": set(names)}
    if len(names) == 3:
        scenarios["categories only"] = {"sex", "area"}
    assert {one.name: set(one.known) for one in protocol.scenarios} == scenarios
    assert all(f"scenario:{name}" in protocol.comments for name in scenarios)
