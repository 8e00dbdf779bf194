"""How a printed figure is judged: the cells of the papers' tables.

============================  =========================================================================
``exact(printed, ours)``      must agree to the printed digits, or to the `reading` of a `known` misprint
``defined(by, ours)``         must agree with a definition that is computed apart: no paper prints the figure
``built(printed, ours)``      must agree, and does because our stand-in was built so: no evidence of anything
``sampled(printed, ours, …)`` both are drawn: within sampling error, or beyond `limit` standard errors
``otherwise(printed, …)``     the paper's procedure is another than ours, and cannot be had: agreement would say nothing
``ours_only(ours)``           the paper prints nothing here
``beside(printed, ours, …)``  printed for another file than ours: shown side by side and never judged
``not_run(printed, needs)``   a file is absent, or a run is left to ``--full``
============================  =========================================================================

A module of a paper offers ``tables(…) -> list[Table]`` and, where it draws, ``figure()`` or ``figures()``; which of
them make up a paper is said in :mod:`discreet.reproduction.sections`. The classes themselves are in
:mod:`discreet.reproduction.printed`, which the reports see as well.
"""

from __future__ import annotations

import math
from dataclasses import replace

from scipy.stats import norm
from scipy.stats import t as student

from discreet.reproduction.printed import (
    Arrow,
    Cell,
    Curve,
    CurveFigure,
    Figure,
    GraphFigure,
    Interval,
    IntervalFigure,
    PaperComparison,
    Row,
    ScatterFigure,
    ScatterPoint,
    Section,
    Table,
    Verdict,
)

__all__ = [
    "STAND_IN",
    "Arrow",
    "Cell",
    "Curve",
    "CurveFigure",
    "Figure",
    "GraphFigure",
    "Interval",
    "IntervalFigure",
    "PaperComparison",
    "Row",
    "ScatterFigure",
    "ScatterPoint",
    "Section",
    "Table",
    "Verdict",
    "beside",
    "built",
    "defined",
    "exact",
    "not_run",
    "otherwise",
    "ours_only",
    "sampled",
]

STAND_IN = "housing(1000), a stand-in for the American Housing Survey"
"""What every line says that the paper computed from the survey's first 1,000 records."""


def exact(
    printed: str,
    ours: float | str,
    *,
    tolerance: float | None = None,
    known: str = "",
    reading: str = "",
    note: str = "",
) -> Cell:
    """Compare to the printed digits, rounded or cut off (the papers do both), or to within `tolerance`.

    Parameters
    ----------
    printed : str
        As it stands in the paper: its digits say how far it can be compared.
    ours : float or str
        A word is compared as it is.
    tolerance : float, optional
        Largest relative difference that is called exact, instead of the printed digits.
    known : str
        Why the printed figure is known to differ, with the evidence. The cell is then not required to agree.
    reading : str
        What should stand there instead, where that is known: ours must then agree with it.
    note : str

    Examples
    --------
    >>> exact("0.374", 0.37412).verdict, exact("0.351", 0.35157).verdict, exact("0.350", 0.35157).verdict
    ('exact', 'exact', 'differs')
    >>> exact("l_4", "l_1", known="a misprint", reading="l_1").failed, exact("l_4", "l_2", reading="l_1").failed
    (False, True)
    """
    same = _agrees(printed, ours, tolerance)
    # Agreement to the printed digits is shown as printed, whether the paper rounds or cuts.
    words = printed if same else ours if isinstance(ours, str) else _like(printed, ours)
    difference = None if isinstance(ours, str) else float(ours) - float(printed)
    excused = bool(known) and (not reading or _agrees(reading, ours, tolerance))
    reason = "" if same else known if excused else "it does not come out as printed"
    verdict: Verdict = "exact" if same else "differs"
    return Cell(printed, words, verdict, difference, reason=reason, note=note, required=not excused)


def defined(by: str, ours: float | str, *, tolerance: float | None = None, note: str = "") -> Cell:
    """Compare with what a definition gives that is computed apart; no paper prints it, and it is not called exact.

    Examples
    --------
    >>> defined("0.5253", 0.52534).verdict, defined("0.5253", 0.5).failed
    ('defined', True)
    """
    return _renamed(exact(by, ours, tolerance=tolerance, note=note), "defined")


def built(printed: str, ours: float | str, *, note: str = "") -> Cell:
    """Compare with a printed figure after which our stand-in was made: it must agree, and shows nothing else.

    Examples
    --------
    >>> built("25", 25.0).verdict, built("25", 24.0).failed
    ('built', True)
    """
    return _renamed(exact(printed, ours, note=note), "built")


