"""What is shown beside the papers stays as it is: every cell, heading, note and picture, but for a meant change.

The record is `recorded.json`, a heading and a fingerprint of each; ``python -m tests.reproduction.test_recorded``
writes it anew.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pytest

from discreet.reproduction.sections import compare_papers
from discreet.reproduction.subjects import (
    categorical_links,
    chance_links,
    cwow_median,
    median_monotonicity,
    median_operators,
    representatives_example,
)

RECORD = Path(__file__).with_name("recorded.json")
DRAWS = 300


def section(name):
    # Without the public files, wherever they may be: a record is of what everybody can compute.
    with tempfile.TemporaryDirectory() as empty:
        (one,) = compare_papers([name], data=empty).sections
    return [one.title, one.reference, *map(table, one.tables), *map(figure, one.figures)]


def monotonicity():
    numbers = list(median_monotonicity.PRINTED)
    tables = [table(median_monotonicity._table(number, DRAWS)) for number in numbers]
    return [*tables, figure(median_monotonicity.figure())]


def linkage():
    study = categorical_links.study()
    return [*map(table, categorical_links.tables(study)), figure(categorical_links.figure(study))]


SHOWN = {
    "p0": lambda: section("p0"),
    "p1b operators": lambda: [table(one) for one in median_operators.tables()],
    "p1b median": lambda: [table(one) for one in cwow_median.tables()],
    "p1b monotonicity": monotonicity,
    "p1c": lambda: section("p1c"),
    "p1d chance": lambda: [table(one) for one in chance_links.tables()],
    "p2 example": lambda: [
        *map(table, representatives_example.tables()),
        *map(figure, representatives_example.figures()),
    ],
    "p3": lambda: section("p3"),
    "p4": linkage,
}


def table(one):
    """A table as lines: its headings, then row by row what is printed, what we find, and what is said of it."""
    lines = [" | ".join((one.name, one.title, one.corner, *one.columns)), one.note, one.data]
    for row, column, cell in one.cells:
        words = [cell.printed, cell.ours, cell.verdict, cell.gap, cell.reason, cell.note, "required" * cell.required]
        lines.append(f"{row} × {column}: " + " | ".join(words))
    return lines


def figure(one):
    """A picture as its data, with six digits: the last ones are the machine's."""
    data = json.loads(json.dumps(asdict(one)), parse_float=lambda text: float(f"{float(text):.6g}"))
    return [one.title, json.dumps(data)]


def shown(name):
    """What is shown, and the record of it."""
    parts = [part if isinstance(part, list) else [part] for part in SHOWN[name]()]
    return parts, [[part[0], hashlib.sha256("\n".join(map(str, part)).encode()).hexdigest()[:16]] for part in parts]


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_what_was_recorded(name):
    parts, record = shown(name)
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    assert [heading for heading, _ in record] == [heading for heading, _ in recorded]
    for part, ours, theirs in zip(parts, record, recorded, strict=True):
        assert ours == theirs, part


if __name__ == "__main__":
    text = json.dumps({name: shown(name)[1] for name in SHOWN}, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
