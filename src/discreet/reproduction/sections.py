"""The five papers, in order: what each section holds, and how all of them are run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial

from discreet.errors import ParameterError
from discreet.progress import track
from discreet.reproduction.printed import PaperComparison, Section
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects import (
    categorical_links,
    categorical_study,
    chance_links,
    choquet,
    cwow_median,
    interval_negation,
    location_privacy,
    median_monotonicity,
    median_operators,
    operator_tradeoff,
    representatives_example,
    representatives_files,
    sorted_example,
    variable_links,
    weight_learning,
)

__all__ = ["SECTIONS", "compare_papers"]


def _aggregation_techniques(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    outcomes = operator_tradeoff.study(data)
    return Section(
        "p0",
        "Aggregation techniques for statistical confidentiality",
        "Domingo-Ferrer and Torra (2002)",
        (*interval_negation.tables(), *sorted_example.tables(), *operator_tradeoff.tables(data, outcomes)),
        (*operator_tradeoff.group_figures(), interval_negation.figure(), operator_tradeoff.tradeoff_figure(outcomes)),
    )


def _categorical_microaggregation(
    data: DataFolder,  # noqa: ARG001
    full: bool,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Section:
    study = categorical_study.run(full, store=store, resume=resume)
    if not study.complete:
        raise KeyboardInterrupt  # half a ranking would be read as a whole one; finished rows are in the store
    return Section(
        "p1a",
        "Microaggregation for categorical variables: a median based approach",
        "Torra (2004); CASC deliverable D14, first paper",
        tuple(categorical_study.tables(full, study=study)),
        tuple(categorical_study.figures(study)),
    )


def _median_operators(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p1b",
        "Median based aggregation operators for prototype construction in ordinal scales",
        "Domingo-Ferrer and Torra (2003); CASC deliverable D14, second paper",
        (*median_operators.tables(), *cwow_median.tables(), *median_monotonicity.tables(full=full)),
        (median_monotonicity.figure(),),
    )


def _defuzzification(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p1c",
        "Extending microaggregation procedures using defuzzification methods for categorical variables",
        "Domingo-Ferrer and Torra (2002); CASC deliverable D14, third paper",
        tuple(choquet.tables()),
    )


def _owa_modelling(data: DataFolder, full: bool) -> Section:
    return Section(
        "p1d",
        "OWA operators in data modeling and re-identification",
        "Torra (2004); CASC deliverable D14, fourth paper",
        (*weight_learning.tables(data), *variable_links.tables(data, full=full), *chance_links.tables()),
    )


def _linkage_by_integrals(data: DataFolder, full: bool) -> Section:
    return Section(
        "p2",
        "Record linkage for database integration using fuzzy integrals",
        "Torra and Nin (2008)",
        (*representatives_example.tables(), *representatives_files.tables(data, full=full)),
        tuple(representatives_example.figures()),
    )


def _location_privacy(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    return Section(
        "p3",
        "On the use of aggregation operators for location privacy",
        "Valls, Nin and Torra (2009)",
        tuple(location_privacy.tables()),
        tuple(location_privacy.figures()),
    )


def _categorical_linkage(data: DataFolder, full: bool) -> Section:  # noqa: ARG001
    study = categorical_links.study()
    return Section(
        "p4",
        "Distance-based and probabilistic record linkage for re-identification of records with categorical variables",
        "Domingo-Ferrer and Torra (2002)",
        tuple(categorical_links.tables(study)),
        (categorical_links.figure(study),),
    )


SECTIONS: dict[str, Callable[[DataFolder, bool], Section]] = {
    "p0": _aggregation_techniques,
    "p1a": _categorical_microaggregation,
    "p1b": _median_operators,
    "p1c": _defuzzification,
    "p1d": _owa_modelling,
    "p2": _linkage_by_integrals,
    "p3": _location_privacy,
    "p4": _categorical_linkage,
}
"""What makes each section, by its short name."""


def compare_papers(
    papers: Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> PaperComparison:
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
    >>> comparison = compare_papers(["p0"])
    >>> comparison.failed, comparison.count("exact"), comparison.count("differs")
    (False, 48, 1)
    """
    unknown = [name for name in papers if name not in SECTIONS]
    if unknown:
        raise ParameterError(f"papers: {unknown[0]!r} is no paper.", hint=f"Known: {', '.join(SECTIONS)}.")
    names = [name for name in SECTIONS if not papers or name in papers]
    folder, begin = DataFolder(data), time.perf_counter()
    makers: dict[str, Callable[[DataFolder, bool], Section]] = {**SECTIONS}
    makers["p1a"] = partial(_categorical_microaggregation, store=store, resume=resume)
    sections = tuple(makers[name](folder, full) for name in track(names, "papers", len(names)))
    return PaperComparison(sections, full, round(time.perf_counter() - begin, 1))
