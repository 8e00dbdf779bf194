"""What data users may know: chosen line by line, so that what is not named here cannot get out.

The seed, every risk, counts of changed cells, probabilities of change and everything else that a masking-aware intruder
would use stay inside. Of a method's parameters the smallest group `k` is told, because a data user needs it and it
promises protection; no other.
"""

from __future__ import annotations

from typing import Any

from discreet._version import __version__
from discreet.guarantees import Guarantee
from discreet.report.contents import Contents
from discreet.results import Assessment, Provenance
from discreet.typing import Json

__all__ = ["public"]


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
    return told


def _is_of(promise: Guarantee, step: Provenance) -> bool:
    return promise.method == step.method and set(promise.attributes) <= set(step.attributes)


def _treatment(name: str, role: str, masked: set[str], removed: set[str], numbered: set[str]) -> str:
    if name in numbered:
        return "a fresh number in its place"
    if name in removed or role == "identifier":
        return "left out"
    return "masked" if name in masked else "as collected"


def _loss(assessment: Assessment) -> Json:
    return {
        "mean": assessment.score.loss,
        "made_of": [m.title for m in assessment.of_kind("loss") if m.name in assessment.score.ingredients],
        "measures": [
            {
                "name": m.name,
                "title": m.title,
                "value": m.value,
                "unit": m.unit,
                "sentence": m.sentence,
                "per_attribute": dict(m.per_attribute),
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
