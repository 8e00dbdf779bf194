"""From attributes of two files to the levels at which they can agree.

An attribute agrees at a *level*: state 0 is no agreement, higher states are finer agreement (same coarse class, same
value).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.errors import DataError, MissingValueError
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.spelling import MOST_VALUES, similarity_levels
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = [
    "MOST_ATTRIBUTES", "Agreement", "Graded", "agreement_on", "agreements_on", "chance_of", "code_shares", "equality",
    "nested", "refuse_too_many", "spelled_agreement", "state_table",
]  # fmt: skip

MOST_ATTRIBUTES = 20


@dataclass(frozen=True, repr=False)
class Agreement:
    """The ways in which one attribute of two files can agree, from coarse to fine.

    Attributes
    ----------
    name : str
    a, b : (n_a,), (n_b,) int8 or wider
        The attribute in each file, as codes 0 … size − 1.
    classes : tuple of (size,) int64
        For every level, from the coarsest to the finest, the class of every code; two records agree at the level if
        their classes are equal. A code of class −1 agrees with nobody. A finer class lies inside a coarser one.
    ignores_missing : bool
        Whether the first level is "both have a value": no agreement there says nothing for or against a match.
    """

    name: str
    a: LevelArray
    b: LevelArray
    classes: tuple[IntArray, ...]
    ignores_missing: bool = False

    @property
    def states(self) -> int:
        """The number of states: the levels and no agreement."""
        return len(self.classes) + 1

    @property
    def size(self) -> int:
        """The number of codes."""
        return int(self.classes[0].size)

    @property
    def has_classes(self) -> bool:
        """Whether agreeing at a level is being in the same class of it."""
        return True

    def swapped(self) -> Agreement:
        """Return the same attribute with the files in each other's place."""
        return replace(self, a=self.b, b=self.a)

    def state(self, a: LevelArray, b: LevelArray) -> IntArray:
        """Return the state of codes of A and codes of B, pair by pair."""
        result = np.zeros(np.broadcast_shapes(a.shape, b.shape), dtype=np.int64)
        for classes in self.classes:
            first, second = classes[a], classes[b]
            result += (first == second) & (first >= 0)
        return result


def equality(name: str, a: LevelArray, b: LevelArray, missing: str = "ignore") -> Agreement:
    """Return the agreement of an attribute that agrees if it is equal; negative codes are missing values."""
    return nested(name, a, b, [], missing)


def nested(name: str, a: LevelArray, b: LevelArray, coarser: Sequence[IntArray], missing: str = "ignore") -> Agreement:
    """Return the agreement of an attribute that agrees on coarser classes before it agrees on the value.

    Parameters
    ----------
    name : str
    a, b : int arrays
        Codes; negative ones are missing values.
    coarser : sequence of int arrays
        By level, coarsest first, the class of every code that is not missing.
    missing : {"ignore", "disagree", "agree"}
        A missing value says nothing, agrees with nobody, or is a value like any other.
    """
    highest = int(max(a.max(initial=-1), b.max(initial=-1)))
    size = max([highest + 1, *(c.size for c in coarser)])
    absent = bool((a < 0).any() or (b < 0).any())
    first, second = _present(a, size), _present(b, size)
    classes = [np.asarray(c, dtype=np.int64) for c in (*coarser, np.arange(size, dtype=np.int64))]
    if not absent:
        return Agreement(name, first, second, tuple(classes))
    nobody = size if missing == "agree" else -1
    classes = [np.append(c, nobody) for c in classes]
    if missing == "ignore":
        present = np.append(np.zeros(size, dtype=np.int64), -1)
        return Agreement(name, first, second, (present, *classes), ignores_missing=True)
    return Agreement(name, first, second, tuple(classes))


def _present(codes: LevelArray, missing: int) -> LevelArray:
    """Return codes with missing values as a code of their own, in as few bytes as they need."""
    small = np.int8 if missing < 128 else np.int16 if missing < 32_768 else np.int32
    return np.where(codes < 0, missing, codes.astype(np.int64, copy=False)).astype(small)


