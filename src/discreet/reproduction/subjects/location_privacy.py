"""Valls, Nin and Torra, On the use of aggregation operators for location privacy (P3): Tables 1 and 2, Figures 1 to 5.

Seven paths between eleven places are compared by d_OSS-OWA (Definitions 3 and 4): how far each event has to move, and 1
for an event that the other path does not have, aggregated by an OWA whose quantifier says what matters. Groups of at
least two are then formed by k-sized hierarchical clustering.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.scales import Sequence as SequenceScale
from discreet.data.scales.dissimilarities import OSSOWA
from discreet.data.schema import Attribute, Schema
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.operators import Power, Sigmoid
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.reproduction.verdicts import (
    Arrow,
    Cell,
    Curve,
    CurveFigure,
    GraphFigure,
    Row,
    Table,
    beside,
    defined,
    exact,
)
from discreet.typing import FloatArray, IntArray

__all__ = ["LARGE", "MATRICES", "MEDIUM", "SEQUENCES", "SMALL", "figures", "matrix", "partition", "squares", "tables"]

SEQUENCES = ("abcde", "abcxe", "abmnc", "erabc", "edcba", "mn", "stmn")
"""Table 1."""

SCALE = SequenceScale(tuple("abcdemnrstx"))
K = 2

# Figures 3 to 5: the groups for small, medium and large α.
SMALL = ("abcxe, erabc", "abcde, abmnc, edcba", "mn, stmn")
MEDIUM = ("edcba, erabc", "abcde, abcxe, abmnc", "mn, stmn")
LARGE = ("edcba, erabc", "abcde, abcxe", "abmnc, mn, stmn")

# Table 2. What it prints for Q1^2 comes out for exponents from 0.85 up to 1.
TABLE_2: dict[str, tuple[Quantifier, tuple[str, ...]]] = {
    "Q1^0.4": (Power(0.4), SMALL),
    "Q1^2": (Power(2), MEDIUM),
    "Q1^4": (Power(4), LARGE),
    "Q2^0.1": (Sigmoid(0.1), SMALL),
    "Q2^0.5": (Sigmoid(0.5), MEDIUM),
    "Q2^0.8": (Sigmoid(0.8), LARGE),
}
DEVIATION = (
    "once abcde, abcxe and edcba, erabc are closed, d(abmnc, stmn) = 0.309 is less than d(mn, stmn) = 0.407, so that "
    "abmnc goes with stmn; the printed groups come out for exponents from 0.85 up to 1 (last rows)"
)

# Table 2: sums of squared distances to the prototype, group by group in the order above.
SQUARES = {
    "Q1^0.4": ("0.515", "0.767", "0.907"),
    "Q1^2": ("0.032", "0.063", "0.081"),
    "Q1^4": ("0.002", "0.0", "0.157"),
    "Q2^0.1": ("0.934", "1.137", "1.614"),
    "Q2^0.5": ("0.087", "0.162", "0.159"),
    "Q2^0.8": ("0.002", "0.0", "0.146"),
}

PAIRS = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (2, 5), (2, 6), (3, 4), (5, 6))
"""Pairs of paths that share an event; all others are 1 apart."""

# Reference figures after Definitions 3 and 4; the paper prints no distances.
MATRICES = {
    "Q1^0.4": ".5253 .7176 .6538 .3216 .7176 .6538 .6611 .7374 .7789 .7947 .7905 .5833 .7629",
    "Q1^2": ".0400 .2000 .2560 .1600 .2000 .2560 .2240 .2560 .3680 .4169 .3086 .1040 .4074",
    "Q1^4": ".0016 .0464 .2061 .0870 .0464 .2061 .1088 .1024 .2413 .3098 .0953 .0272 .3416",
    "Q2^0.1": ".7311 .9607 .8291 .3903 .9607 .8291 .8371 .9619 .9702 .9742 .9896 .7835 .9411",
    "Q2^0.5": ".0474 .3614 .2822 .2443 .3614 .2822 .3652 .4057 .5076 .5205 .6354 .1842 .4392",
    "Q2^0.8": ".0025 .0382 .2051 .1036 .0382 .2051 .1253 .1144 .2346 .3027 .0798 .0258 .3395",
}


def matrix(quantifier: Quantifier, paths: Sequence[str] = SEQUENCES) -> FloatArray:
    """Return d_OSS-OWA between all of the seven sequences, or between others."""
    return OSSOWA(quantifier).compare(SCALE.encode([" ".join(path) for path in paths])).matrix()


def mask(
    quantifier: Quantifier,
    linkage: Literal["single", "complete", "average", "median"] = "average",
    paths: Sequence[str] = SEQUENCES,
) -> tuple[IntArray, list[str]]:
    """Return the group of every path by k-sized hierarchical clustering with k = 2, and its group's prototype."""
    table = pa.table({"path": [" ".join(path) for path in paths]})
    data = Microdata(table, Schema([Attribute("path", SCALE, "key")]))
    masked = KSHC(K, quantifier=quantifier, linkage=linkage).mask(data)
    assert masked.labels is not None  # noqa: S101 - every microaggregation has groups
    return masked.labels, [path.replace(" ", "") for path in masked.microdata.column("path").to_pylist()]


