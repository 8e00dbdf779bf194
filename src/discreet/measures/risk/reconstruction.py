"""What arithmetic gives back of the masked cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masked import Provenance
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.scales import Numeric
from discreet.data.scales.precision import rounded
from discreet.data.schema import Schema
from discreet.measures.number_pairs import levels_of_both, most_of
from discreet.measures.risk.determined import ReleasedColumn, determined_by_columns
from discreet.measures.risk.equations import (
    aggregated_together,
    classes_of,
    complement,
    finer_than,
    solved,
    undone_swaps,
)
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["Reconstruction"]

_NOISE = frozenset({"additive-noise", "correlated-noise"})
_SURE = 8.0
"""Noise with a standard deviation below this part of the column's unit is undone by rounding, but once in 15,000."""
_CLOSE = 1e-9


@register("reconstruction")
class Reconstruction(Measure):
    """Share of an attribute's masked cells that arithmetic gives back, beyond what guessing finds, in percent.

    The intruder holds the release, the method with its parameters and the source code, and no original. He solves the
    equation of every small group of aggregates in whole steps of the column's digits, takes what is known from totals
    and sub-totals, undoes exchanges that leave no choice, rounds noise away that is smaller than the digits, and reads
    masked cells off columns that are released as they came and are functions of masked ones: sums, monotone functions,
    one-to-one codes, and sums, products, ratios and powers of up to three columns that hold but for rounding.

    Parameters
    ----------
    attributes : list of str, optional
        The masked attributes that are attacked; by default all.

    Notes
    -----
    ``100 · max_j (R_j − G_j) / N_j`` over the masked attributes j, at least 0: the worst attribute counts, which no
    other waters down; `details` has them all. N counts the cells that have a value in the
    original and are masked: all of an attribute that a perturbative method made anew, those that differ where a method
    touches single cells. G counts the cells that are guessed: the released value with the digits of the column, or,
    where the released value cannot be the original one, the most frequent masked value. R counts the same with what
    arithmetic says in the place of the guess, where it says something. Truth is used to count, and to find which
    relations hold between columns; never to solve.

    Formulas that hold but for rounding are sought among singles, pairs and triples of at most twelve numeric columns,
    those with the largest part in the regression on all; what they give is rounded to the steps of the column.

    An equation is solved where a class of equal released records has at most eight members, the aggregate has more
    digits than the column, and survey weights that are released tell the members apart; of several solutions the one
    nearest to the mean is taken. A value of 0 means that these attacks find no more than guessing does; that guess is
    in `details`, and is no small number where groups are much alike.

    O(records × columns²) for relations between numbers, O(records) for every other pair of columns, a bounded search
    for every small class; memory O(records × columns). It needs all records at once: a formula is one only where it
    holds of every record, and an equation needs every member of its group.

    References
    ----------
    Dinur and Nissim (2003), Revealing information while preserving privacy; Domingo-Ferrer and Torra (2005) for the
    groups.

    Examples
    --------
    A total that is released beside one of its parts gives the other back:

    >>> import polars as pl
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> from discreet.data.scales import Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("wage", Numeric(), "key"), *(Attribute(n, Numeric()) for n in ("rent", "total"))])
    >>> rent = [17 * i % 31 for i in range(40)]
    >>> people = pl.DataFrame({"wage": [i * i for i in range(40)], "rent": rent})
    >>> people = people.with_columns(total=pl.col("wage") + pl.col("rent"))
    >>> Reconstruction().measure(people, MDAV(k=4).mask(people, schema), schema).value > 80
    True
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Masked cells that arithmetic gives back (reconstruction)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max_j (recovered_j − guessed_j) / masked_j"
    reference: ClassVar[str] = "Dinur and Nissim 2003"
    instead: ClassVar[str] = (
        "A formula must hold of every record, and an equation needs every member of its group. Take it of a sample of "
        "the records, with groups kept whole."
    )
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls()]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        """Return every attribute that may be masked: a changed weight or stratum is a masked cell."""
        if self.attributes is not None:
            return super().columns_for(schema)
        return schema.of_scale(*self.scales, among=[one.name for one in schema if one.role != "identifier"])

    def _measure(self, pair: Pair) -> Measurement:
        columns = _columns(pair)
        counts: dict[str, dict[str, int]] = {}
        through: dict[str, list[str]] = {}
        for name in pair.names:
            column = columns.get(name)
            if column is None or not column.masked.any():
                continue
            guess, claims, by = _attack(pair, column, columns)
            truth = column.before[column.masked]
            guessed = _right(guess[column.masked], truth)
            better = np.where(np.isnan(claims), guess, claims)[column.masked]
            hits = int(guessed.sum())
            counts[name] = {
                "masked": int(truth.size),
                "recovered": max(int(_right(better, truth).sum()), hits),
                "guessed": hits,
                "claimed": int((~np.isnan(claims[column.masked])).sum()),
            }
            through |= {name: by} if by else {}
        return self._result(counts, through, known=pair.provenance is not None)

    def _result(self, counts: dict[str, dict[str, int]], through: dict[str, list[str]], *, known: bool) -> Measurement:
        masked, recovered, guessed = (
            sum(one[what] for one in counts.values()) for what in ("masked", "recovered", "guessed")
        )
        details: Json = {
            "masked_cells": masked,
            "recovered_cells": recovered,
            "guessed_cells": guessed,
            "by_attribute": counts,
            "functions_of_released_columns": through,
            "method_known": known,
        }
        if not masked:
            return self.result(0.0, "No cell is masked, so there is nothing to reconstruct.", details=details)
        per_attribute = {n: 100.0 * (c["recovered"] - c["guessed"]) / c["masked"] for n, c in counts.items()}
        worst = most_of(per_attribute)
        sentence = (
            f"Arithmetic gives back {recovered} of {masked} masked cells exactly ({100.0 * recovered / masked:.1f} %), "
            f"where guessing finds {guessed} ({100.0 * guessed / masked:.1f} %)"
        )
        if per_attribute[worst] > 0:
            most = counts[worst]
            sentence += (
                f"; most of {worst}, {most['recovered']} of {most['masked']} cells, where guessing finds "
                f"{most['guessed']}"
            )
        sentence += "."
        if worst in through:
            sentence += f" {worst} is a function of what is released as it came: {', '.join(through[worst])}."
        if not known:
            sentence += " The method is not known, so only relations between columns were tried."
        return self.result(per_attribute[worst], sentence, per_attribute, details)


def _right(values: FloatArray, truth: FloatArray) -> BoolArray:
    scale = np.maximum(np.abs(truth), float(np.abs(truth).max(initial=0.0)) * 1e-3)
    return np.asarray(np.abs(values - truth) <= _CLOSE * scale + 1e-300)


def _steps(provenance: Provenance | None, name: str) -> list[Provenance]:
    """Return the steps that masked an attribute."""
    if provenance is None:
        return []
    return [step for step in provenance.history or (provenance,) if name in step.attributes]


def _columns(pair: Pair) -> dict[str, ReleasedColumn]:
    """Return every column that both files have, whatever its role: what is released is known."""
    result = {}
    families = {"numeric": "numeric", "ordinal": "levels", "nominal": "levels"}
    for attribute in pair.original.schema:
        name, family = attribute.name, families.get(attribute.scale.kind)
        if attribute.role == "identifier" or name not in pair.masked.schema:
            continue
        if family is None or family != families.get(pair.masked.schema[name].scale.kind):
            continue
        if family == "numeric":
            before, after = pair.original.encoded(name), pair.masked.encoded(name)
        else:
            levels = levels_of_both(pair, name)
            before, after = (
                np.where(codes == levels.size - 1, np.nan, codes).astype(np.float64)
                for codes in (levels.before, levels.after)
            )
            after = before if np.array_equal(before, after, equal_nan=True) else after  # one copy of what stays
        present = ~np.isnan(before)
        changed = present & ~(before == after)
        steps = _steps(pair.provenance, name)
        anew = any(step.perturbative for step in steps)
        visible = ~changed & (not anew)
        scale = attribute.scale if isinstance(attribute.scale, Numeric) else Numeric()
        cells = present if anew else changed
        result[name] = ReleasedColumn(name, family == "numeric", before, after, cells, visible, scale)
    return result


def _attack(
    pair: Pair, column: ReleasedColumn, columns: Mapping[str, ReleasedColumn]
) -> tuple[FloatArray, FloatArray, list[str]]:
    """Return the guess for every cell, what arithmetic says (NaN where nothing), and the columns that say it."""
    others = [other for other in columns.values() if other is not column]
    claims, by = determined_by_columns(column, others)
    steps = _steps(pair.provenance, column.name)
    before = column.grain if column.numeric else None
    plain = column.after if before is None else rounded(column.after, before)
    anew = any(step.perturbative for step in steps)
    guess = plain if anew else np.full(plain.size, _most_frequent(column.before[column.masked]))
    if not anew or len(steps) != 1 or before is None:
        return guess, claims, by
    step, solution = steps[0], np.full(plain.size, np.nan)
    if step.method in _NOISE and before.unit is not None:
        spread = float(np.nanstd(column.after)) * float(step.parameters.get("level", np.inf))
        if _SURE * spread <= before.unit:
            solution, guess = plain, np.full(plain.size, _most_frequent(column.before[column.masked]))
    elif step.method == "rank-swapping" and step.details.get("window", {}).get(column.name) == 1:
        solution = undone_swaps(column.after)
    elif step.labels is not None or "k" in step.parameters:
        solution = _from_groups(pair, step, column, columns, plain, claims)
    return guess, np.where(np.isnan(claims), solution, claims), by


def _from_groups(
    pair: Pair,
    step: Provenance,
    column: ReleasedColumn,
    columns: Mapping[str, ReleasedColumn],
    plain: FloatArray,
    claims: FloatArray,
) -> FloatArray:
    nothing = np.full(plain.size, np.nan)
    if step.parameters.get("operator") is not None or step.parameters.get("operators"):
        return nothing  # another aggregate than the mean: no equation of this kind
    before = column.grain
    if not finer_than(column.after, before):
        return nothing
    names = aggregated_together(step, column.name)
    classes: IntArray = classes_of([columns[n].after for n in names if n in columns])
    weights = _released_weights(pair) if step.parameters.get("weighted") else None
    solutions = solved(column.after, before, classes, weights, plain)
    last = complement(column.after, classes, weights, np.where(np.isnan(claims), solutions, claims))
    return np.where(np.isnan(solutions), rounded(last, before), solutions)


def _released_weights(pair: Pair) -> FloatArray | None:
    name = pair.original.schema.weight
    if name is None or name not in pair.masked.schema:
        return None
    return np.asarray(pair.masked.encoded(name), dtype=np.float64)


def _most_frequent(values: FloatArray) -> float:
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return float(distinct[np.argmax(counts)]) if distinct.size else np.nan