@dataclass(frozen=True, repr=False)
class Graded(Agreement):
    """An attribute whose codes agree by a table of states, where being similar does not make classes.

    Attributes
    ----------
    table : (size, size) uint8
        The state of a code of A (columns) and a code of B (rows).
    most : int
        The number of states.
    """

    table: Any = None
    most: int = 2

    @property
    def states(self) -> int:
        return self.most

    @property
    def has_classes(self) -> bool:
        return False

    def swapped(self) -> Graded:
        return replace(self, a=self.b, b=self.a, table=np.ascontiguousarray(self.table.T))

    def state(self, a: LevelArray, b: LevelArray) -> IntArray:
        return np.asarray(self.table[b, a], dtype=np.int64)


def agreements_on(
    owner: str,
    a: Microdata,
    b: Microdata,
    names: Sequence[str],
    *,
    missing: str = "ignore",
    bins: int | None = 20,
    ordinal_bins: int | None = None,
    spelled: Sequence[str] = (),
    thresholds: Sequence[float] = (),
    frequencies: IntArray | None = None,
) -> list[Agreement]:
    """Return how every attribute can agree, and refuse what cannot be counted.

    Parameters
    ----------
    bins, ordinal_bins : int, optional
        Numbers and ordered levels also agree a little if they fall into the same of so many classes; the classes of
        numbers are quantiles of the first file.
    spelled, thresholds : sequence
        Attributes that agree a little if their spelling is similar, and how similar for every level.
    frequencies : (n_a,) int64, optional
        How many records every row of A stands for.
    """
    refuse_too_many(owner, len(names))
    return [
        spelled_agreement(owner, a, b, name, thresholds, missing)
        if name in spelled
        else agreement_on(
            owner, a, b, name, missing=missing, bins=bins, ordinal_bins=ordinal_bins, frequencies=frequencies
        )
        for name in names
    ]


def refuse_too_many(owner: str, attributes: int) -> None:
    """Refuse more attributes than patterns can be counted of."""
    if attributes > MOST_ATTRIBUTES:
        raise DataError(
            f"{owner}: {attributes} attributes have too many agreement patterns; "
            f"at most {MOST_ATTRIBUTES} can be used.",
            hint="Pass the attributes that tell most, or use distance-based linkage.",
        )


