"""No library's message comes through a public function: it may quote a value."""

from __future__ import annotations

import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data import sequence_shapes
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, DiscreetError, LibraryError, door, in_own_words

N = 40
CANARY = "canaryvalue"
SCHEMA = Schema([Attribute("a", Numeric(), "key"), Attribute("b", Numeric(), "key")])


def mixed():
    """A frame with one text among numbers."""
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": [*rng.normal(size=N - 1), CANARY], "b": rng.normal(size=N)}, dtype=object)


def everything(error):
    """All that a log can show of an exception, whatever is remembered behind it."""
    texts, seen = ["".join(traceback.format_exception(error))], set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        texts += [str(error), repr(error), repr(error.args), repr(getattr(error, "hint", ""))]
        error = error.__cause__ or error.__context__
    return " ".join(texts)


WAYS = {
    "fit_transform": lambda f, _: dc.MDAV(k=3).fit_transform(f),
    "fit_transform, declared": lambda f, _: dc.MDAV(k=3).fit_transform(f, schema=SCHEMA),
    "mask": lambda f, _: dc.MDAV(k=3).mask(f),
    "protect": lambda f, _: dc.protect(f, "mdav"),
    "inspect": lambda f, _: dc.inspect(f),
    "microdata": lambda f, _: dc.microdata(f),
    "validate": lambda f, _: Microdata(f, SCHEMA).validate(),
    "to_arrow": lambda f, _: Microdata(f, SCHEMA).to_arrow(),
    "to_polars": lambda f, _: Microdata(f, SCHEMA).to_polars(),
    "encode": lambda f, _: Microdata(f, SCHEMA).encode(),
    "assess": lambda f, _: dc.assess(f, f, schema=SCHEMA),
    "measure": lambda f, _: dc.measure(f, f, ["sse"], schema=SCHEMA),
    "attack": lambda f, _: dc.attack(Microdata(f, SCHEMA), Microdata(f, SCHEMA)),
    **{
        f"write {ending}": lambda f, folder, ending=ending: dc.write(Microdata(f, SCHEMA), folder / f"a{ending}")
        for ending in (".csv", ".parquet", ".arrow", ".xlsx", ".sav", ".dta", ".xpt")
    },
    "sequences": lambda f, _: sequence_shapes.declare_sequence(Microdata(f, SCHEMA), "a"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore")
def test_one_text_among_numbers_is_counted_and_not_quoted(way, tmp_path):
    with pytest.raises(DiscreetError) as caught:
        WAYS[way](mixed(), tmp_path)
    assert CANARY not in everything(caught.value)
    assert not isinstance(caught.value, LibraryError), "a mixture is something that we know to name"
    assert "'a'" in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [object()] * 5, "b": [1.0] * 5}),
        pd.DataFrame({"a": [{"x": CANARY}, [CANARY], 3, None, CANARY], "b": [1.0] * 5}),
        pd.DataFrame({"a": [complex(1, 2)] * 5, "b": [1.0] * 5}),
        pd.DataFrame({"a": [b"\xff" + CANARY.encode(), CANARY, b"", None, ""], "b": [1.0] * 5}),
        pd.DataFrame({"a": [2**70, 1, 2, 3, 4], "b": [1.0] * 5}),
        pl.DataFrame({"a": [CANARY] * 5, "b": [1.0] * 5}),
        pl.DataFrame({"a": pl.Series([object()] * 5, dtype=pl.Object), "b": [1.0] * 5}),
        pa.table({"a": [{"x": CANARY}] * 5, "b": [1.0] * 5}),
        pa.table({"a": [[CANARY]] * 5, "b": [1.0] * 5}),
        pa.table({"a": pa.array([CANARY.encode()] * 5), "b": [1.0] * 5}),
    ],
    ids=["objects", "nested", "complex", "bytes", "large", "text", "polars objects", "structs", "lists", "binary"],
)
@pytest.mark.parametrize("way", ["fit_transform", "fit_transform, declared", "inspect", "write .csv", "write .sav"])
@pytest.mark.filterwarnings("ignore")
def test_odd_columns_fail_in_our_own_words(frame, way, tmp_path):
    try:
        WAYS[way](frame, tmp_path)
    except DiscreetError as error:
        assert CANARY not in everything(error)  # it may also succeed


def test_a_door_keeps_a_librarys_message_back_and_lets_ours_pass():
    class Stop(Exception):  # noqa: N818
        pass

    @door
    def fail(error):
        try:
            float(CANARY)
        except ValueError:
            raise error  # noqa: B904 - what is remembered behind it is the point

    with pytest.raises(LibraryError) as caught:
        fail(pa.ArrowInvalid(CANARY))
    assert CANARY not in everything(caught.value)
    assert "ArrowInvalid" in str(caught.value)
    with pytest.raises(DataError, match="ours") as caught:
        fail(DataError("ours"))
    assert CANARY not in everything(caught.value)
    for passing in (Stop(), KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(passing)):
            fail(passing)


def test_a_wrong_parameter_is_still_named():
    with pytest.raises(TypeError, match="MDAV: there is no parameter 'kk'"):
        dc.protect(dc.datasets.business(50), "mdav", kk=3)


def test_in_own_words_leaves_no_context():
    with pytest.raises(DataError) as caught:
        in_own_words(lambda: float(CANARY), lambda: DataError("not a number"))
    assert caught.value.__context__ is None
    assert CANARY not in everything(caught.value)


def test_a_nominal_column_of_mixed_values_is_refused_too():
    frame = pd.DataFrame({"a": [1, CANARY, 2.5, None, "x"]}, dtype=object)
    with pytest.raises(DataError, match="mixes kinds") as caught:
        Microdata(frame, Schema([Attribute("a", Nominal(("x",)), "key")])).validate()
    assert CANARY not in everything(caught.value)
