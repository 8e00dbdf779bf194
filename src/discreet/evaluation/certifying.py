"""A certificate of optimality: how far a release can be from the least possible information loss."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from discreet.contracts.masked import Masked
from discreet.contracts.pairing import aligned
from discreet.contracts.proof import Certificate
from discreet.contracts.withholding_proof import RecodingCertificate, SuppressionCertificate
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, MissingValueError, ParameterError, door
from discreet.evaluation.withheld import certify_steps, certify_withheld, withheld_cells
from discreet.kernels.groups.bounds import ListedPrices
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.pricing import squared_distances
from discreet.kernels.groups.univariate import optimal_runs
from discreet.masking.microaggregation.numbers.branching import Branching
from discreet.masking.microaggregation.numbers.number_groups import standardised
from discreet.masking.microaggregation.numbers.refinement import check_budget, refined
from discreet.masking.microaggregation.numbers.set_partition import DENSE_UP_TO, raise_prices, subsets_of_groups
from discreet.parameters import Choice, Integer, Names, Optional, check_parameters
from discreet.progress import report
from discreet.registry import unknown_name
from discreet.stopping import stoppable
from discreet.typing import FloatArray, IntArray

__all__ = ["certify", "least_squared_error"]

# Taken off every bound: far above what rounding can have added.
_ROUNDING = 1e-9
# Branching goes on while so many steps close this part of the gap.
_STEPS, _CLOSED = 40, 0.02


@door
@stoppable()
def certify(
    original: Any,
    masked: Any,
    k: int | None = None,
    *,
    budget: str = "1m",
    attributes: Sequence[str] | None = None,
    missing: Literal["category", "wildcard"] | None = None,
    schema: Schema | None = None,
) -> Certificate | SuppressionCertificate | RecodingCertificate:
    """Prove a lower bound on the information loss, or on the missing values, of every release that keeps k.

    The bound holds for any method. Where numbers were microaggregated: no table in which at least `k` records share
    every combination of the numeric attributes has a lower 100·SSE/SST on z-scores. Where values only went missing: no
    table in which every record matches `k` lacks fewer of them. Where keys were generalised: no steps of the
    hierarchies within the limit have a lower objective.

    Parameters
    ----------
    original : Microdata or frame
    masked : Masked, Microdata, frame, or array of labels
        The release, record by record; or the group of every record, each released as its mean.
    k : int, optional
        The smallest group; by default that of the release.
    budget : str
        How long to improve the bound, such as ``"30s"`` or ``"10min"``. A small file is done earlier, and
        an interrupt ends it without a bound.
    attributes : list of str, optional
        What was masked; by default what the release says, otherwise every numeric key, or every key where all that
        happened to them is that values went missing.
    missing : {"category", "wildcard"}, optional
        How missing values of a release are read: as a value of its own, or as one that matches every value. By default
        as the release says, otherwise as a value of its own if it keeps `k` so.
    schema : Schema, optional
        For plain frames.

    Returns
    -------
    Certificate, SuppressionCertificate or RecodingCertificate

    Raises
    ------
    ParameterError, DataError, MissingValueError

    Notes
    -----
    One attribute: the optimum, in O(n log n). Up to 3,000 records: prices of records by column generation, then
    branching on records that the linear programme divides between groups, O(n²) memory; otherwise prices from lists of
    near records, in linear memory, longer for the few records that carry much of the error. All start from nearest
    distances and are raised while there is time. Attributes masked block by block are certified block by block. Missing
    values are refused. Where values went missing: linear programmes over combinations of keys, then branch and bound.
    Read as matching every value, k − 1 records that show nothing would be enough and protect nobody, so the bound is
    that of releases in which no record loses more than it needs by itself.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002) for the problem; Aloise, Hansen and Rocha (2014) for column generation.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> certify(wages, [0, 0, 0, 1, 1, 1]).sentence
    'the information loss is the least possible for k = 3'
    >>> certify(wages, [0, 0, 1, 1, 1, 1], k=2).gap > 100
    True
    """
    check_parameters(
        "certify",
        {"k": k, "attributes": attributes, "missing": missing},
        {
            "k": Optional(Integer(2)),
            "attributes": Optional(Names()),
            "missing": Optional(Choice(("category", "wildcard"))),
        },
    )
    seconds = check_budget("certify", budget) if isinstance(budget, str) else None
    if seconds is None:
        raise ParameterError("certify: budget must be a time such as '30s' or '10min'.")
    begin = time.monotonic()
    withheld = _withholding(original, masked, k, attributes, missing, schema, seconds)
    if withheld is not None:
        return withheld
    if missing is not None:
        raise DataError(
            "certify: missing is for a release of which values only went missing; here keys changed otherwise.",
            hint="Leave it out, or name the keys as attributes.",
        )
    parts, names = _parts(original, masked, attributes, schema)
    smallest = min(int(np.bincount(part[1]).min()) for part in parts)
    least = k if k is not None else smallest
    if smallest < least:
        raise DataError(
            f"certify: the smallest group of the release has {smallest} records, fewer than k = {least}.",
            hint="Give the k that the release keeps, and the attributes that were masked.",
        )
    if least < 2:
        raise DataError(
            "certify: some combinations of values belong to one record only, so nothing was microaggregated.",
            hint="Give the attributes that were masked.",
        )
    within, floor, total, methods = 0.0, 0.0, 0.0, []
    for points, labels, error in parts:
        bound, method = least_squared_error(points, least, labels, seconds / len(parts))
        within, floor = within + error, floor + min(bound * (1.0 - _ROUNDING), error)
        total += float(((points - points.mean(axis=0)) ** 2).sum())
        methods.append(method)
    to_percent = 100.0 / total if total > 0 else 0.0
    return Certificate(
        value=within * to_percent,
        bound=floor * to_percent,
        k=least,
        n_records=len(parts[0][0]),
        attributes=names,
        method=", ".join(dict.fromkeys(methods)),
        beside=_masked_beside(original, masked, schema, names),
        seconds=time.monotonic() - begin,
    )


def _withholding(
    original: Any,
    masked: Any,
    k: int | None,
    attributes: Sequence[str] | None,
    missing: Literal["category", "wildcard"] | None,
    schema: Schema | None,
    seconds: float,
) -> SuppressionCertificate | RecodingCertificate | None:
    """Return the certificate of a release that withholds values; None for one that changes them otherwise."""
    if _as_labels(masked) is not None:
        return None
    if isinstance(masked, Masked):
        steps = certify_steps(original, masked, schema, seconds)
        if steps is not None:
            return steps
    before, after = aligned(original, masked, schema)
    if not isinstance(before, Microdata) or not isinstance(after, Microdata):
        return None
    provenance = masked.provenance if isinstance(masked, Masked) and not masked.provenance.history else None
    names = attributes if attributes is not None or provenance is None else provenance.attributes
    for name in names or ():
        if name not in before.schema:
            raise unknown_name("attribute", name, before.schema.names, where="certify")
    cells = withheld_cells(before, after, names)
    # Nothing missing is a release of local suppression only if one of them says so.
    if cells is None or not (cells[1].any() or (provenance is not None and "suppressed" in provenance.details)):
        return None
    return certify_withheld(before, *cells, k, missing, provenance, seconds)


def _masked_beside(original: Any, masked: Any, schema: Schema | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys on other scales that were changed too: the groups had to serve them as well."""
    if _as_labels(masked) is not None:
        return ()
    before, after = aligned(original, masked, schema)
    if isinstance(masked, Masked) and not masked.provenance.history:
        return tuple(n for n in masked.provenance.attributes if n not in names and n in before.schema.keys)
    others = [n for n in before.schema.of_scale("ordinal", "nominal", among=before.schema.keys) if n in after.schema]
    return tuple(name for name in others if not _unchanged(before, after, name))


