"""What a report shows, gathered from the original, the release and its assessments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet import catalogue
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.masked import Masked
from discreet.contracts.pairing import aligned
from discreet.contracts.remark import Remark
from discreet.data.microdata import Microdata
from discreet.evaluation.changes import column_changes, suppressions_by_group
from discreet.evaluation.pictures import flows, profile, relations, shares
from discreet.evaluation.study import Study
from discreet.parameters import summary_of
from discreet.release.abridged import abridge_protocol, abridge_record, telling_attributes

__all__ = ["SMALLEST", "gather"]

SMALLEST = {"internal": 5, "external": 10}
"""The fewest records that a bar of a picture may stand for: a published one is held to the usual rule of ten."""


_PICTURES = 24
"""How many attributes are drawn, of each kind; a file of hundreds would make a report that nobody opens."""


def gather(
    original: Any,
    masked: Masked,
    assessment: Assessment,
    audience: str,
    before: Mapping[str, Assessment],
    after: Mapping[str, Assessment],
    verdicts: Sequence[Verdict],
    advice: Sequence[Remark],
    certificate: Any,
    study: Study | None,
    protocol: str | None,
    domains: Sequence[str] = (),
    tell: Sequence[str] = (),
) -> Any:
    """Return what a page for an audience shows."""
    from discreet.report.contents import Contents

    first, second = aligned(original, masked)
    steps = masked.provenance.history or (masked.provenance,)
    smallest = SMALLEST[audience]
    maskers = catalogue.maskers()
    touched = {name for step in steps for name in step.attributes}
    from discreet.evaluation.exposure import expose  # compiled code, which only a report needs

    telling = telling_attributes(first)
    return Contents(
        provenance=abridge_record(masked.provenance, telling),
        assessment=assessment,
        schema=first.schema,
        summaries={step.method: summary_of(maskers[step.method]) for step in steps if step.method in maskers},
        before=before,
        after=after or {"all keys": assessment},
        distributions=tuple(
            d for d in profile(first, second, smallest, by_release=audience == "external") if d.name in touched
        )[:_PICTURES],
        shares=tuple(s for s in shares(first, second, smallest) if s.name in touched)[:_PICTURES],
        flows=flows(first, second, smallest),
        correlations=relations(first, second),
        exposure=expose(first, second, _keys(assessment, *after.values())) if audience == "internal" else None,
        verdicts=tuple(verdicts),
        remarks=tuple(advice),
        certificate=_sentences(certificate),
        ranking=tuple(study.ranking()) if study is not None else (),
        front=tuple(study.front()) if study is not None else (),
        protocol=abridge_protocol(protocol, telling),
        changes=column_changes(first, second, _cell_losses(assessment), smallest),
        suppressions=suppressions_by_group(first, second, _domains(first, domains, telling), smallest),
        tell=tuple(tell),
        unmasked_study=study.unmasked_entry() if study is not None else None,
    )


def _cell_losses(assessment: Assessment) -> Mapping[str, float]:
    return next((m.per_attribute for m in assessment.measurements if m.name == "cell-loss"), {})


def _domains(table: Microdata, domains: Sequence[str], telling: Mapping[str, Any]) -> list[str]:
    """Return what suppressed cells are counted by; levels that tell records apart are no groups."""
    names = domains or table.schema.of_scale("ordinal", "nominal", among=table.schema.of_role("stratum"))
    return [name for name in names if name not in telling]


def _keys(*assessments: Assessment) -> tuple[str, ...]:
    """Return what any of the intruders knows, each key once."""
    return tuple(dict.fromkeys(name for assessment in assessments for name in assessment.known))


def _sentences(certificate: Any) -> tuple[str, ...]:
    if certificate is None:
        return ()
    sentence = certificate if isinstance(certificate, str) else str(certificate.sentence)
    return (f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.",)