def _renamed(cell: Cell, verdict: Verdict) -> Cell:
    return replace(cell, verdict=verdict) if cell.verdict == "exact" else cell


def sampled(
    printed: float | None,
    ours: float,
    error: float,
    *,
    own: float | None = None,
    degrees: int | None = None,
    digits: int = 1,
    limit: float = 3.0,
    known: str = "",
    note: str = "",
) -> Cell:
    """Compare two results of random draws; `error` is the standard error of their difference, `own` that of ours.

    With `degrees` of freedom behind the error, z is the normal deviate that is as rare as Student's t. A difference
    beyond `limit` standard errors is marked as such; it never fails a run, since one cell in 370 lies there by chance.

    Examples
    --------
    >>> cell = sampled(5.0, 5.6, 0.3)
    >>> cell.verdict, cell.ours, round(cell.z, 2)
    ('sampling', '5.6 ± 0.3', 2.0)
    """
    beside_ours = error if own is None else own
    words = f"{ours:.{digits}f} ± {beside_ours:.{digits}f}" if digits else f"{ours:.0f}"
    if printed is None:
        return Cell("", words, "ours", error=beside_ours, note=note)
    difference = ours - printed
    z = difference / error if error > 0 else 0.0 if difference == 0 else math.copysign(math.inf, difference)
    if degrees is not None:
        z = math.copysign(float(norm.isf(student.sf(abs(z), degrees))), z)
    verdict: Verdict = "sampling" if abs(z) <= limit else "differs"
    reason = "" if verdict == "sampling" else known or f"beyond {limit:g} standard errors"
    return Cell(f"{printed:.{digits}f}", words, verdict, difference, error, z, reason, note)


def otherwise(printed: float, ours: float, reason: str, *, own: float, digits: int = 1) -> Cell:
    """Show ours beside what another procedure gave that cannot be repeated; `reason` says what it was.

    Examples
    --------
    >>> cell = otherwise(0, 2.2, "their program suggested one link", own=0.1)
    >>> cell.verdict, cell.ours, cell.failed
    ('otherwise', '2.2 ± 0.1', False)
    """
    words = f"{ours:.{digits}f} ± {own:.{digits}f}"
    return Cell(f"{printed:.{digits}f}", words, "otherwise", ours - printed, error=own, reason=reason)


def ours_only(ours: float | str, *, digits: int = 1, error: float | None = None, note: str = "") -> Cell:
    """Show a figure of ours where the paper prints none."""
    text = ours if isinstance(ours, str) else f"{ours:.{digits}f}"
    if error is not None:
        text += f" ± {error:.{digits}f}"
    return Cell("", text, "ours", error=error, note=note)


def beside(
    printed: str, ours: float | str, *, digits: int = 1, error: float | None = None, note: str = STAND_IN
) -> Cell:
    """Show ours beside a figure that was printed for another file; `note` says for which ours holds."""
    text = ours if isinstance(ours, str) else f"{ours:.{digits}f}"
    if error is not None:
        text += f" ± {error:.{digits}f}"
    difference = None if isinstance(ours, str) else ours - float(printed)
    return Cell(printed, text, "ours", difference, error, note=note)


def not_run(printed: str, needs: str) -> Cell:
    """Say what a run would need: ``"needs file X from Y"``, or ``"runs with --full"``."""
    return Cell(printed, "", "not run", reason=needs)


def _agrees(printed: str, ours: float | str, tolerance: float | None) -> bool:
    if isinstance(ours, str):
        return printed == ours
    if tolerance is not None:
        return abs(float(ours) - float(printed)) <= tolerance * abs(float(printed))
    return float(printed) in (float(_like(printed, ours)), _cut(printed, ours))


def _like(printed: str, value: float) -> str:
    """Write a value with as many digits as the printed one has."""
    mantissa, letter, _ = printed.upper().partition("E")
    decimals = len(mantissa.partition(".")[2])
    return f"{value:.{decimals}E}" if letter else f"{value:.{decimals}f}"


def _cut(printed: str, value: float) -> float:
    """Return the value cut off after as many digits as are printed."""
    mantissa, letter, _ = printed.upper().partition("E")
    decimals = len(mantissa.partition(".")[2])
    # A hair is kept, so that a value such as 0.25, off by its last bit, is not cut below itself.
    digits = f"{value:.{decimals + 6}E}" if letter else f"{value:.{decimals + 6}f}"
    head, _, exponent = digits.partition("E")
    return float(head[: len(head) - 6].rstrip(".") + (f"E{exponent}" if exponent else ""))