def partition(
    quantifier: Quantifier,
    linkage: Literal["single", "complete", "average", "median"] = "average",
    paths: Sequence[str] = SEQUENCES,
) -> tuple[str, ...]:
    """Return the groups, each as a sorted list of its paths; among equals the path that is listed first goes first."""
    labels, _ = mask(quantifier, linkage, paths)
    return tuple(_members(labels, group, paths) for group in range(labels.max() + 1))


def squares(quantifier: Quantifier) -> dict[str, tuple[float, str]]:
    """Return of every group the sum of squared distances to its prototype, and the prototype."""
    labels, prototypes = mask(quantifier)
    between = matrix(quantifier, [*SEQUENCES, *prototypes])[: len(SEQUENCES), len(SEQUENCES) :]
    lost = np.diagonal(between) ** 2
    return {
        _members(labels, group): (float(lost[labels == group].sum()), prototypes[int(np.argmax(labels == group))])
        for group in range(labels.max() + 1)
    }


def _members(labels: IntArray, group: int, paths: Sequence[str] = SEQUENCES) -> str:
    return ", ".join(sorted(paths[int(i)] for i in np.flatnonzero(labels == group)))


def tables() -> list[Table]:
    """Return the distances of the seven sequences, the groups of Table 2, and what a tie leaves open."""
    return [_distances(), _table_2(), _tie(), _squares()]


def _distances() -> Table:
    rows = []
    for label, printed in MATRICES.items():
        distances = matrix(TABLE_2[label][0])
        cells = [defined(f"0{word}", float(distances[pair])) for pair, word in zip(PAIRS, printed.split(), strict=True)]
        rows.append(Row(label, tuple(cells)))
    columns = tuple(f"{i}–{j}" for i, j in PAIRS)
    note = "Not printed: reference figures after Definitions 3 and 4. Numbers are those of Table 1; other pairs are 1."
    return Table("Definition 4", "d_OSS-OWA of the sequences of Table 1", columns, tuple(rows), "Q", note)


def _table_2() -> Table:
    rows = []
    for label, (quantifier, printed) in TABLE_2.items():
        deviation, reading = (DEVIATION, _listing(LARGE)) if label == "Q1^2" else ("", "")
        cell = exact(_listing(printed), _listing(partition(quantifier)), known=deviation, reading=reading)
        rows.append(Row(label, (cell,)))
    for alpha in (0.85, 0.9, 0.99):
        note = "evidence: the groups that are printed for Q1^2"
        rows.append(Row(f"Q1^{alpha:g}", (defined(_listing(MEDIUM), _listing(partition(Power(alpha))), note=note),)))
    note = (
        "Leftovers join the nearest closed cluster with fewer than 2k − 1 members. The text lists Q1^1 and Q2^2, the "
        "table Q1^2 and Q1^4."
    )
    return Table("Table 2", "Groups with k = 2", ("groups",), tuple(rows), "Q", note)


def _tie() -> Table:
    """Return both outcomes of Q1^1, the plain mean: abmnc and mn are equally far from stmn."""
    mean = Power(1)
    distances = matrix(mean)
    far = [float(distances[SEQUENCES.index(path), SEQUENCES.index("stmn")]) for path in ("abmnc", "mn")]
    listed_last = (*(path for path in SEQUENCES if path != "abmnc"), "abmnc")
    rows = (
        Row("d(abmnc, stmn)", (defined("0.555556", far[0], note="5/9"),)),
        Row("d(mn, stmn)", (defined("0.555556", far[1], note="5/9"),)),
        Row("groups, abmnc listed before mn", (defined(_listing(LARGE), _listing(partition(mean))),)),
        Row(
            "groups, abmnc listed after mn", (defined(_listing(MEDIUM), _listing(partition(mean, paths=listed_last))),)
        ),
    )
    note = (
        "Not printed, though the text speaks of Q1^1: once abcde, abcxe and edcba, erabc are closed, abmnc and mn are "
        "equally far from stmn, and the order of the file decides. One order gives the printed groups for large α, the "
        "other those for medium α."
    )
    return Table("Q1^1", "The tie at α = 1", ("result",), rows, "", note)


