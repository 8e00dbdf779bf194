"""What data users may know: chosen line by line, so that what is not named here cannot get out.

The seed, every risk and everything else that tells records apart stay inside. How much was changed is told by column
and by group, in counts of ten or more; what it cost in classes, because digits would be equations in the hidden values
(:mod:`discreet.report.coarse`). No sentence of a measure is passed on: it may hold a count. Of a method's parameters
the smallest group `k` is told, because a data user needs it and it promises protection; the level of noise and the
matrix of PRAM where the house chose to; no other.
"""

from __future__ import annotations

from typing import Any

from discreet._version import __version__
from discreet.contracts.before_after import ColumnChange, Correlations, GroupSuppression
from discreet.contracts.masked import Provenance
from discreet.contracts.measurement import Measurement
from discreet.data.guarantees import Guarantee
from discreet.report.coarse import UNTOLD, class_of, few_changed
from discreet.report.contents import Contents
from discreet.typing import Json

__all__ = ["public", "public_change"]

_SMALLEST = 10

_BY_CELLS = frozenset({"cell-loss", "suppression", "kolmogorov-smirnov", "ctbil", "dist", "ebil"})
"""Losses to which a cell adds its share of the cells at most, whatever its value is."""

_NOISE = ("additive-noise", "correlated-noise", "multiplicative-noise")


def public(contents: Contents) -> Json:
    """Return what the external report tells, as JSON values; the page shows this and nothing else."""
    masked = {name for step in contents.steps for name in step.attributes}
    removed = {name for step in contents.steps for name in step.removed}
    numbered = {name for step in contents.steps for name in step.parameters.get("renumber") or ()}
    numbered |= set(contents.provenance.details.get("renumbered", ()))
    return {
        "discreet": __version__,
        "audience": "external",
        **_about(contents),
        "n_records": contents.assessment.n_records,
        "steps": [_step(step, contents) for step in contents.steps],
        "attributes": [
            {"name": a.name, "scale": a.scale.name, "treatment": _treatment(a.name, a.role, masked, removed, numbered)}
            for a in contents.schema
        ],
        "changes": [_change(one) for one in contents.changes],
        "suppressions": [_suppression(one) for one in contents.suppressions],
        "loss": _loss(contents),
        "distributions": [
            {"attribute": d.name, "mean_after": _rounded(d.mean_after)}
            for d in contents.distributions
            if d.edges and d.name not in few_changed(contents)
        ],
        "correlations": _correlations(contents.correlations, few_changed(contents)),
        **({"drawn": contents.drawn} if contents.drawn else {}),
    }


_RELEASED = ("masked", "schema")


def _about(contents: Contents) -> Json:
    """Return what the release is called and which files it is; who decided, why and for whom stays inside."""
    about = {name: getattr(contents.about, name) for name in ("title", "release_type", "date")}
    files = [
        {"what": file.what, "name": file.name, "bytes": file.bytes, "sha256": file.sha256}
        for file in contents.files
        if file.what in _RELEASED
    ]
    return {"about": {name: words for name, words in about.items() if words}, "files": files}


def _step(step: Provenance, contents: Contents) -> Json:
    summary: Json = {
        "method": step.method,
        "what_it_does": contents.summaries.get(step.method, ""),
        "attributes": list(step.attributes),
        "values_may_be_untrue": step.perturbative,
        "iso_20889": contents.classes.get(step.method, ""),
    }
    # Only what the release as a whole keeps: a later step may have broken what this one promised.
    promised = [p for p in contents.provenance.guarantees if _is_of(p, step)]
    summary["guarantees"] = [promise.sentence for promise in promised]
    sizes = [promise.k for promise in promised if promise.risk is None]
    if sizes:
        summary["smallest_group"] = min(sizes)
    if "noise" in contents.tell and step.method in _NOISE:
        summary["noise_level"] = step.parameters.get("level")
    if "pram" in contents.tell and step.method == "pram":
        summary["matrices"] = _matrices(step, contents)
    return summary


def _is_of(promise: Guarantee, step: Provenance) -> bool:
    return promise.method == step.method and set(promise.attributes) <= set(step.attributes)


def _matrices(step: Provenance, contents: Contents) -> list[Json]:
    """Return the probabilities of change between levels, attribute by attribute, to four digits."""
    matrices = []
    for name, matrix in step.details.get("matrices", {}).items():
        levels = [str(level) for level in getattr(contents.schema[name].scale, "levels", ())]
        if len(levels) == len(matrix):
            matrices.append(
                {"attribute": name, "levels": levels, "matrix": [[_rounded(p) for p in row] for row in matrix]}
            )
    return matrices


