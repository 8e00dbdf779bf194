"""Results → pages, tables and pictures."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet import io
from discreet.evaluation.flow import flows
from discreet.evaluation.profile import profile
from discreet.evaluation.study import Study
from discreet.microdata import microdata
from discreet.results import Assessment, Masked
from discreet.workflow.files import check_outputs

__all__ = ["write_report", "write_study"]


def write_report(
    original: Any,
    masked: Masked,
    assessment: Assessment,
    *,
    html: str | os.PathLike[str] | None = None,
    json: str | os.PathLike[str] | None = None,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Write the internal report: a self-contained page for people, JSON for machines, or both."""
    from discreet.report.page import render_html, render_json

    before, after = microdata(original), masked.microdata
    pages: list[tuple[str | os.PathLike[str], str]] = []
    if html is not None:
        drawn = (profile(before, after), before.schema, flows(before, after))
        pages.append((html, render_html(masked.provenance, assessment, *drawn)))
    if json is not None:
        pages.append((json, render_json(masked.provenance, assessment)))
    for path, _ in pages:
        io.check_target(path, inputs)
    for path, text in pages:
        io.write_text(path, text, inputs)


def write_study(
    study: Study,
    *,
    table: str | os.PathLike[str] | None = None,
    picture: str | os.PathLike[str] | None = None,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Write the rows of a study (CSV or Parquet) and its risk–utility map (HTML or SVG)."""
    check_outputs([path for path in (table, picture) if path is not None], inputs)
    if table is not None:
        io.write_frame(study.to_frame(), table, inputs)
    if picture is not None:
        from discreet.report.study_map import map_html, map_svg

        draw = map_svg if Path(picture).suffix.lower() == ".svg" else map_html
        io.write_text(picture, draw(study.ranking(), study.front()), inputs)
