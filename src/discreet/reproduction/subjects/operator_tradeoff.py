"""Domingo-Ferrer and Torra, Aggregation techniques for statistical confidentiality (P0): Figure 1, open question 3.

Section 5 asks whether other operators than the arithmetic mean, such as OWA, give microaggregation a better balance
of loss and risk. Here the same groups of at least k records are aggregated by several operators, on three files: what
they lose (the variance destroyed, which the mean makes least by its definition) beside what an intruder finds by
distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from discreet.data.microdata import Microdata, table_of_numbers
from discreet.datasets import business, housing
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.vmdav import VMDAV
from discreet.measures.loss.numbers import SquaredError
from discreet.measures.risk.linked import DistanceLinkageRisk
from discreet.operators.numbers.means import ArithmeticMean, NumericMedian
from discreet.operators.numbers.owa import OWA
from discreet.operators.numbers.quantifiers import PiecewiseLinear, Power
from discreet.operators.operator import Operator
from discreet.progress import track
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.verdicts import Cell, Row, ScatterFigure, ScatterPoint, Table, not_run, ours_only

__all__ = [
    "OPERATORS",
    "SIZES",
    "Outcome",
    "against_larger_groups",
    "group_figures",
    "study",
    "tables",
    "tradeoff_figure",
]

SIZES = (3, 5, 10)
OPERATORS: dict[str, Operator] = {
    "mean": ArithmeticMean(),
    "OWA, middle half": OWA(PiecewiseLinear([(0.25, 0.0), (0.75, 1.0)])),
    "OWA, Q(x) = x²": OWA(Power(2.0)),
    "OWA, Q(x) = √x": OWA(Power(0.5)),
    "median": NumericMedian(),
}
_RECORDS = 400

# Nine records as Figure 1 shows them: five on the left, four on the right.
_NINE = np.array(
    [[1.0, 2.0], [1.6, 2.9], [1.9, 1.6], [2.4, 2.4], [2.7, 3.3], [6.3, 2.2], [6.8, 3.1], [7.3, 1.8], [7.6, 2.7]]
)


class Outcome(NamedTuple):
    """What one operator does to the groups of one file, in percent."""

    loss: float
    risk: float


def _files(data: DataFolder) -> dict[str, Microdata | None]:
    survey = housing(_RECORDS)
    numbers = survey.schema.of_scale("numeric", among=survey.schema.keys)
    firms = business(_RECORDS)
    figures = firms.schema.of_scale("numeric", among=firms.schema.keys)
    files: dict[str, Microdata | None] = {
        f"housing({_RECORDS}), {len(numbers)} numbers": survey.select(numbers),
        f"business({_RECORDS}), {len(figures)} numbers": firms.select(figures),
    }
    census = None
    if data.find("census") is not None:
        columns = data.columns("census")
        census = table_of_numbers({name: np.array(column, dtype=float) for name, column in columns.items()})
    return files | {"census, 1,080 records, 13 numbers": census}


def study(data: DataFolder) -> dict[str, dict[tuple[str, int], Outcome]]:
    """Return by file, operator and k what is lost and what is found; a file that is absent has nothing."""
    outcomes: dict[str, dict[tuple[str, int], Outcome]] = {}
    files = _files(data)
    for name, table in track(files.items(), "P0: operators", len(files)):
        outcomes[name] = {}
        for k in SIZES if table is not None else ():
            for label, operator in OPERATORS.items():
                masked = MDAV(k=k, operator=operator).mask(table)
                loss = SquaredError().measure(table, masked).value
                risk = DistanceLinkageRisk().measure(table, masked).value
                outcomes[name][label, k] = Outcome(loss, risk)
    return outcomes


def tables(data: DataFolder, outcomes: Mapping[str, Mapping[tuple[str, int], Outcome]]) -> list[Table]:
    """Return a table a file: operators by k, loss and risk."""
    columns = tuple(f"k = {k}, {what}" for k in SIZES for what in ("loss", "risk"))
    parts = []
    for name, found in outcomes.items():
        rows = []
        for label in OPERATORS:
            cells: list[Cell | None] = []
            for k in SIZES:
                if not found:
                    cells += [not_run("", data.needs("census"))] * 2
                    continue
                cells += [ours_only(found[label, k].loss), ours_only(found[label, k].risk)]
            rows.append(Row(label, tuple(cells)))
        title = f"Loss (variance destroyed) and risk (linkage by distance) in percent, {name}"
        note = _answer(found) if found else ""
        parts.append(Table("Open question 3", title, columns, tuple(rows), "operator", note))
    return parts


def _answer(found: Mapping[tuple[str, int], Outcome]) -> str:
    """Say which operators no other beats in both, by k."""
    words = []
    for k in SIZES:
        of_k = {label: found[label, k] for label in OPERATORS}
        best = [
            label
            for label, one in of_k.items()
            if not any(
                other.loss <= one.loss and other.risk <= one.risk and other != one
                for name, other in of_k.items()
                if name != label
            )
        ]
        words.append(f"k = {k}: {', '.join(best)}")
    below, compared = against_larger_groups(found)
    return (
        f"MDAV, the same groups for all operators. Beaten by no other in both figures: {'; '.join(words)}. Beside the "
        f"mean of larger groups that lose as much, the other operators are found less in {below} of {compared} cases."
    )


def against_larger_groups(found: Mapping[tuple[str, int], Outcome]) -> tuple[int, int]:
    """Count how often an operator is found less than the mean with as much loss, and how often that can be said.

    The mean's risk at a loss is read off the line between its outcomes at neighbouring k.
    """
    curve = [found["mean", k] for k in SIZES]
    others = [one for (label, _), one in found.items() if label != "mean" and one.loss <= curve[-1].loss]
    risks = np.interp([one.loss for one in others], [one.loss for one in curve], [one.risk for one in curve])
    return int(sum(one.risk < risk for one, risk in zip(others, risks, strict=True))), len(others)


def tradeoff_figure(outcomes: Mapping[str, Mapping[tuple[str, int], Outcome]]) -> ScatterFigure:
    """Return loss against risk, an operator a mark, over all files and k."""
    points = tuple(
        ScatterPoint(f"{label}, k = {k}, {name}", label, one.loss, one.risk)
        for name, found in outcomes.items()
        for (label, k), one in found.items()
    )
    alt = (
        "Loss against risk of microaggregation with the arithmetic mean, the median and three OWA operators, for three "
        "sizes of groups: the mean loses least, and the others lose more and are found about as often."
    )
    return ScatterFigure(
        "Open question 3: operators against loss and risk", alt, "variance destroyed, %", "found by distance, %", points
    )


def group_figures() -> list[ScatterFigure]:
    """Return Figure 1: nine records in groups of three, and in groups of at least three."""
    table = table_of_numbers({"x": _NINE[:, 0], "y": _NINE[:, 1]})
    figures = []
    for masker, words in ((MDAV(k=3), "of fixed size"), (VMDAV(k=3, gamma=2.0), "of variable size")):
        labels = masker.mask(table).provenance.labels
        assert labels is not None  # noqa: S101 - for the type checker: groups were formed
        sizes = np.bincount(labels)
        points = tuple(
            ScatterPoint(f"record {i + 1}", f"group {labels[i] + 1} ({sizes[labels[i]]})", float(x), float(y))
            for i, (x, y) in enumerate(_NINE)
        )
        order = tuple(sorted(points, key=lambda point: point.group))
        alt = f"Nine records, five on the left and four on the right, in groups {words}: {', '.join(map(str, sizes))}."
        figures.append(
            ScatterFigure(f"Figure 1: groups {words}, k = 3", alt, "first variable", "second variable", order)
        )
    return figures