def public_change(one: ColumnChange) -> Json:
    """Return how much of a column was changed, in counts and in words."""
    return {
        "attribute": one.name,
        "cells": one.cells,
        "changed": one.changed,
        "changed_in_words": _count(one.changed, one.cells),
        "suppressed": one.suppressed,
        "suppressed_in_words": _count(one.suppressed, one.cells),
        "mean_loss": one.loss,
    }


def _change(one: ColumnChange) -> Json:
    """Return the same for data users: all counts of a column or none, since one may give another by subtraction."""
    counts = (one.changed, one.suppressed)
    untouched = one.cells - sum(count or 0 for count in counts)
    publishable = None not in counts and (untouched == 0 or untouched >= _SMALLEST)
    return {
        "attribute": one.name,
        "cells": one.cells if publishable else None,
        "changed": one.changed if publishable else None,
        "changed_in_words": _count(one.changed if publishable else None, one.cells),
        "suppressed": one.suppressed if publishable else None,
        "suppressed_in_words": _count(one.suppressed if publishable else None, one.cells),
        "mean_loss": UNTOLD if one.few or one.loss is None else class_of(one.loss),
    }


def _count(count: int | None, of: int) -> str:
    if count is None:
        return "too few, or all but a few, to tell"
    return "none" if count == 0 else "all" if count == of else f"{count} of {of}"


def _suppression(one: GroupSuppression) -> Json:
    few = "some, fewer than ten cells"
    return {
        "domain": one.domain,
        "level": one.level or "groups too small to name",
        "records": one.records,
        "percent": one.percent,
        "in_words": few if one.percent is None else f"{one.percent:.0f} %",
    }


def _treatment(name: str, role: str, masked: set[str], removed: set[str], numbered: set[str]) -> str:
    if name in numbered:
        return "a fresh number in its place"
    if name in removed or role == "identifier":
        return "left out"
    return "masked" if name in masked else "as collected"


def _loss(contents: Contents) -> Json:
    assessment, few = contents.assessment, few_changed(contents)
    score = assessment.score
    return {
        # A cell loses 100 % at most, so that the mean over many changed cells tells of none; over a few it would.
        "mean": None if few else round(score.loss),
        "in_words": class_of(score.loss) if few or score.loss < 1 else f"{score.loss:.0f} %",
        "most_in": None if score.worst_column in few else score.worst_column,
        "made_of": [m.title for m in assessment.of_kind("loss") if m.name in score.ingredients],
        "measures": [_measure(m, few, _untouched(contents)) for m in assessment.of_kind("loss")],
        "not_computed": [
            {"name": one.name, "title": one.title, "reason": one.reason}
            for one in assessment.not_computed
            if one.kind == "loss"
        ],
    }


def _untouched(contents: Contents) -> frozenset[str]:
    return frozenset(one.name for one in contents.changes if one.changed == 0 and one.suppressed == 0)


def _measure(m: Measurement, few: frozenset[str], untouched: frozenset[str]) -> Json:
    """Return a loss in classes, and nothing of it where too few cells were changed in an attribute that it is over."""
    silent = bool(few & set(m.per_attribute)) or (bool(few) and not m.per_attribute)
    return {
        "name": m.name,
        "title": m.title,
        "loss": UNTOLD if silent else _in_classes(m, m.value),
        # What an attribute that nobody touched lost, it lost by others: where those are not told of, nor is it.
        "per_attribute": {
            name: UNTOLD if name in few or (silent and value and name in untouched) else _in_classes(m, value)
            for name, value in m.per_attribute.items()
        },
        "reference": m.reference,
    }


def _in_classes(m: Measurement, value: float) -> str:
    if m.unit != "%" and value:
        return "some"
    return class_of(value, open_ended=m.name not in _BY_CELLS)


def _correlations(correlations: Correlations | None, few: frozenset[str]) -> str | None:
    """Return how far correlations moved on average, in classes; none where few cells of an attribute were changed."""
    if correlations is None or few & set(correlations.names):
        return None
    pairs = [abs(value) for i, row in enumerate(correlations.change) for value in row[:i]]
    moved = class_of(100.0 * sum(pairs) / len(pairs), open_ended=True)
    if moved == "none":
        return "Correlations of numbers are as they were."
    return f"The mean change of a correlation is {moved} of the range from 0 to 1."


def _rounded(value: float) -> Any:
    """Return a mean to four digits: enough for a reader, too little to be solved for a record."""
    return float(f"{value:.3e}")