def _squares() -> Table:
    rows = []
    for label, printed in SQUARES.items():
        quantifier, groups = TABLE_2[label]
        errors = squares(quantifier)
        cells: list[Cell | None] = []
        for word, group in zip(printed, groups, strict=True):
            value, prototype = errors.get(group, (0.0, ""))
            note = f"{group} released as {prototype}; the paper's prototype is not fully defined"
            cells.append(beside(word, value, digits=3, note=note) if group in errors else None)
        rows.append(Row(label, tuple(cells)))
    note = (
        "Not judged: the prototype (OESP) is not fully defined in the paper. Ours is built after its description; the "
        "groups are those of Figures 3 to 5 in the order printed, left out where ours are others (Q1^2)."
    )
    columns = ("first group", "second group", "third group")
    return Table("Table 2, SSE", "Sums of squared distances to the prototype", columns, tuple(rows), "Q", note)


def _listing(groups: Sequence[str]) -> str:
    return " | ".join(sorted(groups))


# Where the places of Figure 2 stand, between 0 and 1.
PLACES = (
    ("a", 0.14, 0.78), ("b", 0.34, 0.78), ("c", 0.54, 0.60), ("d", 0.74, 0.78), ("e", 0.92, 0.60), ("x", 0.74, 0.42),
    ("m", 0.34, 0.32), ("n", 0.54, 0.24), ("r", 0.54, 0.96), ("s", 0.06, 0.32), ("t", 0.20, 0.14),
)  # fmt: skip


def figures() -> list[CurveFigure | GraphFigure]:
    """Return the quantifiers (Figure 1), the paths (Figure 2) and the groups for three policies (Figures 3 to 5)."""
    grid = np.linspace(0, 1, 101)
    families = (
        ("Figure 1, left: Q1^α(x) = x^α", [(step / 5, Power(step / 5)) for step in range(1, 11)]),
        ("Figure 1, right: Q2^α, soft steps", [(step / 10, Sigmoid(step / 10)) for step in range(10)]),
    )
    pictures: list[CurveFigure | GraphFigure] = []
    for title, members in families:
        curves = tuple(
            Curve(f"α = {alpha:g}", tuple((float(x), float(y)) for x, y in zip(grid, q.evaluate(grid), strict=True)))
            for alpha, q in members
        )
        alt = f"{title}: ten curves from (0, 0) to (1, 1); small α rises near 0, large α near 1."
        pictures.append(CurveFigure(title, alt, "x", "Q(x)", curves))
    pictures.append(_paths("Figure 2: the seven sequences as paths between eleven places", [", ".join(SEQUENCES)]))
    for title, quantifier in (
        ("Figure 3: clusters obtained with small α (Q1^0.4)", Power(0.4)),
        ("Figure 4: clusters obtained with medium α (Q2^0.5)", Sigmoid(0.5)),
        ("Figure 5: clusters obtained with large α (Q1^4)", Power(4)),
    ):
        pictures.append(_paths(title, partition(quantifier)))
    return pictures


def _paths(title: str, groups: Sequence[str]) -> GraphFigure:
    """Return the steps of every path, coloured by group; steps that one group makes several times say by whom."""
    walkers: dict[tuple[str, str, int], list[str]] = {}
    for group, members in enumerate(groups):
        for path in members.split(", "):
            for origin, target in pairwise(path):
                walkers.setdefault((origin, target, group), []).append(str(SEQUENCES.index(path)))
    steps = tuple(Arrow(origin, target, ",".join(who), group) for (origin, target, group), who in walkers.items())
    listing = "; ".join(f"group {number}: {members}" for number, members in enumerate(groups, start=1))
    alt = f"{title}. Places are nodes, steps are arrows with the numbers of the sequences that make them. {listing}."
    return GraphFigure(title, alt, PLACES, steps, tuple(groups) if len(groups) > 1 else ())
