"""Counts of a file that was masked by PRAM, corrected for the known matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from discreet.contracts.masked import Masked
from discreet.data.microdata import microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError, door, wrong_type
from discreet.typing import FloatArray, Level

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CorrectedTable", "correct_table"]

_TOLERANCE = 1e-6
_MOST_CELLS = 4000
_SINGULAR = 1e10


@dataclass(frozen=True, repr=False)
class CorrectedTable:
    """Estimated counts of the original by the levels of one or more attributes.

    Attributes
    ----------
    attributes : tuple of str
    levels : tuple of tuples
        Of every attribute, in the order of its declaration.
    observed : array
        Counts of the released file, one dimension an attribute.
    counts : array
        Unbiased estimates of the original counts; they may be negative where true counts are small.
    covariance : (cells, cells) array
        Of the estimates, by the draws of the masking; cells in the order of ``counts.ravel()``.
    left_out : int
        Records with a missing value in one of the attributes.
    """

    attributes: tuple[str, ...]
    levels: tuple[tuple[Level, ...], ...]
    observed: FloatArray
    counts: FloatArray
    covariance: FloatArray
    left_out: int

    @property
    def standard_errors(self) -> FloatArray:
        """Standard errors of `counts`."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0)).reshape(self.counts.shape)

    def __repr__(self) -> str:
        return f"CorrectedTable({' × '.join(self.attributes)}: {self.counts.size} cells)"

    def to_frame(self) -> pl.DataFrame:
        """Return a row a cell: levels, observed and estimated counts, standard errors."""
        import polars as pl

        cells = list(product(*self.levels))
        columns: dict[str, Any] = {name: [cell[j] for cell in cells] for j, name in enumerate(self.attributes)}
        return pl.DataFrame(
            {
                **columns,
                "observed": self.observed.ravel(),
                "estimate": self.counts.ravel(),
                "standard_error": self.standard_errors.ravel(),
            }
        )


@door
def correct_table(
    masked: Any,
    attributes: Sequence[str],
    *,
    matrices: Mapping[str, Any] | None = None,
    schema: Schema | None = None,
) -> CorrectedTable:
    """Estimate a table of the original from a file that was masked by PRAM with known matrices.

    Parameters
    ----------
    masked : Masked, Microdata or frame
        The release. A :class:`Masked` brings the matrices of its own PRAM.
    attributes : sequence of str
        One categorical attribute, or those of a table of several dimensions.
    matrices : mapping of str to (levels, levels) array, optional
        By attribute, the probabilities of what every level became, rows and columns in the order of the declared
        levels. Attributes without one were not masked.
    schema : Schema, optional
        For a plain frame.

    Returns
    -------
    CorrectedTable
        With T* the observed counts and P the matrix, (Pᵀ)⁻¹ T*. Its covariance is (Pᵀ)⁻¹ V P⁻¹ with
        V = Σ T̂ᵢ (diag(pᵢ) − pᵢ pᵢᵀ), pᵢ the rows of P.

    Notes
    -----
    PRAM draws attributes independently, so that the matrix of a table is the Kronecker product of theirs. Records count
    one each, also where they have weights. Exact in expectation, given the matrix; the covariance speaks of the draws
    of the masking alone, not of sampling, and is unbiased too. O(cells³) at most, for at most 4,000 cells.

    References
    ----------
    Kooiman, Willenborg and Gouweleeuw (1998), PRAM: a method for disclosure limitation of microdata; van den Hout and
    van der Heijden (2002), Randomized response, statistical disclosure control and misclassification.

    Examples
    --------
    Of 100 records 60 say yes, after a tenth of either answer was turned round: 0.9 t + 0.1 (100 − t) = 60.

    >>> import polars as pl
    >>> answers = pl.DataFrame({"answer": ["yes"] * 60 + ["no"] * 40})
    >>> table = correct_table(answers, ["answer"], matrices={"answer": [[0.9, 0.1], [0.1, 0.9]]})
    >>> table.to_frame()["estimate"].round(9).to_list()
    [37.5, 62.5]
    """
    if (
        isinstance(attributes, str)
        or not isinstance(attributes, Sequence)
        or not all(isinstance(n, str) for n in attributes)
    ):
        raise wrong_type(
            "correct_table", "attributes must be a list of names", attributes, 'correct_table(masked, ["answer"])'
        )
    given = dict(matrices or {})
    if matrices is None and isinstance(masked, Masked):
        given = _of_provenance(masked, attributes)
    data = masked.microdata if isinstance(masked, Masked) else microdata(masked, schema)
    names = tuple(attributes)
    if not names or len(set(names)) < len(names):
        raise ParameterError("correct_table: attributes must be one or more names, each once.")
    strangers = [name for name in given if name not in data.schema]
    if strangers:
        raise ParameterError(f"correct_table: matrices name {strangers[0]!r}, which is not in the table.")
    if not any(name in given for name in names):
        raise ParameterError(
            f"correct_table: no matrix is known of {', '.join(names)}.",
            hint="Give matrices, or the Masked that PRAM returned: its provenance holds them.",
        )
    for name in names:
        if not isinstance(data.schema[name].scale, Categorical):
            raise ParameterError(f"correct_table: {name!r} is {data.schema[name].scale.kind}, and has no levels.")
    levels = tuple(cast("Categorical", data.schema[name].scale).levels for name in names)
    shape = tuple(len(one) for one in levels)
    if np.prod(shape, dtype=float) > _MOST_CELLS:
        raise ParameterError(f"correct_table: a table of {' × '.join(map(str, shape))} cells is too large.")
    codes = np.stack([data.encoded(name) for name in names], axis=1)
    complete = (codes >= 0).all(axis=1)
    cells = np.ravel_multi_index(tuple(codes[complete].T), shape)
    observed = np.bincount(cells, minlength=int(np.prod(shape))).astype(np.float64).reshape(shape)
    each = [
        _checked(name, given[name], size) if name in given else np.eye(size)
        for name, size in zip(names, shape, strict=True)
    ]
    counts = observed
    for axis, matrix in enumerate(each):
        counts = np.moveaxis(np.tensordot(np.linalg.inv(matrix.T), counts, axes=(1, axis)), 0, axis)
    whole = _together(each)
    back = _together([np.asarray(np.linalg.inv(matrix), dtype=np.float64) for matrix in each])
    flat = counts.ravel()
    spread = np.diag(whole.T @ flat) - (whole.T * flat) @ whole
    return CorrectedTable(names, levels, observed, counts, back.T @ spread @ back, int((~complete).sum()))