def agreement_on(
    owner: str,
    a: Microdata,
    b: Microdata,
    name: str,
    *,
    missing: str = "ignore",
    bins: int | None = 20,
    ordinal_bins: int | None = None,
    frequencies: IntArray | None = None,
) -> Agreement:
    """Return how one attribute can agree; the parameters are those of `agreements_on`."""
    scale, other = a.schema[name].scale, b.schema[name].scale
    if isinstance(scale, Categorical) and isinstance(other, Categorical):
        first, second = a.encoded(name).astype(np.int64), _recoded(b.encoded(name), scale, other)
        _refuse_empty(owner, name, int((first >= 0).sum()), int((second >= 0).sum()))
        if scale.ordered and ordinal_bins is not None and len(scale) > ordinal_bins:
            size = max(len(scale), int(second.max(initial=0)) + 1)
            codes = np.minimum(np.arange(size), len(scale) - 1)
            return nested(name, first, second, [codes * ordinal_bins // len(scale)], missing)
        return equality(name, first, second, missing)
    x, y = a.encoded(name), b.encoded(name)
    _refuse_empty(owner, name, int((~np.isnan(x)).sum()), int((~np.isnan(y)).sum()))
    values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    real = int((~np.isnan(values)).sum())
    codes = np.where(codes < real, codes, -1).astype(np.int64)
    first, second = codes[: x.size], codes[x.size :]
    if bins is None or real <= bins:
        return equality(name, first, second, missing)
    present = first >= 0
    counts = np.bincount(first[present], weights=None if frequencies is None else frequencies[present], minlength=real)
    edges = np.unique(_quantiles(values[:real], counts.astype(np.int64), np.linspace(0, 1, bins + 1)[1:-1]))
    return nested(name, first, second, [np.searchsorted(edges, values[:real], side="right").astype(np.int64)], missing)


def _quantiles(values: FloatArray, counts: IntArray, shares: FloatArray) -> FloatArray:
    """Return quantiles of rising values that occur so often each, between neighbours in proportion, as NumPy does."""
    ends = np.cumsum(counts)
    places = shares * (ends[-1] - 1)
    below = np.floor(places).astype(np.int64)
    low = values[np.searchsorted(ends, below, side="right")]
    high = values[np.searchsorted(ends, np.minimum(below + 1, ends[-1] - 1), side="right")]
    part, gap = places - below, high - low
    # From the nearer neighbour, so that a quantile is never beyond the other one.
    return np.asarray(np.where(part < 0.5, low + gap * part, high - gap * (1.0 - part)), dtype=np.float64)


def chance_of(agreement: Agreement, frequencies: IntArray | None = None) -> float:
    """Return the share of pairs of the first file that agree on an attribute by chance."""
    counts = np.bincount(agreement.classes[0][agreement.a] + 1, weights=frequencies)
    shares = counts[1:] / max(agreement.a.size if frequencies is None else int(frequencies.sum()), 1)
    return float(shares @ shares)


def spelled_agreement(
    owner: str, a: Microdata, b: Microdata, name: str, thresholds: Sequence[float], missing: str
) -> Graded:
    """Return an attribute that agrees by equality, else by how many thresholds the similarity reaches."""
    scale, other = a.schema[name].scale, b.schema[name].scale
    if not isinstance(scale, Categorical) or not isinstance(other, Categorical):
        raise DataError(
            f"{owner}: similarity speaks of attribute {name!r}, which has no levels to spell.",
            hint="Similarity is for names in text; numbers agree by bins.",
        )
    x, y = a.encoded(name).astype(np.int64), b.encoded(name).astype(np.int64)
    for which, codes in (("first", x), ("second", y)):
        if not (codes >= 0).any():
            raise MissingValueError(
                f"{owner}: column {name!r} has no values in the {which} file.",
                hint="Leave the column out of attributes.",
            )
    levels_a, codes_a = np.unique(x[x >= 0], return_inverse=True)
    levels_b, codes_b = np.unique(y[y >= 0], return_inverse=True)
    first, second = ([str(s.levels[i]) for i in levels] for s, levels in ((scale, levels_a), (other, levels_b)))
    values = list(dict.fromkeys([*first, *second]))
    if len(values) > MOST_VALUES:
        raise DataError(
            f"{owner}: attribute {name!r} has {len(values)} different values to compare by spelling; "
            f"at most {MOST_VALUES} can be.",
            hint="Leave it out of similarity: then it agrees if it is equal.",
        )
    place = {value: i for i, value in enumerate(values)}
    size, top = len(values), len(thresholds) + 1
    a_codes, b_codes = np.full(x.size, size, dtype=np.int64), np.full(y.size, size, dtype=np.int64)
    a_codes[x >= 0] = np.array([place[v] for v in first], dtype=np.int64)[codes_a]
    b_codes[y >= 0] = np.array([place[v] for v in second], dtype=np.int64)[codes_b]
    absent = bool((x < 0).any() or (y < 0).any())
    ignores = absent and missing == "ignore"
    table = np.zeros((size + 1, size + 1), dtype=np.uint8)
    table[:size, :size] = similarity_levels(values, values, thresholds)
    table[np.arange(size), np.arange(size)] = top
    table[:size, :size] += np.uint8(ignores)
    table[size, size] = top if missing == "agree" else 0
    code = np.arange(size + 1, dtype=np.int64)
    return Graded(name, a_codes, b_codes, (code,), ignores, table, top + 1 + ignores)


def _refuse_empty(owner: str, name: str, first: int, second: int) -> None:
    if not first or not second:
        raise MissingValueError(
            f"{owner}: column {name!r} has no values in the {'first' if not first else 'second'} file.",
            hint="Leave the column out of attributes.",
        )


def _recoded(codes: IntArray, own: Categorical, other: Categorical) -> IntArray:
    """Return codes of another list of levels as codes of `own`; levels that `own` lacks come after its last."""
    if own.levels == other.levels:
        return codes.astype(np.int64)
    position = {level: i for i, level in enumerate(own.levels)}
    table = np.array([position.get(level, len(own) + j) for j, level in enumerate(other.levels)] + [-1], dtype=np.int64)
    return table[codes]


def state_table(agreement: Agreement) -> IntArray:
    """Return the state of every pair of codes: a row a code of B, a column a code of A."""
    codes = np.arange(agreement.size)
    return agreement.state(codes[None, :], codes[:, None])


def code_shares(agreement: Agreement, first: Classes, second: Classes) -> FloatArray:
    """Return the share of every code in the two files together, from their distinct records."""
    sides = ((agreement.a, first), (agreement.b, second))
    both = sum(np.bincount(codes[one.first], weights=one.size, minlength=agreement.size) for codes, one in sides)
    return np.asarray(both / max(float(np.sum(both)), 1.0))
