# ruff: noqa: INP001 - a script
"""Draw docs/item-support.svg: how many customers have each good before and after groups of five.

python docs/item_support_picture.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import discreet as dc

WIDTH, LEFT, ROW = 640, 90, 18
COLOURS = ("#8a8a8a", "#0b6e4f")


def main() -> None:
    """Write the picture."""
    sold = dc.datasets.baskets(400)
    released = dc.KSHC(k=5, attributes=["BASKET"]).mask(sold).microdata
    goods = sold.schema["BASKET"].scale.alphabet
    shares = [
        np.array([sum(good in cell for cell in table.column("BASKET").to_pylist()) for good in goods]) / len(table)
        for table in (sold, released)
    ]
    order = np.argsort(-shares[0], kind="stable")
    parts = [f'<text x="{LEFT}" y="14" fill="{COLOURS[0]}">before</text>',
             f'<text x="{LEFT + 60}" y="14" fill="{COLOURS[1]}">after, k = 5</text>']  # fmt: skip
    for place, good in enumerate(order):
        top = 24 + place * ROW
        parts.append(f'<text x="{LEFT - 8}" y="{top + 11}" text-anchor="end">{goods[good]}</text>')
        for side, share in enumerate(shares):
            width = 2 * float(share[good]) * (WIDTH - LEFT - 20)
            parts.append(
                f'<rect x="{LEFT}" y="{top + 7 * side}" width="{width:.1f}" height="6" fill="{COLOURS[side]}"/>'
            )
    height = 24 + len(order) * ROW + 10
    body = "\n".join(parts)
    Path(__file__).with_name("item-support.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>Customers with each good, before and after</title>\n{body}\n</svg>\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
