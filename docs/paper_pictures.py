# ruff: noqa: INP001 - a script
"""Draw the pictures of the page on the papers: Figure 1 of P0, and operators against loss and risk.

python docs/paper_pictures.py [folder]
"""

from __future__ import annotations

import sys
from pathlib import Path

from discreet.reproduction.papers_figures import draw
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects import operator_tradeoff


def pictures() -> dict[str, str]:
    """Return by name what is drawn, from generated files alone."""
    fixed, variable = operator_tradeoff.group_figures()
    outcomes = operator_tradeoff.study(DataFolder("nowhere"))
    figures = {
        "groups-fixed": fixed,
        "groups-variable": variable,
        "operator-tradeoff": operator_tradeoff.tradeoff_figure(outcomes),
    }
    return {f"{name}.svg": draw(figure) + "\n" for name, figure in figures.items()}


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, text in pictures().items():
        (folder / name).write_text(text, encoding="utf-8")
