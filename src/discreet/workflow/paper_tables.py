"""The papers' tables, recomputed: for the command line and the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from discreet import io
from discreet.comparison import Cell, Comparison, Table

__all__ = ["Cell", "Comparison", "Table", "compare_papers", "paper_files", "write_papers"]


def compare_papers(
    papers: Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Comparison:
    """Recompute the tables of the papers, all or some by their short names, and compare them with what is printed."""
    from discreet.papers import sections

    return sections.compare_papers(papers, full=full, data=data, store=store, resume=resume)


def paper_files(data: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the public files that are at hand."""
    from discreet.papers.files import PUBLIC, DataFolder

    folder = DataFolder(data)
    return [path for path in map(folder.find, PUBLIC) if path is not None]


def write_papers(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write the comparison as one self-contained HTML page."""
    from discreet.report.papers_page import render_papers

    io.write_text(path, render_papers(comparison))
