"""What every measure's every example says of three pairs of tables: figure, sentence, parts and details.

``python -m tests.measures.test_figures_stay`` records what the present code gives; a commit that does so says why.
Numbers may be off by what another order of sums or another solver leaves, words may not.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from tests.battery import microdata
from tests.engines.test_every_measure import permuted, with_gaps

from discreet import catalogue
from discreet.errors import DiscreetError

RECORDED = Path(__file__).with_name("figures.json")
EXAMPLES = {f"{m.name}-{i}": m for c in catalogue.measures().values() for i, m in enumerate(c.examples())}
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")


@cache
def tables():
    original = microdata(50, seed=4)
    release = permuted(original, 1)
    return {
        "unmasked": (original, original),
        "permuted": (original, release),
        "gaps": (with_gaps(original, 3), with_gaps(release, 4)),
    }


def outcome(measure, pair):
    """What is said, as plain values; floats in nine digits."""
    try:
        result = measure.clone().measure(*pair)
    except DiscreetError as error:
        return {"refused": error.message}
    said = {"value": result.value, "parts": dict(result.per_attribute), "details": dict(result.details)}
    return {**_plain(json.loads(json.dumps(said, default=str))), "sentence": result.sentence}


def _plain(value):
    """Return plain values with few digits, and of long lists their ends."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in (value if len(value) <= 8 else [*value[:3], len(value), *value[-3:]])]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def differences(found, expected, where=""):
    """Yield where two outcomes differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in {**found, **expected}:
            yield from differences(found.get(name), expected.get(name), f"{where}/{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{where}/{place}")
    elif isinstance(expected, str) and isinstance(found, str):
        if _NUMBER.split(found) != _NUMBER.split(expected):
            yield f"{where}: {found!r} was {expected!r}"
        # What is printed with one digit may be printed with the next one.
        for one, other in zip(_NUMBER.findall(found), _NUMBER.findall(expected), strict=False):
            if float(one.replace(",", "")) != pytest.approx(float(other.replace(",", "")), rel=1e-3, abs=0.11):
                yield f"{where}: {one} was {other}"
    elif isinstance(expected, int | float) and isinstance(found, int | float):
        if found != pytest.approx(expected, rel=1e-5, abs=1e-7):
            yield f"{where}: {found} was {expected}"
    elif found != expected:
        yield f"{where}: {found} was {expected}"


def record():
    found = {key: {kind: outcome(one, pair) for kind, pair in tables().items()} for key, one in EXAMPLES.items()}
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in found.items())
    RECORDED.write_text("{\n" + text + "\n}\n", encoding="utf-8")


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_measure_says_what_it_said(key):
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))[key]
    for kind, pair in tables().items():
        assert list(differences(outcome(EXAMPLES[key], pair), expected[kind], kind)) == []


if __name__ == "__main__":
    record()
