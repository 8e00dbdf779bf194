"""What data users may know: chosen line by line, so that what is not named here cannot get out.

The seed, every risk and everything else that tells records apart stay inside. How much was changed is told by column
and by group, in counts of ten or more. Of a method's parameters the smallest group `k` is told, because a data user
needs it and it promises protection; the level of noise and the matrix of PRAM where the house chose to; no other.
"""

from __future__ import annotations

from typing import Any

from discreet._version import __version__
from discreet.guarantees import Guarantee
from discreet.report.contents import Contents
from discreet.results import Assessment, ColumnChange, GroupSuppression, Provenance
from discreet.typing import Json

__all__ = ["public", "public_change"]

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
        "n_records": contents.assessment.n_records,
        "steps": [_step(step, contents) for step in contents.steps],
        "attributes": [
            {"name": a.name, "scale": a.scale.kind, "treatment": _treatment(a.name, a.role, masked, removed, numbered)}
            for a in contents.schema
        ],
        "changes": [public_change(one) for one in contents.changes],
        "suppressions": [_suppression(one) for one in contents.suppressions],
        "loss": _loss(contents.assessment),
        "distributions": [
            {"attribute": d.name, "mean_before": _rounded(d.mean_before), "mean_after": _rounded(d.mean_after)}
            for d in contents.distributions
            if d.edges
        ],
        "correlations": None if contents.correlations is None else contents.correlations.sentence,
    }


def _step(step: Provenance, contents: Contents) -> Json:
    told: Json = {
        "method": step.method,
        "what_it_does": contents.summaries.get(step.method, ""),
        "attributes": list(step.attributes),
        "values_may_be_untrue": step.perturbative,
    }
    # Only what the release as a whole keeps: a later step may have broken what this one promised.
    promised = [p for p in contents.provenance.guarantees if _is_of(p, step)]
    told["guarantees"] = [promise.sentence for promise in promised]
    if promised:
        told["smallest_group"] = min(promise.k for promise in promised)
    if "noise" in contents.tell and step.method in _NOISE:
        told["noise_level"] = step.parameters.get("level")
    if "pram" in contents.tell and step.method == "pram":
        told["matrices"] = _matrices(step, contents)
    return told


def _is_of(promise: Guarantee, step: Provenance) -> bool:
    return promise.method == step.method and set(promise.attributes) <= set(step.attributes)


def _matrices(step: Provenance, contents: Contents) -> list[Json]:
    """Return the probabilities of change between levels, attribute by attribute, to four digits."""
    told = []
    for name, matrix in step.details.get("matrices", {}).items():
        levels = [str(level) for level in getattr(contents.schema[name].scale, "levels", ())]
        if len(levels) == len(matrix):
            told.append({"attribute": name, "levels": levels, "matrix": [[_rounded(p) for p in row] for row in matrix]})
    return told


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


def _loss(assessment: Assessment) -> Json:
    return {
        "mean": _rounded(assessment.score.loss),
        "most_in": assessment.score.worst_column,
        "made_of": [m.title for m in assessment.of_kind("loss") if m.name in assessment.score.ingredients],
        "measures": [
            {
                "name": m.name,
                "title": m.title,
                "value": _rounded(m.value),
                "unit": m.unit,
                "sentence": m.sentence,
                "per_attribute": {name: _rounded(value) for name, value in m.per_attribute.items()},
                "reference": m.reference,
            }
            for m in assessment.of_kind("loss")
        ],
        "not_computed": [
            {"name": one.name, "title": one.title, "reason": one.reason}
            for one in assessment.not_computed
            if one.kind == "loss"
        ],
    }


def _rounded(value: float) -> Any:
    """Return a mean to four digits: enough for a reader, too little to be solved for a record."""
    return float(f"{value:.3e}")
