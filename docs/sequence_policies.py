# ruff: noqa: INP001 - a script
"""Draw docs/sequence-policies.svg: what each policy of d_OSS-OWA groups, and what it keeps.

    python docs/sequence_policies.py

The upper part is the seven sequences of P3 with k = 2; the lower part is measured here, on eight files of 2,000 bundled
itineraries with k = 5: dots are the files, so that a difference can be told from chance.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.sequence_shapes import declare_sequence
from discreet.datasets.itineraries import itineraries_lists
from discreet.masking.microaggregation.sequences.kshc import KSHC

POLICIES = {"small α (0.4)": "power:0.4", "medium α (0.9)": "power:0.9", "large α (4)": "power:4"}
COLOURS = ("#0b6e4f", "#b3341f", "#2f5d8a")
SEVEN = ("abcde", "abcxe", "abmnc", "erabc", "edcba", "mn", "stmn")
FILES, VISITORS, K = 8, 2000, 5


def groups(policy: str) -> list[list[str]]:
    """Return the groups of the seven sequences."""
    data = declare_sequence(pa.table({"path": [" ".join(s) for s in SEVEN]}), "path")
    labels = KSHC(2, quantifier=policy).mask(data).labels
    assert labels is not None  # noqa: S101 - every microaggregation has labels
    return [[SEVEN[i] for i in np.flatnonzero(labels == g)] for g in range(labels.max() + 1)]


def park(seed: int) -> Microdata:
    """Return a file of itineraries."""
    visits = itineraries_lists(VISITORS, seed)
    paths = [[visits.alphabet[c] for c in one] for one in np.split(visits.codes, visits.offsets[1:-1])]
    return declare_sequence(pa.table({"path": paths}), "path")


def lost(data: Microdata, policy: str) -> tuple[float, float]:
    """Return the mean shares of events that a record and its release do not share, and that are not in their place."""
    masked = KSHC(K, quantifier=policy).mask(data).microdata
    shared, placed = [], []
    for s, r in zip(data.column("path").to_pylist(), masked.column("path").to_pylist(), strict=True):
        total = len(s) + len(r)
        shared.append(2 * sum((Counter(s) & Counter(r)).values()) / total)
        placed.append(2 * sum(x == y for x, y in zip(s, r, strict=False)) / total)
    return 100 * (1 - float(np.mean(shared))), 100 * (1 - float(np.mean(placed)))


def text(x: float, y: float, words: str, *, size: int = 13, colour: str = "#1b1f23", mono: bool = False) -> str:
    """Return one line of text."""
    family = "monospace" if mono else "system-ui, sans-serif"
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-family="{family}" fill="{colour}">{words}</text>'


def draw() -> str:
    """Return the picture."""
    parts = [text(20, 24, "Groups of the seven sequences (k = 2)", size=15)]
    for column, (name, policy) in enumerate(POLICIES.items()):
        x, y = 20 + 220 * column, 50
        parts.append(text(x, y, name, colour=COLOURS[column]))
        for group in groups(policy):
            y += 14
            box = f'<rect x="{x}" y="{y}" width="190" height="{18 * len(group) + 8}" rx="5" fill="none" '
            parts.append(f'{box}stroke="{COLOURS[column]}"/>')
            for sequence in group:
                y += 18
                parts.append(text(x + 12, y, " ".join(sequence), mono=True))
            y += 8
    parts.append(text(20, 282, f"What a record loses ({FILES} files of {VISITORS:,} itineraries, k = {K})", size=15))
    measured = np.array([[lost(park(seed), policy) for seed in range(FILES)] for policy in POLICIES.values()])
    for panel, title in enumerate(("events not shared with the release", "events not in their place")):
        top = 306 + 118 * panel
        parts.append(text(20, top, f"{title}, % (less is better)"))
        low, high = measured[:, :, panel].min() - 1, measured[:, :, panel].max() + 1
        for row, name in enumerate(POLICIES):
            y = top + 24 + 24 * row
            parts.append(text(20, y + 4, name, colour=COLOURS[row], size=12))
            parts.append(f'<line x1="140" y1="{y}" x2="580" y2="{y}" stroke="#d5d9dc"/>')
            for value in measured[row, :, panel]:
                x = 140 + 440 * (value - low) / (high - low)
                parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{COLOURS[row]}" fill-opacity="0.55"/>')
            parts.append(text(590, y + 4, f"{measured[row, :, panel].mean():.1f}", size=12))
    label = "Groups of seven sequences under three policies, and the events that records lose under each."
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 540" role="img" aria-label="{label}">'
    return "\n".join([head, '<rect width="680" height="540" fill="#ffffff"/>', *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("sequence-policies.svg").write_text(draw(), encoding="utf-8")
