"""A table of six records before and after, cut into blocks in three ways: small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.block import Block
from discreet.data.levels import JoinedLevels, join_levels
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError
from discreet.statistics.passes import merged, summarised

N = 6
CUTS = ((N,), (2, 4), (1, 1, 1, 1, 1, 1))


def table(levels: tuple[str, ...] = ("a", "b"), **columns: Any) -> Microdata:
    """Return a table: `w` is the weight, columns of words are nominal, all others numeric."""
    attributes = [
        Attribute(
            name,
            Nominal(levels) if any(isinstance(value, str) for value in values) else Numeric(),
            "weight" if name == "w" else "key",
        )
        for name, values in columns.items()
    ]
    return Microdata(pa.table({name: pa.array(values) for name, values in columns.items()}), Schema(attributes))


def before() -> Microdata:
    """Return the original: one number and one word are missing."""
    return table(
        x=[1.0, 2.0, 3.0, None, 5.0, 6.0],
        y=[1.0, 0.0, 2.0, 1.0, 2.0, 0.0],
        s=["a", "b", "a", None, "b", "a"],
        t=["b", "b", "a", "a", "b", "a"],
        w=[1.0, 2.0, 1.0, 2.0, 1.0, 3.0],
    )


def after() -> Microdata:
    """Return the release: a level is new, and other cells are missing."""
    return table(
        ("b", "c", "a"),
        x=[1.0, 2.0, 4.0, 4.0, None, 6.0],
        y=[1.0, 1.0, 2.0, 1.0, 2.0, 0.0],
        s=["a", "c", "a", "a", None, "a"],
        t=["b", "b", "a", "b", "b", "a"],
    )


def joined(name: str) -> JoinedLevels:
    """Return the levels of both on one list: a, b, c, missing."""
    return join_levels(before().schema[name].scale, after().schema[name].scale)


def blocks(cut: tuple[int, ...], first: Microdata | None = None, second: Microdata | None = None) -> list[Block]:
    """Return the records in blocks of these sizes."""
    first = before() if first is None else first
    second = after() if second is None else second
    parts = np.split(np.arange(sum(cut)), np.cumsum(cut)[:-1])
    return [Block(rows, first.take(rows), second.take(rows)) for rows in parts]


def answer(question: Any, parts: list[Block]) -> Any:
    """Return the statistics of all blocks."""
    statistics = merged(summarised([question], part) for part in parts)[0]
    if isinstance(statistics, DiscreetError):
        raise statistics
    return statistics


def concluded(inquiry: Any, parts: list[Block]) -> Any:
    """Return what an inquiry concludes from the answers to its questions."""
    question = next(inquiry)
    while True:
        try:
            question = inquiry.send(answer(question, parts))
        except StopIteration as end:
            return end.value