def _unchanged(before: Microdata, after: Microdata, name: str) -> bool:
    same = before.schema[name].scale == after.schema[name].scale
    return same and bool(np.array_equal(before.encoded(name), after.encoded(name)))


Part = tuple[FloatArray, IntArray, float]


def _parts(
    original: Any, masked: Any, attributes: Sequence[str] | None, schema: Schema | None
) -> tuple[list[Part], tuple[str, ...]]:
    """Return for every block of attributes its z-scores, the group of every record and the squared error."""
    labels = _as_labels(masked)
    if labels is not None:
        before = original if isinstance(original, Microdata) else microdata(original, schema)
        names = _names(before, attributes)
        if labels.shape != (len(before),):
            raise DataError(f"certify: {len(before)} records need as many labels; got {labels.size}.")
        points = standardised(_present(before, names), "zscore")
        groups = np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)
        return [(points, groups, _squared_error(points, groups))], names
    before, after = aligned(original, masked, schema)
    details = masked.provenance.details if isinstance(masked, Masked) else {}
    selection = attributes
    if selection is None and isinstance(masked, Masked):
        selection = [n for n in masked.provenance.attributes if before.schema[n].scale.kind == "numeric"]
    names = _names(before, selection)
    blocks = _blocks(details, names) if attributes is None else []
    parts = []
    for block in blocks or [names]:
        values, released = _present(before, block), _present(after, block)
        points = standardised(values, "zscore")
        classes = np.unique(released, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
        parts.append((points, classes, _moved(values, released, points)))
    return parts, names


def _blocks(details: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the numbers of every block of attributes that was grouped by itself; no block where all were together."""
    recorded = details.get("blocks")
    if not isinstance(recorded, list):
        return []
    listed = [block["attributes"] if isinstance(block, Mapping) else block for block in recorded]
    blocks = [tuple(name for name in block if name in names) for block in listed]
    return [block for block in blocks if block]


def _as_labels(masked: Any) -> IntArray | None:
    if isinstance(masked, np.ndarray) or (
        isinstance(masked, (list, tuple)) and all(isinstance(x, int) for x in masked)
    ):
        labels = np.asarray(masked)
        if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
            raise DataError("certify: labels must be one integer a record.")
        return labels.astype(np.int64)
    return None


def _names(table: Microdata, attributes: Sequence[str] | None) -> tuple[str, ...]:
    if attributes is None:
        numeric = [a.name for a in table.schema if a.scale.kind == "numeric" and a.role == "key"]
        if not numeric:
            raise DataError("certify: the schema has no numeric key.", hint="Give attributes.")
        return tuple(numeric)
    for name in attributes:
        if name not in table.schema:
            raise unknown_name("attribute", name, table.schema.names, where="certify")
        if table.schema[name].scale.kind != "numeric":
            raise DataError(f"certify: {name!r} is not numeric.")
    if not attributes:
        raise DataError("certify: the release has no numeric attribute that was masked.")
    return tuple(attributes)


def _present(table: Microdata, names: tuple[str, ...]) -> FloatArray:
    values = table.numeric(names)
    absent = np.isnan(values).sum(axis=0)
    if absent.any():
        first = names[int(np.argmax(absent > 0))]
        raise MissingValueError(f"certify: {int(absent.sum())} values are missing, the first in column {first!r}.")
    return values


def _squared_error(points: FloatArray, labels: IntArray) -> float:
    sizes = np.bincount(labels)
    return sum(float(((x - (np.bincount(labels, x) / sizes)[labels]) ** 2).sum()) for x in points.T)


def _moved(values: FloatArray, released: FloatArray, points: FloatArray) -> float:
    """Return the squared distance between original and release, on the scale of the points."""
    total = 0.0
    for j in range(values.shape[1]):
        width, spread = np.ptp(points[:, j]), np.ptp(values[:, j])
        if width > 0 and spread > 0:
            total += float((((values[:, j] - released[:, j]) / spread * width) ** 2).sum())
    return total


def least_squared_error(
    points: FloatArray, k: int, labels: IntArray | None = None, seconds: float = 60.0
) -> tuple[float, str]:
    """Return a squared error that no partition into groups of at least k stays below, and how it was found.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64
        At least k records; they are not standardised here.
    k : int
        At least 2.
    labels : ndarray of shape (n,), int64, optional
        A good partition to begin with.
    seconds : float
    """
    points = np.ascontiguousarray(points - points.mean(axis=0))
    points = points[:, np.ptp(points, axis=0) > 0]
    n, d = points.shape
    if d == 0 or n < 2 * k:
        return float((points**2).sum()), "one group"
    if d == 1:
        return _squared_error(points, optimal_runs(points[:, 0].copy(), k)), "exact-univariate"
    begin = time.monotonic()

    def seconds_left() -> float:
        return seconds - (time.monotonic() - begin)

    def tell() -> None:
        report("certifying", min(int(1000 * (1.0 - seconds_left() / seconds)), 1000), 1000)

    dense = n <= DENSE_UP_TO
    best = 0.0
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
        listed = ListedPrices(points, k, workers)
        best = float(listed.values.sum())
        more = True
        while more and seconds_left() > (0.8 * seconds if dense else 0.0):
            more = listed.raise_once()
            best = float(listed.values.sum())
            tell()
        if dense and seconds_left() > 0:
            if labels is None or np.bincount(labels).max() >= 2 * k:
                labels = mdav(points, k)
            start = refined("certify", points, k, labels, f"{min(0.1 * seconds, 5.0)}s", 0)
            for bound in _column_generation(points, k, [labels, start], listed.values, seconds_left, workers):
                best = max(best, bound)
                tell()
    return best, "column generation" if dense else "fast"


def _column_generation(
    points: FloatArray,
    k: int,
    partitions: list[IntArray],
    prices: FloatArray,
    seconds_left: Callable[[], float],
    workers: ThreadPoolExecutor,
) -> Iterator[float]:
    """Raise the bound by linear programmes, then by branching on records that they divide while that closes the gap."""
    D = squared_distances(points)
    columns = np.concatenate([subsets_of_groups(labels, k) for labels in partitions])
    converged = False
    for raised in raise_prices(D, k, columns, prices=prices, seconds=seconds_left(), workers=workers):
        prices, columns, converged = raised.values, raised.columns, raised.converged
        yield raised.bound
    if not converged:
        return
    search = Branching(D, k, prices, columns, min(_squared_error(points, labels) for labels in partitions), workers)
    gap, steps = search.ceiling - search.bound, 0
    while not search.finished and steps < _STEPS and seconds_left() > 0:
        search.step(seconds_left())
        yield search.bound
        steps += 1
        if search.ceiling - search.bound < (1.0 - _CLOSED) * gap:
            gap, steps = search.ceiling - search.bound, 0
