# ruff: noqa: INP001 - a script
"""Draw docs/bands.svg: five ways to cut one skewed column, and the squared error that each leaves.

python docs/bands_picture.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import discreet as dc
from discreet.datasets import business

RULES = ("equal:6", "nice:6", "log:6", "count:6", "optimal:6")
WIDTH, LEFT, ROW = 760, 110, 62
COLOURS = ("#0b6e4f", "#2f5d8a")


def main() -> None:
    """Write the picture."""
    table = business(600)
    numbers = table.encoded("TURNOVER")
    low, high = np.log10(numbers.min()), np.log10(numbers.max())
    parts = []
    for place, rule in enumerate(RULES):
        labels = dc.Banding({"TURNOVER": rule}).mask(table).microdata.column("TURNOVER").to_pylist()
        bands = [numbers[[label == name for label in labels]] for name in dict.fromkeys(labels)]
        bands.sort(key=lambda members: float(members.min()))
        error = sum(float(((members - members.mean()) ** 2).sum()) for members in bands)
        share = 100 * error / float(((numbers - numbers.mean()) ** 2).sum())
        top = 30 + place * ROW
        parts.append(f'<text x="10" y="{top + 22}" font-weight="bold">{rule}</text>')
        parts.append(f'<text x="10" y="{top + 38}" fill="#555">{share:.1f} % error</text>')
        for turn, members in enumerate(bands):
            marks = LEFT + (np.log10(members) - low) / (high - low) * (WIDTH - LEFT - 20)
            left, right = float(marks.min()), float(marks.max())
            fill = COLOURS[turn % 2]
            parts.append(
                f'<rect x="{left:.1f}" y="{top + 8}" width="{max(right - left, 2):.1f}" height="18" fill="{fill}" '
                'opacity="0.25"/>'
            )
            parts += [f'<path d="M{mark:.1f} {top + 10}v14" stroke="{fill}" opacity="0.5"/>' for mark in marks[::6]]
            parts.append(
                f'<text x="{(left + right) / 2:.1f}" y="{top + 40}" text-anchor="middle">{members.size}</text>'
            )
    height = 40 + ROW * len(RULES)
    body = "\n".join(parts)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="11" role="img" aria-label="Five ways to cut one column into at most six bands">\n'
        '<text x="10" y="18">TURNOVER of 600 businesses on a logarithmic line: bands, records in each</text>\n'
        f"{body}\n</svg>\n"
    )
    Path(__file__).with_name("bands.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
