"""What a project keeps comes back as it was, but for what may hold a value of a record."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet.contracts.assessment import Assessment, NotComputed, Score, Verdict
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.release.protocol_parts import Step
from discreet.studio.keeping import pack, unpack
from discreet.studio.session_values import Given, History, Opened, Protected, ReleasedFile

SCHEMA = Schema([Attribute("age", Numeric(), "key", (-1,)), Attribute("job", Nominal(["a", "b"]), "confidential")])
MEASURED = Measurement("keys", "Keys", "risk", 12.5, 0.0, 100.0, "%", "One in eight.", {"age": 3.0}, {"rare": "smith"})
ASSESSED = Assessment(8, ("age",), (MEASURED,), Score("worst-case", 6.0, 0.0, 12.5, "So.", {"keys": 12.5}),
                      (NotComputed("suda2", "SUDA2", "risk", "too many."),))  # fmt: skip


def kept(value):
    """Through the text of a file."""
    return unpack(json.loads(json.dumps(pack(value))))


@pytest.mark.parametrize(
    "value",
    [
        Given("file", "kept/x", "x.csv", 12, delimiter=";", header=False),
        Intruder("press", ("age",), ("distance",)),
        Step("mdav", {"k": 3, "attributes": ["age"]}),
        History((Step("mdav", {"k": 3}), Step("pram")), 1, ((Step("rounding"),),)),
        Verdict("risk_at_most", 1.0, 2.0, True, "Met."),
        ReleasedFile("masked", "m.csv", "The file", "users", 12, "abc"),
        SCHEMA,
        None,
        "text",
        2.5,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_kept_comes_back(value):
    assert kept(value) == value


def test_details_rows_and_pictures_are_left_behind():
    assert kept(ASSESSED) == replace(ASSESSED, measurements=(replace(MEASURED, details={}),))
    opened = Opened(8, SCHEMA, {"age": "int64"}, {"age": 0}, {"age": "numbers"}, (("41", "smith"),), {"size": 3})
    assert kept(opened) == replace(opened, rows=())
    steps = [{"method": "mdav", "details": {"level": "smith"}}]
    protected = Protected(
        {"method": "chain", "details": {"level": "smith"}, "steps": steps}, ASSESSED, (("a", "<svg/>"),)
    )
    text = json.dumps(pack(protected))
    assert "smith" not in text
    assert "svg" not in text
    assert unpack(json.loads(text)).provenance == {"method": "chain", "steps": [{"method": "mdav"}]}
    assert protected.provenance["details"] == {"level": "smith"}  # the session's own is as it was


def test_a_column_may_be_called_as_our_own_marks():
    assert kept({"is": "Step", "map": 1}) == {"is": "Step", "map": 1}
    assert kept({"a": [1, 2], "b": (3,)}) == {"a": [1, 2], "b": [3]}
    assert kept([1, (2, 3)]) == (1, (2, 3))
    assert pack(np.float64(2.5)) == 2.5
    assert type(pack(np.int64(2))) is int


def test_what_is_not_ours_is_neither_kept_nor_read():
    for strange in (object(), {1, 2}, b"x"):
        with pytest.raises(DataError, match="is not kept in a project"):
            pack(strange)
    for strange in ({"is": "Popen", "args": "x"}, {"is": "Step", "parameters": {"map": {}}}, {}):
        with pytest.raises(DataError, match="something that this version does not know"):
            unpack(strange)
    # What a later version added is not asked for.
    assert unpack({"is": "Intruder", "name": "a", "known": ["x"], "linkers": ["distance"], "new": 1}).name == "a"
