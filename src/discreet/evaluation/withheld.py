"""Certificates of releases that withhold values: how few could be missing, at which steps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.pairing import as_microdata
from discreet.contracts.withholding_proof import RecodingCertificate, SuppressionCertificate
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError
from discreet.masking.recoding.key_ladders import hierarchies_of, leaves_of
from discreet.masking.withholding.fewest_values import least_cost
from discreet.masking.withholding.hiding_classes import distinct_rows
from discreet.masking.withholding.key_classes import wildcard_counts
from discreet.masking.withholding.suppression import LocalSuppression
from discreet.masking.withholding.wildcard_programme import MOST_KEYS, record_states
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["certify_steps", "certify_withheld", "withheld_cells"]

Reading = Literal["category", "wildcard"]


def withheld_cells(
    before: Microdata, after: Microdata, names: Sequence[str] | None
) -> tuple[tuple[str, ...], BoolArray] | None:
    """Return the keys and which of their cells went missing; None where a cell changed otherwise.

    Without names, of all keys on which records can be equal.
    """
    if names is None:
        names = [n for n in before.schema.keys if before.schema[n].scale.kind != "sequence" and n in after.schema]
    gone = np.zeros((len(before), len(names)), dtype=np.bool_)
    for j, name in enumerate(names):
        if name not in before.schema or before.schema[name].scale.kind == "sequence":
            return None
        lacks, missing = before.missing(name), after.missing(name)
        kept = ~lacks & ~missing
        if (lacks & ~missing).any() or not _equal(before, after, name, kept):
            return None
        gone[:, j] = ~lacks & missing
    return tuple(names), gone


def _equal(before: Microdata, after: Microdata, name: str, rows: BoolArray) -> bool:
    if before.schema[name].scale == after.schema[name].scale:
        return bool(np.array_equal(before.encoded(name)[rows], after.encoded(name)[rows]))
    first, second = before.column(name).to_pylist(), after.column(name).to_pylist()
    return all(first[i] == second[i] or str(first[i]) == str(second[i]) for i in np.flatnonzero(rows))


def _keys(table: Microdata, names: Sequence[str]) -> IntArray:
    """Return keys as positive integers, 0 where they are missing."""
    columns = []
    for name in names:
        places = np.unique(table.encoded(name), return_inverse=True)[1].ravel() + 1
        columns.append(np.where(table.missing(name), 0, places))
    return np.stack(columns, axis=1).astype(np.int64)


def certify_withheld(
    before: Microdata,
    names: tuple[str, ...],
    gone: BoolArray,
    k: int | None,
    missing: Reading | None,
    provenance: Provenance | None,
    seconds: float,
) -> SuppressionCertificate:
    """Prove how few values have to be missing.

    Parameters
    ----------
    before : Microdata
    names : tuple of str
        The keys.
    gone : (n, d) bool
        Which of their cells went missing.
    k : int, optional
        By default what the release promises, otherwise what it keeps.
    missing : {"category", "wildcard"}, optional
        How a missing value is read; by default as the release says, otherwise as a value of its own if it keeps `k` so.
    provenance : Provenance, optional
    seconds : float
    """
    begin = time.monotonic()
    promises = [] if provenance is None else [p for p in provenance.guarantees if set(p.attributes) <= set(names)]
    whole = next((p for p in promises if set(p.attributes) == set(names)), None)
    if promises and whole is None:
        raise DataError(
            "certify: the release promises k for some combinations of the keys only.",
            hint="Name the keys of one of them in attributes.",
        )
    keys = _keys(before, names)
    shown = np.where(gone, 0, keys)
    if whole is not None:
        missing = missing or ("wildcard" if whole.wildcard else "category")
        k = k or whole.k
    strata = _strata(before, whole.strata if whole is not None else ())
    sizes = {reading: min(_smallest(shown[rows], reading) for rows in strata) for reading in ("category", "wildcard")}
    if missing is None:
        missing = "category" if sizes["category"] >= (k or 2) else "wildcard"
    least = k if k is not None else sizes[missing]
    if sizes[missing] < least:
        raise DataError(
            f"certify: a record of the release matches {sizes[missing]} records, fewer than k = {least}.",
            hint="Give the k that the release keeps, the keys as attributes, and how a missing value is read.",
        )
    if least < 2:
        raise DataError("certify: some records of the release match nobody else.", hint="Give the keys as attributes.")
    if missing == "wildcard" and len(names) > MOST_KEYS:
        raise DataError(
            f"certify: where a missing value matches every value, at most {MOST_KEYS} keys can be proven; "
            f"there are {len(names)}."
        )
    costs = _prices(provenance, names)
    value = float((gone @ costs).sum())
    bound, methods, beyond = 0.0, [], 0
    for rows in strata:
        own = float((gone[rows] @ costs).sum())
        proof = least_cost(
            keys[rows],
            least,
            costs,
            wildcard=missing == "wildcard",
            ceiling=own,
            seconds=max((seconds - (time.monotonic() - begin)) * rows.size / max(len(before), 1), 0.05)
            if len(strata) > 1
            else seconds,
        )
        if missing == "wildcard":
            beyond += _beyond_need(keys[rows], gone[rows], least, costs)
        bound += proof.bound
        methods.append(proof.method)
    demands = [] if whole is None or whole.l is None else [f"{whole.l} different values of {whole.sensitive}"]
    demands += [f"k for {len(promises) - 1} other combinations of keys"] if len(promises) > 1 else []
    return SuppressionCertificate(
        value=value,
        bound=bound,
        k=least,
        n_records=len(before),
        attributes=names,
        method=", ".join(dict.fromkeys(methods)),
        missing=missing,
        cells=int(gone.sum()),
        priced=bool((costs != 1.0).any()),
        beyond=beyond,
        demands=tuple(demands),
        seconds=time.monotonic() - begin,
    )


def _strata(table: Microdata, names: Sequence[str]) -> list[IntArray]:
    """Return the records of every stratum."""
    if not names:
        return [np.arange(len(table))]
    of_record = distinct_rows(_keys(table, names)).of_record
    return [np.flatnonzero(of_record == s) for s in range(int(of_record.max()) + 1)]


def _smallest(shown: IntArray, missing: str) -> int:
    return int((wildcard_counts(shown) if missing == "wildcard" else distinct_rows(shown).counts).min())


def _prices(provenance: Provenance | None, names: tuple[str, ...]) -> FloatArray:
    importance = None if provenance is None else provenance.parameters.get("importance")
    costs = None if provenance is None else provenance.details.get("costs")
    return LocalSuppression(importance=importance).prices(names, costs)


def _beyond_need(keys: IntArray, gone: BoolArray, k: int, costs: FloatArray) -> int:
    """Return how many records lose more than they would need by themselves."""
    distinct = distinct_rows(keys)
    needs = record_states(distinct.rows, distinct.counts, k, costs).needs
    return int((gone @ costs > needs[distinct.of_record] * (1.0 + 1e-9) + 1e-9).sum())


def certify_steps(original: Any, masked: Masked, schema: Schema | None, seconds: float) -> RecodingCertificate | None:
    """Say what the search of the lattice proved, and how few single values would do at its steps.

    None where the release did not come from such a search.
    """
    begin = time.monotonic()
    provenance, details = masked.provenance, masked.provenance.details
    if provenance.history or not {"steps", "nodes", "proof", "objective"} <= set(details):
        return None
    before = as_microdata(original, schema)
    finished = details["proof"] == "optimal"
    names = provenance.attributes
    value = float(details["value"])
    bound = float(details.get("bound", value if finished else 0.0))
    promise = next((p for p in provenance.guarantees if set(p.attributes) == set(names) and p.l is None), None)
    k, cells, fewest = None, None, None
    if promise is not None and not provenance.parameters.get("local") and len(before) == provenance.n_records:
        keys = _raised(before, masked)
        if keys is not None:
            k = promise.k
            cells = int((keys[_suppressed(keys, k)] > 0).sum())
            rest = max(seconds - (time.monotonic() - begin), 0.05)
            fewest = least_cost(keys, k, np.ones(len(names)), seconds=rest).bound
    return RecodingCertificate(
        value=value,
        bound=min(bound, value),
        objective=str(details["objective"]),
        n_records=len(before),
        attributes=names,
        suppressed=int(details["suppressed"]),
        limit=int(details["suppression_limit"]),
        nodes=int(details["nodes"]),
        finished=finished,
        k=k,
        cells=cells,
        fewest=fewest,
        seconds=time.monotonic() - begin,
    )


def _raised(before: Microdata, masked: Masked) -> IntArray | None:
    """Return the keys of all records at the steps of the release, before any was suppressed; None if not known."""
    provenance = masked.provenance
    hierarchies = provenance.parameters.get("hierarchies")
    if not _is_readable(hierarchies):
        return _observed(before, masked)
    given = hierarchies_of("certify", hierarchies, before.schema)
    columns = []
    for name in provenance.attributes:
        ladder, codes, _ = leaves_of("certify", before, name, given.get(name))
        groups = ladder.groups[int(provenance.details["steps"][name])]
        columns.append(np.where(codes < 0, 0, groups[np.maximum(codes, 0)] + 1))
    return np.stack(columns, axis=1).astype(np.int64)


def _is_readable(hierarchies: Any) -> bool:
    """Say whether these are files, which can be read again, or none."""
    if isinstance(hierarchies, Mapping):
        return all(isinstance(path, str) and Path(path).is_file() for path in hierarchies.values())
    return hierarchies is None or (isinstance(hierarchies, str) and Path(hierarchies).exists())


def _observed(before: Microdata, masked: Masked) -> IntArray | None:
    """Return the same from what became of the records that are released; None if a value was in none of them."""
    provenance = masked.provenance
    rows = provenance.rows if provenance.rows is not None else np.arange(len(before))
    if len(rows) != len(masked.microdata) or ("records_dropped" not in provenance.details):
        return None
    columns = []
    for name in provenance.attributes:
        values, places = np.unique(before.encoded(name), return_inverse=True)
        becomes = np.full(values.size, -2, dtype=np.int64)
        becomes[places.ravel()[rows]] = distinct_rows(_keys(masked.microdata, [name])).of_record
        level = becomes[places.ravel()]
        level[before.missing(name)] = -1
        if (level == -2).any():
            return None
        columns.append(level + 1)
    return np.stack(columns, axis=1).astype(np.int64)


def _suppressed(keys: IntArray, k: int) -> BoolArray:
    distinct = distinct_rows(keys)
    return np.asarray((distinct.counts < k)[distinct.of_record])
