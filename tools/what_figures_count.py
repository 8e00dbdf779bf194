"""The page "What each figure counts": for every measure what it counts, of which keys, and against whom.

Everything is read off the measures: their title, formula, range and reference, and the sentences of their docstrings
that speak of keys, of missing values and of the intruder. ``python tools/what_figures_count.py`` writes the page;
with ``--check`` it says whether the page is what the measures say, and a test does the same.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet import catalogue
from discreet.parameters.description import as_markdown, describe

PAGE = Path(__file__).parent.parent / "docs" / "what-each-figure-counts.md"
OPENING = """# What each figure counts

This page is written by `tools/what_figures_count.py` from the measures themselves, so that it says what the code does.
How figures are to be read is on [the page for the review board](review-board.md).

Low is good for every figure: 0 is a file that risks nothing, or has lost nothing. A figure that cannot be computed for
a file stands in the assessment with the reason, and is not replaced by one over fewer keys.
"""
KINDS = {"risk": "Risks", "loss": "Losses"}


def page() -> str:
    """Return the page, risks first, each kind in the alphabetical order of its names."""
    lines = [OPENING]
    for kind, heading in KINDS.items():
        lines += [f"## {heading}", ""]
        for name, cls in catalogue.measures(kind).items():
            lines += [f"### {cls.title} {{ #{name} }}", "", *_entry(name, cls), ""]
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str, cls: type[Any]) -> list[str]:
    """Return what there is to say of one measure."""
    about = describe(cls)
    words, spoken = about.parameters, _sentences(about.more) + _sentences(about.notes)
    rows = {
        "counts": f"`{formula}`" if (formula := getattr(cls, "formula", "")) else "",
        "of which columns": _columns(cls, words),
        "missing values": _missing(cls, words, spoken),
        "range": _range(cls),
        "the intruder": _intruder(spoken) if cls.kind == "risk" else "",
        "computed": "in every assessment" if getattr(cls, "default", True) else "where it is asked for",
        "brings together": cls.examples()[0].need.value,
        "reference": getattr(cls, "reference", ""),
    }
    shown = [f"| {label} | {_cell(text)} |" for label, text in rows.items() if text]
    return [as_markdown(about.summary), "", f"| [`{name}`](methods/{name}.md) | |", "| --- | --- |", *shown]


def _columns(cls: type[Any], words: Mapping[str, str]) -> str:
    """Return which columns are looked at: in the measure's own words, and on which scales."""
    scales = ", ".join(sorted(cls.scales))
    role = "keys" if getattr(cls, "keys_only", False) else "released columns"
    return f"{words.get('attributes', '')} ({role}: {scales})".strip()


def _missing(cls: type[Any], words: Mapping[str, str], spoken: list[str]) -> str:
    """Return how missing values are read, and which reading is taken unless another is asked for."""
    signature = inspect.signature(cls).parameters
    usual = f"By default `{signature['missing'].default}`." if "missing" in signature else ""
    return (
        " ".join([words.get("missing", ""), usual, *_about(spoken, "missing", "suppressed", "have both")]).strip()
        or "The measure does not say."
    )


def _intruder(spoken: list[str]) -> str:
    """Return what the intruder is assumed to know and to do."""
    told = [
        sentence
        for sentence in _about(spoken, "intruder", "knows")
        if not sentence.startswith(("`detail", "The detail"))
    ]
    return " ".join(told) or "Knows the columns named above, of everybody in the file."


def _range(cls: type[Any]) -> str:
    high = "no upper end" if cls.high == float("inf") else f"{cls.high:g}"
    return f"{cls.low:g} (best) to {high}{f', in {cls.unit}' if cls.unit else ''}"


def _sentences(text: str) -> list[str]:
    """Split prose into sentences; lists, formulas and costs stay with the sentence they stand in."""
    flat = " ".join(text.split())
    return [sentence for sentence in re.split(r"(?<=[.:!?]) (?=[A-Z`])", flat) if sentence]


def _about(sentences: list[str], *subjects: str) -> list[str]:
    return [sentence for sentence in sentences if any(subject in sentence.lower() for subject in subjects)]


def _cell(text: str) -> str:
    return as_markdown(" ".join(text.split())).replace("|", "\\|")


def main() -> int:
    """Write the page, or say whether it is as it should be."""
    made = page()
    if "--check" in sys.argv[1:]:
        same = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made
        print("As it should be." if same else f"{PAGE.name} is not what the measures say: run {Path(__file__).name}.")
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    print(f"Written: {PAGE.name}, {len(made.splitlines())} lines.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
