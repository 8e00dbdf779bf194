"""The links of every linker's every example, record by record: what changes here changes for every user.

``python -m tests.linkage.test_links_stay`` records what the present code gives; a commit that does so says why. Scores
may be off by what another order of sums leaves.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.battery import microdata, names_for
from tests.engines.test_every_measure import with_gaps
from tests.linkage.test_battery import LINKERS, perturbed

from discreet.errors import DiscreetError

RECORDED = Path(__file__).with_name("links.json")
EXAMPLES = {f"{m.name}-{i}": m for c in LINKERS for i, m in enumerate(c.examples())}
N = 30


@cache
def tables():
    original, release = microdata(N, seed=6), perturbed(N, seed=6)
    return {"whole": (original, release), "gaps": (with_gaps(original, 3), with_gaps(release, 4))}


def outcome(linker, pair):
    """Who is linked with whom, how surely, and what the linker says of itself, as plain values."""
    linker = linker.clone()
    linker.set_params(attributes=names_for(linker.scales)[:6])
    try:
        links = linker.link(*pair)
    except DiscreetError as error:
        return {"refused": error.message}
    found = {
        "best": links.best.tolist(),
        "second": links.second.tolist(),
        "ties": links.ties.tolist(),
        "score": _few_digits(links.score),
        "second_score": _few_digits(links.second_score),
    }
    if links.decision is not None:
        found["decision"] = links.decision.tolist()
    if links.probability is not None:
        found["probability"] = _few_digits(links.probability)
    return found


def _few_digits(numbers):
    return [float(f"{number:.7g}") if np.isfinite(number) else None for number in numbers.tolist()]


def record():
    found = {key: {kind: outcome(one, pair) for kind, pair in tables().items()} for key, one in EXAMPLES.items()}
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in found.items())
    RECORDED.write_text("{\n" + text + "\n}\n", encoding="utf-8")


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_linker_links_as_it_did(key):
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))[key]
    for kind, pair in tables().items():
        found = outcome(EXAMPLES[key], pair)
        assert found.keys() == expected[kind].keys(), kind
        for what, numbers in found.items():
            if what in ("score", "second_score", "probability"):
                pairs = zip(numbers, expected[kind][what], strict=True)
                apart = [(a, b) for a, b in pairs if a != (b if b is None else pytest.approx(b, rel=1e-4, abs=1e-6))]
                assert apart == [], (kind, what)
            else:
                assert numbers == expected[kind][what], (kind, what)


if __name__ == "__main__":
    record()
