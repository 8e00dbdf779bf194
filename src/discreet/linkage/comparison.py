"""From attributes of two files to the levels at which they can agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.errors import DataError, MissingValueError
from discreet.linkage.patterns import Chain, equality, nested
from discreet.linkage.similarity import graded_by_spelling
from discreet.microdata import Microdata
from discreet.scales import Categorical
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_ATTRIBUTES", "chains_of", "chance_of", "frequencies", "state_table"]

MOST_ATTRIBUTES = 20


def chains_of(
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
) -> list[Chain]:
    """Return the chain of every attribute, and refuse what cannot be counted.

    Parameters
    ----------
    bins, ordinal_bins : int, optional
        Numbers and ordered levels also agree a little if they fall into the same of so many classes; the classes of
        numbers are quantiles of the first file.
    spelled, thresholds : sequence
        Attributes that agree a little if their spelling is similar, and how similar for every level.
    """
    if len(names) > MOST_ATTRIBUTES:
        raise DataError(
            f"{owner}: {len(names)} attributes have too many agreement patterns; "
            f"at most {MOST_ATTRIBUTES} can be used.",
            hint="Pass the attributes that tell most, or use distance-based linkage.",
        )
    return [
        graded_by_spelling(owner, a, b, name, thresholds, missing)
        if name in spelled
        else _chain(owner, a, b, name, missing, bins, ordinal_bins)
        for name in names
    ]


def chance_of(chain: Chain) -> float:
    """Return the share of pairs of the first file that agree on an attribute by chance."""
    shares = np.bincount(chain.classes[0][chain.a] + 1)[1:] / max(chain.a.size, 1)
    return float(shares @ shares)


def _chain(
    owner: str, a: Microdata, b: Microdata, name: str, missing: str, bins: int | None, ordinal_bins: int | None
) -> Chain:
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
    present = x[~np.isnan(x)]
    edges = np.unique(np.quantile(present, np.linspace(0, 1, bins + 1)[1:-1]))
    return nested(name, first, second, [np.searchsorted(edges, values[:real], side="right").astype(np.int64)], missing)


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


def state_table(chain: Chain) -> IntArray:
    """Return the state of every pair of codes: a row a code of B, a column a code of A."""
    codes = np.arange(chain.size)
    return chain.state(codes[None, :], codes[:, None])


def frequencies(chain: Chain) -> FloatArray:
    """Return the share of every code in the two files together."""
    both = np.bincount(chain.a, minlength=chain.size) + np.bincount(chain.b, minlength=chain.size)
    return both / max(int(both.sum()), 1)
