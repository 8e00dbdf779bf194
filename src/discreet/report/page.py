"""The internal report: one self-contained HTML page, and the same figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

import jinja2

from discreet._version import __version__
from discreet.report.charts import distribution_chart, loss_chart, risk_chart
from discreet.report.flow_chart import flow_chart
from discreet.results import Assessment, Distribution, Flow, Provenance
from discreet.schema import Schema

__all__ = ["render_html", "render_json"]


@cache
def _environment() -> jinja2.Environment:
    # Everything is escaped: a column's name is the user's, and may be anything.
    return jinja2.Environment(
        loader=jinja2.PackageLoader("discreet.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_html(
    provenance: Provenance,
    assessment: Assessment,
    distributions: Sequence[Distribution],
    schema: Schema,
    flows: Sequence[Flow] = (),
) -> str:
    """Return the page for people."""
    from markupsafe import Markup

    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            version=__version__,
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            provenance=provenance.to_dict(internal=True),
            assessment=assessment,
            schema=schema,
            risk_chart=Markup(risk_chart(assessment)),  # noqa: S704 - our own SVG, its texts escaped by the chart library
            loss_chart=Markup(loss_chart(assessment)),  # noqa: S704
            distribution_charts=[
                (d.name, Markup(distribution_chart(d)), d)  # noqa: S704
                for d in distributions
                if d.edges
            ],
            flow_charts=[(f.name, Markup(flow_chart(f))) for f in flows if f.events],  # noqa: S704
        )
    )


def render_json(provenance: Provenance, assessment: Assessment) -> str:
    """Return the same figures for machines."""
    fields = {
        "discreet": __version__,
        "provenance": provenance.to_dict(internal=True),
        "assessment": assessment.to_dict(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
