"""A hierarchy for a column of a table, from few words: what the command line and the studio build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np

from discreet.data.microdata import Microdata, microdata
from discreet.data.scales import Categorical, Moment
from discreet.errors import ParameterError, door, wrong_type
from discreet.masking.recoding.band_rule import nice_edges
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.masking.recoding.hierarchy_steps import UNITS_IN_ORDER, number_text
from discreet.masking.recoding.hierarchy_text import read_rows

__all__ = ["WAYS", "build_hierarchy", "hierarchy_of_text", "lists_values"]

Way = Literal["intervals", "order", "prefix", "frequency", "cooccurrence", "dates"]
WAYS = ("intervals", "order", "prefix", "frequency", "cooccurrence", "dates")
"""How a hierarchy can be built."""

_MOST_LEAVES = 10_000


@door
def build_hierarchy(
    data: Any, column: str, by: Way | None = None, steps: str = "", beside: Sequence[str] | None = None
) -> Hierarchy:
    """Build a hierarchy for a column.

    Parameters
    ----------
    data : Microdata or table
    column : str
    by : {"intervals", "order", "prefix", "frequency", "cooccurrence", "dates"}, optional
        By default what fits its scale: intervals of numbers, months and years of dates, neighbours of ordered levels,
        and rare levels joined of others.
    steps : str
        What each step is, separated by semicolons: widths or breaks ``5; 10; 0,30,60,60+``, sizes ``2; 4``, characters
        kept ``3; 2``, fewest records ``5; 50``, groups left ``8; 4``, units ``month; year``. Empty: found by itself.
    beside : list of str, optional
        For co-occurrence: by which attributes levels are compared.

    Returns
    -------
    Hierarchy
        Whole numbers have a row each over a round range, whether they occur or not; other numbers, dates and levels are
        those of the column, so that the file belongs to the data and not to the release.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> build_hierarchy(business(50), "EMPLOYEES", "intervals", "10; 100")
    Hierarchy(800 levels, 3 steps)
    """
    data = microdata(data)
    for name, text in (("column", column), ("steps", steps)):
        if not isinstance(text, str):
            raise wrong_type("build_hierarchy", f"{name} must be text", text)
    if beside is not None and (isinstance(beside, str) or not all(isinstance(name, str) for name in beside)):
        raise wrong_type("build_hierarchy", "beside must be a list of columns", beside)
    scale = data.schema[column].scale
    if by is not None and not isinstance(by, str):
        raise wrong_type("build_hierarchy", "by must be a word", by)
    if by is not None and by not in WAYS:
        raise ParameterError(f"build_hierarchy: by must be one of {', '.join(WAYS)}; got {by!r}.")
    way = by or ("dates" if isinstance(scale, Moment) else {"numeric": "intervals", "ordinal": "order"}.get(
        scale.kind, "frequency"))  # fmt: skip
    wanted = "a date" if way == "dates" else "numeric" if way == "intervals" else "categorical"
    fits = {
        "a date": isinstance(scale, Moment),
        "numeric": scale.kind == "numeric" and not isinstance(scale, Moment),
        "categorical": isinstance(scale, Categorical),
    }
    if not fits[wanted]:
        raise ParameterError(
            f"build_hierarchy: column {column!r} is {scale.name}; a hierarchy by {way} is for one that is {wanted}."
        )
    parts = [part.strip() for part in steps.split(";") if part.strip()]
    if way == "intervals":
        return _of_numbers(data, column, parts)
    if way == "dates":
        moment = cast("Moment", scale)
        days = np.unique(moment.days(data.encoded(column)))
        texts = days[~np.isnan(days)].astype(np.int64).astype("datetime64[D]").astype(str).tolist()
        return Hierarchy.from_dates(texts, parts or UNITS_IN_ORDER[:3])
    levels = cast("Categorical", scale).levels
    if way == "order":
        if not scale.ordered:
            raise ParameterError(
                f"build_hierarchy: the levels of {column!r} have no order.", hint="Declare it ordinal."
            )
        return Hierarchy.from_order(levels, _whole(parts) or _powers(len(levels)))
    if way == "prefix":
        return Hierarchy.from_prefix(levels, _whole(parts) or None)
    if way == "frequency":
        codes = data.encoded(column)
        counts = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
        return Hierarchy.from_frequency(dict(zip(levels, counts, strict=True)), _whole(parts) or [5, 50])
    return Hierarchy.from_cooccurrence(data, column, _whole(parts) or _powers(len(levels))[::-1] or [1], beside)


@door
def hierarchy_of_text(data: Any, column: str, text: str, ending: str) -> Hierarchy:
    r"""Read the text of a file that holds a hierarchy, for a column whose values say what open ranges hold.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> tree = hierarchy_of_text(business(50), "EMPLOYEES", "small: -49\nlarge: 50-", ".grc")
    >>> tree.height
    1
    """
    data = microdata(data)
    scale, encoded = data.schema[column].scale, data.encoded(column)
    if isinstance(scale, Categorical):
        return Hierarchy(*read_rows(text, ending, scale.levels))
    numbers = np.unique(encoded)
    levels = [number_text(number) for number in numbers[~np.isnan(numbers)].tolist()]
    return Hierarchy(*read_rows(text, ending, levels))


def lists_values(data: Microdata, column: str, hierarchy: Hierarchy) -> bool:
    """Say whether the leaves of a hierarchy tell which values the column has."""
    encoded = data.encoded(column)
    if isinstance(data.schema[column].scale, Categorical):
        return True
    return len(np.unique(encoded[~np.isnan(encoded)])) == len(hierarchy.rows)


def _of_numbers(data: Microdata, column: str, parts: Sequence[str]) -> Hierarchy:
    encoded = data.encoded(column)
    values = np.unique(encoded[~np.isnan(encoded)])
    if not values.size:
        raise ParameterError(f"build_hierarchy: column {column!r} has no number.")
    low, high = float(values[0]), float(values[-1])
    whole = bool((values == np.floor(values)).all())
    edges = nice_edges(low, high, 16, whole=whole)
    numbers: Any = values.tolist()
    # A round range tells less than the numbers that occur, the greatest of which may be somebody's alone.
    around = nice_edges(low, high, 10, whole=whole)
    if whole and around[-1] - around[0] <= _MOST_LEAVES:
        numbers = range(int(around[0]), int(around[-1]))
    width = float(edges[1] - edges[0])
    ladder = [f"width:{width * factor:g}" for factor in (1, 2, 4, 8)]
    rules = [part if not _is_number(part) else f"width:{part}" for part in parts]
    return Hierarchy.from_intervals(numbers, rules or ladder)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _whole(parts: Sequence[str]) -> list[int]:
    numbers = [part.strip() for text in parts for part in text.split(",") if part.strip()]
    if not all(number.isdigit() for number in numbers):
        raise ParameterError("build_hierarchy: steps must be whole numbers here.", hint="2; 4")
    return [int(number) for number in numbers]


def _powers(levels: int) -> list[int]:
    """Return 2, 4, 8 … below the number of levels."""
    return [2**power for power in range(1, 12) if 2**power < levels] or [2]