def _together(each: Sequence[FloatArray]) -> FloatArray:
    """Return the matrix of a table, of those of its attributes, which were drawn independently."""
    whole: FloatArray = np.ones((1, 1))
    for matrix in each:
        whole = np.asarray(np.kron(whole, matrix), dtype=np.float64)
    return whole


def _of_provenance(masked: Masked, names: Sequence[str]) -> dict[str, Any]:
    """Return the matrices that a release was drawn by, and refuse where something else was done to its levels."""
    provenance = masked.provenance
    history = provenance.history or (provenance,)
    touched = [
        step
        for step in history
        if any(name in step.attributes if step.method == "pram" else step.changed.get(name) for name in names)
    ]
    other = [step.method for step in touched if step.method != "pram"]
    if other or len(touched) > 1:
        raise ParameterError(
            f"correct_table: {len(touched)} steps changed these attributes"
            + (f", one of them {other[0]}" if other else "")
            + "; one PRAM can be corrected for.",
            hint="Give matrices, the product of those of all steps, where that is what was done.",
        )
    if touched and "by_stratum" in touched[0].details:
        raise ParameterError(
            "correct_table: PRAM drew within strata, by a matrix in each.",
            hint="Correct the records of every stratum by themselves, with its matrices, and add up.",
        )
    return dict(touched[0].details.get("matrices", {})) if touched else {}


def _checked(name: str, matrix: Any, size: int) -> FloatArray:
    try:
        table = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    fit = table.shape == (size, size) and bool(np.isfinite(table).all()) and bool((table >= 0).all())
    if not fit or (np.abs(table.sum(axis=1) - 1) > _TOLERANCE).any():
        raise ParameterError(
            f"correct_table: the matrix of {name!r} must hold probabilities, {size} rows and columns, each row "
            "summing to 1."
        )
    if np.linalg.cond(table) > _SINGULAR:
        raise DataError(
            f"correct_table: the matrix of {name!r} cannot be inverted: some levels cannot be told apart any more.",
            hint="Join levels that it mixes completely.",
        )
    return table
