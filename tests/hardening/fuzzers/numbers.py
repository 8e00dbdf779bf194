"""Hostile numbers through every masker: tiny, enormous, constant, missing, signed zeros; k counted by plain loops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError

KINDS = ("normal", "denormal", "tiny", "huge", "enormous", "constant", "tied", "zeros", "offset", "lonely", "mixed")
LEVELS = ("a", "b", "c")
SMALL = {"budget": 40, "refine": 40, "polish": False, "max_iter": 3, "restarts": 1, "generations": 3, "population": 4}
"""What keeps a run short, where a masker has it."""


def column(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = rng.choice(KINDS)
    whole = rng.integers(-3, 4, n).astype(float)
    values = {
        "normal": lambda: rng.normal(size=n),
        "denormal": lambda: whole * 5e-324,
        "tiny": lambda: rng.normal(size=n) * 10.0 ** rng.integers(-307, -100),
        "huge": lambda: rng.normal(size=n) * 10.0 ** rng.integers(100, 151),
        "enormous": lambda: np.clip(rng.normal(size=n), -1.7, 1.7) * 10.0 ** rng.integers(153, 309),
        "constant": lambda: np.full(n, rng.choice([0.0, -0.0, 1.0, 5e-324, 1e150, -7.25])),
        "tied": lambda: whole,
        "zeros": lambda: rng.choice([0.0, -0.0], n),
        "offset": lambda: 1e15 + rng.normal(size=n),
        "lonely": lambda: np.where(np.arange(n) == rng.integers(n), 10.0 ** rng.integers(-300, 151), 0.0),
        "mixed": lambda: rng.choice([5e-324, 1e-160, -1e150, 0.0, -0.0, 1.0, 3.5, 1e16], n),
    }[kind]()
    if rng.random() < 0.25:
        values = values.copy()
        values[rng.random(n) < rng.choice([0.05, 0.5, 1.0], p=[0.6, 0.3, 0.1])] = np.nan
    return values


def table(rng: np.random.Generator) -> Microdata:
    n = int(rng.integers(2, 40))
    columns: dict[str, pa.Array] = {}
    declared = []
    for j in range(int(rng.integers(1, 4))):
        numbers = column(rng, n)
        columns[f"x{j}"] = pa.array(numbers, mask=np.isnan(numbers))
        declared.append(Attribute(f"x{j}", Numeric(), "key"))
    if rng.random() < 0.5:
        words = rng.choice([*LEVELS, None], n, p=[0.5, 0.3, 0.15, 0.05])
        columns["c"] = pa.array(words.tolist(), pa.string())
        declared.append(Attribute("c", Nominal(LEVELS), "key"))
    return Microdata(pa.table(columns), Schema(declared))


def masker(rng: np.random.Generator):
    names = sorted(name for name, cls in catalogue.maskers().items() if cls.examples())
    cls = catalogue.maskers()[names[rng.integers(len(names))]]
    examples = cls.examples()
    one = examples[rng.integers(len(examples))].clone()
    known = one.get_params(deep=False)
    chosen = {name: value for name, value in SMALL.items() if name in known and known[name] is not None}
    if "k" in known:
        chosen["k"] = int(rng.integers(2, 6))
    if "random_state" in known:
        chosen["random_state"] = int(rng.integers(1000))
    if "standardise" in known:
        chosen["standardise"] = str(rng.choice(["zscore", "range", "robust", "none"]))
    if known.get("attributes") is not None:
        chosen["attributes"] = None
    return one.set_params(**chosen)


def smallest(release: Microdata, names: tuple[str, ...]) -> int:
    """Return the size of the smallest class of equal records, as their text tells them apart but for zeros' signs."""
    rows = zip(*(release.to_arrow().column(name).to_pylist() for name in names), strict=True)
    told = (tuple(repr(value + 0.0 if isinstance(value, float) else value) for value in row) for row in rows)
    return min(Counter(told).values())


def case(rng: np.random.Generator, folder: Path) -> str | None:
    data, method = table(rng), masker(rng)
    try:
        masked = method.mask(data)
    except DiscreetError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        return f"{method.label()}: {type(error).__name__}"
    known = masked.provenance
    rule = method.get_params(deep=False).get("missing")
    if not method.groups or rule not in (None, "refuse", "fill", "category") or not known.details.get("joint", True):
        return None
    names = tuple(name for name in known.attributes if name in masked.microdata.schema)
    if names and smallest(masked.microdata, names) < method.k:
        return f"{method.label()}: a record is alone among fewer than k"
    return None
