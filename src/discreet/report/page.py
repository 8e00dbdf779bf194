"""The reports: one self-contained page for people, and the same figures as JSON; for inside and for outside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from discreet._version import __version__
from discreet.contracts.measurement import Measurement
from discreet.contracts.object_charts import sizes_chart
from discreet.notebook import printable
from discreet.report.charts import (
    correlation_chart,
    distribution_chart,
    flow_chart,
    key_chart,
    linkage_chart,
    loss_chart,
    shares_chart,
)
from discreet.report.coarse import publishable, step_of_shares
from discreet.report.contents import Contents
from discreet.report.public import public, public_change
from discreet.report.study_map import map_svg
from discreet.report.verdict import verdict_of

__all__ = ["environment", "render_html", "render_json"]


@cache
def environment() -> jinja2.Environment:
    """Return the templates of every page, with their filters."""
    # Everything is escaped and freed of control characters: a column's name is the user's, and may be anything.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("discreet.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["zip"] = lambda first, second: zip(first, second, strict=True)
    environment.tests["holds"] = lambda values, name: name in values
    environment.filters["brief"] = _brief
    environment.filters["two"] = lambda value: f"{value:.2f}"
    environment.filters["signed"] = lambda value: f"{value:+.2f}".replace("-", "−")
    environment.filters["short"] = _short
    return environment


def render_html(contents: Contents, audience: str = "internal") -> str:
    """Return the page for people, for the audience ``"internal"`` or ``"external"``."""
    if audience == "external":
        release, step = public(contents), step_of_shares(contents.assessment.n_records)
        pictures = _pictures(publishable(contents))
        return environment().get_template("external.html.j2").render(told=release, step=step, **pictures)
    pictures = _pictures(contents)
    return (
        environment()
        .get_template("internal.html.j2")
        .render(
            contents=contents,
            verdict=verdict_of(contents),
            size_chart=_own(sizes_chart(contents.sizes_before, contents.sizes_after).svg)
            if contents.sizes_after
            else "",
            loss_chart=_own(loss_chart(contents.assessment)),
            assessment=contents.assessment,
            steps=[step.to_dict(internal=True) for step in contents.steps],
            scenarios=contents.scenarios,
            said_once=_said_by_all([m.sentence for m in contents.assessment.measurements if _perturbed(m)]),
            linkage_chart=_own(linkage_chart(contents.scenarios)),
            key_chart=_own(key_chart(contents.exposure)) if contents.exposure else "",
            study_map=_own(map_svg(contents.ranking, contents.front, contents.unmasked_study))
            if contents.ranking
            else "",
            **pictures,
        )
    )


def _pictures(contents: Contents) -> dict[str, Any]:
    """Return the pictures that both pages have."""
    return {
        "distributions": [(d, _own(distribution_chart(d))) for d in contents.distributions if d.edges],
        "shares": [(s, _own(shares_chart(s))) for s in contents.shares if s.levels],
        "flows": [(f, _own(flow_chart(f))) for f in contents.flows if f.events],
        "correlations": contents.correlations,
        "correlation_chart": _own(correlation_chart(contents.correlations)) if contents.correlations else "",
        "version": __version__,
        "drawn": contents.drawn,
    }


def _short(value: float) -> str:
    """Return a number to four digits, as people write it."""
    rounded = float(f"{value:.3e}")
    text = f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.4g}"
    return text.replace(",", " ").replace("-", "−")


def _perturbed(measurement: Measurement) -> bool:
    return bool(measurement.details.get("perturbative"))


def _said_by_all(sentences: Sequence[str]) -> str:
    """Return the sentences at the end that all of several texts share: a page says them once."""
    if len(sentences) < 2:
        return ""
    shared = sentences[0]
    while not all(sentence.endswith(shared) for sentence in sentences):
        shared = shared[1:]
    start = shared.find(". ")
    return shared[start + 2 :] if start >= 0 else ""


def _brief(sentence: str, said_once: str) -> str:
    return f"{sentence.removesuffix(said_once).rstrip()} *" if said_once and sentence.endswith(said_once) else sentence


def _own(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - our own SVG, its texts escaped by the canvas


def render_json(contents: Contents, audience: str = "internal") -> str:
    """Return the same figures for machines."""
    fields = public(contents) if audience == "external" else _everything(contents)
    return json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _everything(contents: Contents) -> dict[str, Any]:
    return {
        "discreet": __version__,
        "audience": "internal",
        "provenance": contents.provenance.to_dict(internal=True),
        "assessment": contents.assessment.to_dict(),
        "scenarios": {
            name: {
                "before": contents.before[name].to_dict() if name in contents.before else None,
                "after": after.to_dict(),
            }
            for name, after in contents.after.items()
        },
        "exposure": None if contents.exposure is None else contents.exposure.to_dict(),
        "verdicts": [verdict.to_dict() for verdict in contents.verdicts],
        "remarks": [remark.to_dict() for remark in contents.remarks],
        "certificate": list(contents.certificate),
        "study": list(contents.ranking),
        "unmasked_study": contents.unmasked_study,
        "changes": [public_change(one) for one in contents.changes],
        "protocol": contents.protocol,
        "verdict": list(verdict_of(contents)),
        "about": contents.about.to_dict(),
        "files": [asdict(file) for file in contents.files],
        "iso_20889": dict(contents.classes),
        "scenarios_in_words": dict(contents.in_words),
        "suppressions": [asdict(one) for one in contents.suppressions],
        "group_sizes": {
            when: [{"size": one.label, "groups": one.groups, "records": one.records} for one in sizes]
            for when, sizes in (("before", contents.sizes_before), ("after", contents.sizes_after))
        },
        **({"drawn": contents.drawn} if contents.drawn else {}),
    }
