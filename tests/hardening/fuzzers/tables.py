"""Hostile CSV files: any bytes, ragged rows, strange quotes and encodings. A table or a clear error without a value."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet import workflow
from discreet.errors import DiscreetError

PLANTED = "Xq7Planted"
CELLS = (
    "", " ", '"', '""', "NA", "nan", "-", "=1+1", "\n", "\r", "\x00", ";", ",", "1e999", "１", "\ufeff", "1,5", "1.234",
    "0x1A", "1_000", "∞", "-0", "5e-324", "1e308", "true", "2020-02-30", "'", "\\", "\u202e", "é", "a" * 300, "12 %",
    PLANTED,
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-32", "ascii", "shift_jis")
DELIMITERS = (",", ";", "\t", "|", " ", "::", "", "é", "\x00", '"', "\n", "💥", "aa")
NAMED = (None, None, "utf-8", "latin-1", "utf-16", "utf-99", "", "idna", "rot13", "hex", "undefined", "base64", "é")


def content(rng: np.random.Generator) -> bytes:
    if rng.random() < 0.2:
        return rng.bytes(int(rng.integers(0, 400)))
    delimiter = str(rng.choice([",", ";", "\t", "|"]))
    width = int(rng.integers(1, 6))
    rows = []
    for row in range(int(rng.integers(0, 12))):
        cells = [str(CELLS[rng.integers(len(CELLS))]) for _ in range(width + int(rng.random() < 0.05))]
        if row == 0:
            cells = [f"{cell.strip()}{j}" for j, cell in enumerate(cells)]
        elif rng.random() < 0.6:
            cells = [f"{rng.normal():.3g}" if j < width - 1 else cell for j, cell in enumerate(cells)]
        rows.append(delimiter.join(cells))
    text = str(rng.choice(["\n", "\r\n", "\r"])).join(rows)
    raw = text.encode(str(rng.choice(ENCODINGS)), errors="replace")
    if raw and rng.random() < 0.2:
        cut = int(rng.integers(len(raw)))
        raw = raw[:cut] + rng.bytes(2) + raw[cut:]
    return raw


def case(rng: np.random.Generator, folder: Path) -> str | None:
    path = folder / "hostile.csv"
    raw = content(rng)
    path.write_bytes(raw)
    options = {}
    if rng.random() < 0.3:
        options["delimiter"] = str(DELIMITERS[rng.integers(len(DELIMITERS))])
    if rng.random() < 0.4:
        options["encoding"] = NAMED[rng.integers(len(NAMED))]
    try:
        data = workflow.read(path, **options)
        workflow.inspect(path, **options)
        workflow.write(data, folder / "again.csv")
    except DiscreetError as error:
        # The header may hold the planted word, and names are told; a cell's value never is.
        named = PLANTED.encode() in raw.split(b"\n")[0].split(b"\r")[0] or b"\x00" in raw
        if PLANTED in str(error) and not named:
            return f"{type(error).__name__} quotes a value"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        return f"{type(error).__name__} from {options}"
    return None if path.read_bytes() == raw else "the input was changed"
