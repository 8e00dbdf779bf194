"""The five papers, in order: what each section holds, and how all of them are run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial

from discreet.comparison import Comparison, Section
from discreet.errors import ParameterError
from discreet.papers import (
    p0_masking,
    p0_negation,
    p1a_study,
    p1b_cwow_median,
    p1b_monotonicity,
    p1b_operators,
    p1c_choquet,
    p1d_chance,
    p1d_learning,
    p1d_variables,
    p2_example,
    p2_files,
    p3_sequences,
    p4_linkage,
)
from discreet.papers.files import DataFolder
from discreet.progress import track

__all__ = ["SECTIONS", "compare_papers"]


def _p0(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p0",
        "Aggregation techniques for statistical confidentiality",
        "Domingo-Ferrer and Torra (2002)",
        (*p0_negation.tables(), *p0_masking.tables()),
        (p0_negation.figure(),),
    )


def _p1a(
    data: DataFolder,  # noqa: ARG001
    full: bool,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Section:
    study = p1a_study.run(full, store=store, resume=resume)
    if not study.complete:
        raise KeyboardInterrupt  # half a ranking would be read as a whole one; finished rows are in the store
    return Section(
        "p1a",
        "Microaggregation for categorical variables: a median based approach",
        "Torra (2004); CASC deliverable D14, first paper",
        tuple(p1a_study.tables(full, study=study)),
        tuple(p1a_study.figures(study)),
    )


def _p1b(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p1b",
        "Median based aggregation operators for prototype construction in ordinal scales",
        "Domingo-Ferrer and Torra (2003); CASC deliverable D14, second paper",
        (*p1b_operators.tables(), *p1b_cwow_median.tables(), *p1b_monotonicity.tables(full=full)),
        (p1b_monotonicity.figure(),),
    )


def _p1c(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p1c",
        "Extending microaggregation procedures using defuzzification methods for categorical variables",
        "Domingo-Ferrer and Torra (2002); CASC deliverable D14, third paper",
        tuple(p1c_choquet.tables()),
    )


def _p1d(data: DataFolder, full: bool) -> Section:
    return Section(
        "p1d",
        "OWA operators in data modeling and re-identification",
        "Torra (2004); CASC deliverable D14, fourth paper",
        (*p1d_learning.tables(data), *p1d_variables.tables(data, full=full), *p1d_chance.tables()),
    )


def _p2(data: DataFolder, full: bool) -> Section:
    return Section(
        "p2",
        "Record linkage for database integration using fuzzy integrals",
        "Torra and Nin (2008)",
        (*p2_example.tables(), *p2_files.tables(data, full=full)),
        tuple(p2_example.figures()),
    )


def _p3(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p3",
        "On the use of aggregation operators for location privacy",
        "Valls, Nin and Torra (2009)",
        tuple(p3_sequences.tables()),
        tuple(p3_sequences.figures()),
    )


def _p4(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    found = p4_linkage.study()
    return Section(
        "p4",
        "Distance-based and probabilistic record linkage for re-identification of records with categorical variables",
        "Domingo-Ferrer and Torra (2002)",
        tuple(p4_linkage.tables(found)),
        (p4_linkage.figure(found),),
    )


SECTIONS: dict[str, Callable[[DataFolder, bool], Section]] = {
    "p0": _p0, "p1a": _p1a, "p1b": _p1b, "p1c": _p1c, "p1d": _p1d, "p2": _p2, "p3": _p3, "p4": _p4,
}  # fmt: skip
"""What makes each section, by its short name."""


def compare_papers(
    papers: Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Comparison:
    """Recompute the tables of the papers and compare them with what is printed.

    Parameters
    ----------
    papers : sequence of str
        Short names, of :data:`SECTIONS`; all of them by default.
    full : bool
        Whether to run the studies at full length: minutes instead of seconds.
    data : path, optional
        The folder of the public files; by default that of the environment variable DISCREET_DATA.
    store : path, optional
        A file in which the experiments of the long study (P1a) are kept as they come; with `resume`, one that was
        stopped goes on from there.

    Examples
    --------
    >>> found = compare_papers(["p0"])
    >>> found.failed, found.count("exact"), found.count("differs")
    (False, 48, 1)
    """
    unknown = [name for name in papers if name not in SECTIONS]
    if unknown:
        raise ParameterError(f"papers: {unknown[0]!r} is no paper.", hint=f"Known: {', '.join(SECTIONS)}.")
    chosen = [name for name in SECTIONS if not papers or name in papers]
    folder, begin = DataFolder(data), time.perf_counter()
    makers: dict[str, Callable[[DataFolder, bool], Section]] = {**SECTIONS}
    makers["p1a"] = partial(_p1a, store=store, resume=resume)
    sections = tuple(makers[name](folder, full) for name in track(chosen, "papers", len(chosen)))
    return Comparison(sections, full, round(time.perf_counter() - begin, 1))
