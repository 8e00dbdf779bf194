"""Torra, OWA operators in data modeling and re-identification (P1d): Tables V to VII.

What guessing finds: the probability that a random permutation of n individuals leaves exactly r, or at least r, in
their places, ``P(r) = (1/r!) Σ_{v=0}^{n−r} (−1)^v / v!``.
"""

from __future__ import annotations

import math

from discreet.linkage.chance import probability_at_least, probability_of
from discreet.reproduction.verdicts import Row, Table, exact

__all__ = ["TABLE_V", "TABLE_VI", "TABLE_VII", "rows_of", "tables"]

# n = 33: r, probability of r links, probability of r or more.
TABLE_V = """
0 0.36787942 1.0
1 0.36787942 0.63212055
2 0.18393971 0.26424113
3 0.06131324 0.0803014
4 0.01532831 0.018988157
5 0.003065662 0.0036598467
6 5.109437E-4 5.941848E-4
7 7.299195E-5 8.3241146E-5
8 9.123994E-6 1.0249197E-5
9 1.0137771E-6 1.1252026E-6
10 1.01377715E-7 1.1142548E-7
11 9.216156E-9 1.0047766E-8
12 7.680129E-10 8.316107E-10
13 5.907792E-11 6.359777E-11
14 4.2198515E-12 4.5198524E-12
15 2.8132344E-13 3.0000107E-13
16 1.7582715E-14 1.8677634E-14
17 1.0342773E-15 1.0949201E-15
18 5.745985E-17 6.064281E-17
19 3.0242027E-18 3.1829554E-18
20 1.5121014E-19 1.5875276E-19
21 7.200482E-21 7.5426254E-21
22 3.2729465E-22 3.4214245E-22
23 1.4230203E-23 1.4847793E-23
24 5.929247E-25 6.1758905E-25
25 2.3717165E-26 2.4664351E-26
26 9.121372E-28 9.471847E-28
27 3.3801082E-29 3.5047438E-29
28 1.202626E-30 1.246356E-30
29 4.241236E-32 4.3729944E-32
30 1.2566625E-33 1.317584E-33
31 6.080625E-35 6.092142E-35
32 0 1.1516336E-37
33 1.1516335E-37 1.1516336E-37
"""
# n = 8; its caption says 10 individuals, its figures and the text are those of 8.
TABLE_VI = """
0 0.36788195 1.0
1 0.36785713 0.63211805
2 0.18402778 0.26426092
3 0.06111111 0.080233134
4 0.015625 0.019122023
5 0.0027777778 0.0034970238
6 6.9444446E-4 7.1924605E-4
7 0 2.4801588E-5
8 2.4801588E-5 2.4801588E-5
"""
# n = 4, digits cut off.
TABLE_VII = """
0 0.375 1.0
1 0.333333 0.625
2 0.25 0.291666
3 0.0 0.041666
4 0.041666 0.041666
"""

# The paper computed in single precision: its last printed digit is off by up to two.
_SINGLE = 2.5e-7


def rows_of(table: str) -> list[tuple[int, str, str]]:
    """Return the lines of a table: r and the two printed probabilities."""
    return [(int(r), exactly, at_least) for r, exactly, at_least in map(str.split, table.strip().splitlines())]


def printed_formula(r: int, n: int) -> float:
    """Return the probability by the formula as it is printed, with the sign (−1)^k instead of (−1)^v."""
    k = n - r
    sign = -1.0 if k % 2 else 1.0
    return sum(sign / math.factorial(v) for v in range(k + 1)) / math.factorial(r)


def tables() -> list[Table]:
    """Return Tables V to VII, the probability that the text quotes, and what the printed formula would give."""
    printed_tables = []
    for name, n, printed, tolerance, note in (
        ("Table V", 33, TABLE_V, _SINGLE, "Printed in single precision: compared to 7 digits, relative 2.5e-7."),
        ("Table VI", 8, TABLE_VI, _SINGLE, "The caption says 10 individuals; figures and text are those of 8."),
        ("Table VII", 4, TABLE_VII, None, "Digits are cut off."),
    ):
        rows = tuple(
            Row(str(r), (exact(exactly, probability_of(r, n), tolerance=tolerance),
                         exact(at_least, probability_at_least(r, n), tolerance=tolerance)))
            for r, exactly, at_least in rows_of(printed)
        )  # fmt: skip
        title = f"Chance of r correct links among {n}"
        printed_tables.append(Table(name, title, ("exactly r", "r or more"), rows, "r", note))
    return [*printed_tables, _misprints()]


def _misprints() -> Table:
    ten = probability_at_least(10, 33)
    quoted = exact("1.01377715E-7", ten, tolerance=_SINGLE, reading="1.1142548E-7",
                   known="the text quotes exactly 10; Table V's own column for 10 or more is 1.1142548E-7")  # fmt: skip
    wrong = (
        "the printed sign (−1)^k would give −2/5040; Table VI prints 0, and with (−1)^v all of Tables V to VII come out"
    )
    sign = exact(f"{printed_formula(7, 8):g}", probability_of(7, 8), reading="0", known=wrong)
    rows = (Row("10 or more of 33, as the text says", (quoted,)), Row("exactly 7 of 8 by the printed formula", (sign,)))
    return Table("Section V-B.1", "Two misprints beside the tables", ("probability",), rows)
