"""Torra and Nin, Record linkage for database integration using fuzzy integrals (P2): Tables I to IV, Figures 3 to 5.

Two files of the same ten records, the attributes of the second in another order. Ten OWA representatives a record
(Q_α(x) = x^α) do not depend on that order, so that both files become Table III.
"""

from __future__ import annotations

import numpy as np

from discreet.linkage.chance import probability_at_least, probability_of
from discreet.linkage.unshared.representatives import family, representatives
from discreet.operators import Power, Sigmoid, Threshold
from discreet.reproduction.verdicts import Curve, CurveFigure, Row, Table, exact

__all__ = ["FILE_A", "FILE_B", "TABLE_III", "TABLE_IV", "figures", "tables"]

# Table I.
FILE_A = [
    (0.2, 0.4, 0.2, 0.4),
    (0.1, 0.2, 0.1, 0.2),
    (0.5, 0.6, 0.5, 0.1),
    (0.8, 0.4, 0.4, 0.7),
    (0.9, 0.2, 0.0, 0.0),
    (0.2, 0.2, 0.3, 0.9),
    (0.5, 0.3, 0.2, 1.0),
    (0.0, 0.1, 0.5, 1.0),
    (1.0, 0.0, 0.9, 0.2),
    (0.5, 1.0, 1.0, 0.8),
]
# Table II.
FILE_B = [
    (0.4, 0.2, 0.2, 0.4),
    (0.2, 0.1, 0.1, 0.2),
    (0.1, 0.5, 0.5, 0.6),
    (0.7, 0.4, 0.8, 0.4),
    (0.0, 0.0, 0.9, 0.2),
    (0.9, 0.3, 0.2, 0.2),
    (1.0, 0.2, 0.5, 0.3),
    (1.0, 0.5, 0.0, 0.1),
    (0.2, 0.9, 1.0, 0.0),
    (0.8, 1.0, 0.5, 1.0),
]
# Columns α = 1/5 … 10/5.
TABLE_III = """
0.374 0.351 0.332 0.315 0.3 0.287 0.276 0.266 0.257 0.25
0.187 0.176 0.166 0.157 0.15 0.144 0.138 0.133 0.129 0.125
0.553 0.514 0.480 0.451 0.425 0.402 0.382 0.363 0.347 0.33125
0.737 0.685 0.641 0.605 0.575 0.550 0.528 0.510 0.494 0.48125
0.705 0.554 0.437 0.346 0.275 0.220 0.176 0.142 0.115 0.09375
0.742 0.620 0.527 0.455 0.4 0.357 0.324 0.298 0.278 0.2625
0.847 0.728 0.634 0.559 0.5 0.453 0.414 0.383 0.358 0.3375
0.822 0.679 0.566 0.474 0.4 0.340 0.290 0.249 0.216 0.1875
0.874 0.766 0.674 0.594 0.525 0.465 0.413 0.368 0.328 0.29375
0.957 0.919 0.884 0.853 0.825 0.799 0.776 0.755 0.736 0.71875
"""
# n = 100: r, chance of exactly r links, chance of r or more.
TABLE_IV = """
0 0.36787944 1
1 0.36787944 0.63212056
2 0.18393972 0.26424112
3 0.06131324 0.08030140
5 0.00306566 0.00365985
10 1.0138E-7 1.1143E-7
15 2.8132E-13 3.0000E-13
20 1.5121E-19 1.5875E-19
26 9.1219E-28 9.4723E-28
28 1.2066E-30 1.2496E-30
30 1.3869E-33 1.4331E-33
50 1.2096E-65 1.2338E-65
100 1.071E-158 1.071E-158
"""


def tables() -> list[Table]:
    """Return Table III of either file, and Table IV."""
    rankings = [
        _table_iii(name, np.array(file)) for name, file in (("Table III", FILE_A), ("Table III, file B", FILE_B))
    ]
    rows = tuple(
        Row(r, (exact(exactly, probability_of(int(r), 100)), exact(at_least, probability_at_least(int(r), 100))))
        for r, exactly, at_least in map(str.split, TABLE_IV.strip().splitlines())
    )
    note = "The last row is cut off, the others are rounded."
    return [
        *rankings,
        Table("Table IV", "Chance of r correct links among 100", ("exactly r", "r or more"), rows, "r", note),
    ]


def _table_iii(name: str, file: np.ndarray) -> Table:
    values = representatives(file, family("owa:power"))
    rows = tuple(
        Row(f"r{place}", tuple(exact(word, float(one)) for word, one in zip(line.split(), row, strict=True)))
        for place, (line, row) in enumerate(zip(TABLE_III.strip().splitlines(), values, strict=True), start=1)
    )
    columns = tuple(f"Q_{step}/5" for step in range(1, 11))
    note = "Printed digits are partly rounded and partly cut off (0.351 is 0.35157)."
    return Table(name, "Representatives of the ten records", columns, rows, "record", note)


def figures() -> list[CurveFigure]:
    """Return the three families of quantifiers, ten curves each."""
    grid = np.linspace(0, 1, 101)
    tenths = [step / 10 for step in range(10)]
    families = (
        ("Figure 3: Q^e(x) = x^α", "power functions, from above the diagonal for small α to below it for large α",
         [(f"{step}/5", Power(step / 5)) for step in range(1, 11)]),
        ("Figure 4: Q^s(x) = 1/(1 + e^(10(α − x)))", "smooth steps, one at every α, fixed at 0 and 1",
         [(f"{alpha:g}", Sigmoid(alpha)) for alpha in tenths]),
        ("Figure 5: Q^t(x) = 0 up to α, then 1", "sharp steps from 0 to 1, one at every α",
         [(f"{alpha:g}", Threshold(alpha)) for alpha in tenths]),
    )  # fmt: skip
    result = []
    for title, words, family_ in families:
        curves = tuple(
            Curve(f"α = {label}", tuple((float(x), float(y)) for x, y in zip(grid, q.evaluate(grid), strict=True)))
            for label, q in family_
        )
        alt = f"Ten fuzzy quantifiers on the unit interval: {words}; α = {family_[0][0]} to {family_[-1][0]}."
        result.append(CurveFigure(title, alt, "x", "Q(x)", curves))
    return result
