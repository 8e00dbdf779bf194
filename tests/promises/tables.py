"""Small surveys with every scale and every role, as text cells, and as files of seven formats."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

FORMATS = ("csv", "tsv", "parquet", "arrow", "xlsx", "sav", "dta")
READINGS = {"none": (), "blank": (), "one": ("-9",), "two": ("-8", "-9"), "question": ("?",)}
"""How a survey marks what it does not know, and the codes that its schema declares for it."""

NUMBERS = {"income": 2, "age": 0, "wealth": 3}
"""The numeric keys and their decimals."""
LEVELS = {
    "size": ("xs", "s", "m", "l", "xl"),
    "grade": ("1", "2", "3", "4", "5", "6", "7"),
    "fuel": ("gas", "oil", "wood", "sun"),
    "owner": ("no", "yes"),
    "illness": ("none", "mild", "severe"),
    "region": ("north", "south"),
    "note": ("a", "b"),
}
SCALES = {
    **dict.fromkeys(NUMBERS, "numeric"),
    "size": "ordinal",
    "grade": "ordinal",
    "fuel": "nominal",
    "owner": "nominal",
    "visits": "sequence",
}
"""The keys and their scales, in the order of the columns."""
EVENTS = ("gate", "lake", "tower", "shop")
LACKING = ("income", "age", "size", "grade", "fuel")
"""The columns in which something is missing, where anything is."""


@dataclass(frozen=True)
class Survey:
    """A table as text, its schema as TOML, and what is needed to write it down."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    toml: str
    reading: str
    codes: tuple[str, ...] = ()
    numeric: frozenset[str] = field(default_factory=frozenset)

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]


def survey(
    n: int = 160,
    seed: int = 1,
    *,
    reading: str = "none",
    weights: bool = False,
    households: bool = False,
    leaving_out: tuple[str, ...] = (),
) -> Survey:
    """Make a survey; households share all keys, so that every method can mask them once a household."""
    rng = random.Random(seed)  # noqa: S311 - a table, not a secret
    units = [_unit(rng, reading) for _ in range(n)]
    members = [unit for unit in range(n) for _ in range(rng.randint(1, 3) if households else 1)][:n]
    serials = rng.sample(range(100_000, 999_999), n)
    columns: dict[str, list[str]] = {"person": [f"p{i:05d}" for i in rng.sample(range(90_000), n)]}
    if households:
        homes = rng.sample(range(70_000), n)
        columns["hid"] = [f"h{homes[unit]:05d}" for unit in members]
    for name in SCALES:
        columns[name] = [units[unit][name] for unit in members]
    columns["illness"] = [rng.choices(LEVELS["illness"], (60, 25, 15))[0] for _ in range(n)]
    columns["region"] = [units[unit]["region"] for unit in members]
    if weights:
        heavy = [f"{rng.uniform(20, 400):.1f}" for _ in range(n)]
        columns["weight"] = [heavy[unit] for unit in members]
    columns["note"] = [rng.choice(LEVELS["note"]) for _ in range(n)]
    columns["serial"] = [str(number) for number in serials]
    columns = {name: cells for name, cells in columns.items() if name not in leaving_out}
    header = tuple(columns)
    numeric = frozenset({*NUMBERS, "grade", "weight", "serial"})
    return Survey(header, tuple(zip(*columns.values(), strict=True)), declaration(header, reading), reading,
                  READINGS[reading], numeric)  # fmt: skip


def _unit(rng: random.Random, reading: str) -> dict[str, str]:
    wealth = math.exp(rng.gauss(10, 1))
    record = {
        "income": f"{wealth * rng.uniform(0.1, 0.4):.2f}",
        "age": str(rng.randint(18, 89)),
        "wealth": f"{wealth:.3f}",
        "size": LEVELS["size"][min(4, int(abs(rng.gauss(0, 2))))],
        "grade": str(rng.randint(1, 7)),
        "fuel": rng.choices(LEVELS["fuel"], (50, 30, 15, 5))[0],
        "owner": rng.choice(LEVELS["owner"]),
        "visits": " ".join(rng.choice(EVENTS) for _ in range(rng.randint(1, 5))),
        "region": rng.choice(LEVELS["region"]),
    }
    codes = READINGS[reading]
    if reading != "none":
        for name in LACKING:
            if rng.random() < 0.08:
                # Codes are not alike often: the rare one stands out where it is told apart.
                record[name] = "" if not codes or rng.random() < 0.15 else rng.choices(codes, (5, 1)[: len(codes)])[0]
    return record


def declaration(header: Sequence[str], reading: str) -> str:
    """Return the schema of a survey with these columns."""
    roles = {"person": "identifier", "hid": "identifier", "illness": "confidential", "region": "stratum",
             "weight": "weight", "note": "other", "serial": "other"}  # fmt: skip
    lines = []
    for name in header:
        scale = SCALES.get(name, "numeric" if name in {"weight", "serial"} else "nominal")
        lines += ["[[attribute]]", f'name = "{name}"', f'role = "{roles.get(name, "key")}"', f'scale = "{scale}"']
        if name in LEVELS:
            lines.append(f"levels = {_listed(LEVELS[name], number=name == 'grade')}")
        elif scale == "nominal":
            lines.append('levels = [""]')
        elif scale == "sequence":
            lines += [f"alphabet = {_listed(EVENTS)}", 'delimiter = " "']
        if name in LACKING and READINGS[reading]:
            number = name in NUMBERS or name == "grade"
            lines.append(f"missing = {_listed(READINGS[reading], number=number and reading != 'question')}")
    return "\n".join(lines) + "\n"


def _listed(values: tuple[str, ...], *, number: bool = False) -> str:
    return f"[{', '.join(value if number else json.dumps(value) for value in values)}]"


# ------------------------------------------------------------------------------------------------------ written down


def write(table: Survey, path: Path) -> Path:
    """Write a survey in the format of the path's ending, with its schema beside it."""
    path.with_suffix(".toml").write_text(table.toml, encoding="utf-8")
    ending = path.suffix[1:]
    if ending in {"csv", "tsv"}:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
            writer.writerows([table.header, *table.rows])
        return path
    columns = {name: _typed(table, name) for name in table.header}
    if ending == "parquet":
        pyarrow.parquet.write_table(pa.table(columns), path)
    elif ending == "arrow":
        pyarrow.feather.write_feather(pa.table(columns), str(path), compression="uncompressed")
    elif ending == "xlsx":
        _write_excel(columns, path)
    else:
        import polars as pl
        import pyreadstat

        frame = pl.DataFrame({name: pl.Series(name, column.to_pylist()) for name, column in columns.items()})
        (pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta)(frame, path)
    return path


def _typed(table: Survey, name: str) -> pa.Array:
    """A column of numbers as numbers; a code that is none cannot stand among them, so the cell is empty."""
    cells = table.column(name)
    if name not in table.numeric:
        return pa.array([cell or None for cell in cells], pa.string())
    values = [None if cell in {"", "?"} else float(cell) for cell in cells]
    if all(value is None or value.is_integer() for value in values):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array(values, pa.float64())


def _write_excel(columns: dict[str, pa.Array], path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for place, (name, column) in enumerate(columns.items()):
            sheet.write_string(0, place, name)
            for row, value in enumerate(column.to_pylist(), start=1):
                if isinstance(value, str):
                    sheet.write_string(row, place, value)
                elif value is not None:
                    sheet.write_number(row, place, value)
