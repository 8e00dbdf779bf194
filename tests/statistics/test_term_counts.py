"""How many people have each term and each query, counted with sets of words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.statistics.small import answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, QueryLog
from discreet.data.schema import Attribute, Schema
from discreet.statistics.term_counts import TermCounts

TERMS = ("rome", "rain", "lilburn", "map")


def logs(rows: list[str | None], terms: tuple[str, ...] = TERMS, weights: list[float] | None = None) -> Microdata:
    columns: dict[str, Any] = {"asked": pa.array(rows, pa.string())}
    attributes = [Attribute("asked", QueryLog(terms), "key")]
    if weights:
        columns["w"] = pa.array(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pa.table(columns), Schema(attributes))


def drawn(seed: int, n: int) -> list[str | None]:
    """Return logs, one empty, one missing, some with a query that is not told, some with one twice."""
    rng = np.random.default_rng(seed)
    rows: list[str | None] = ["", None, "*", "rome | * | rome"]
    while len(rows) < n:
        queries = [" ".join(rng.choice(TERMS, rng.integers(1, 4))) for _ in range(rng.integers(1, 4))]
        rows.append(" | ".join("*" if rng.random() < 0.15 else query for query in queries))
    return [rows[i] for i in rng.permutation(n)]


def counted(rows: list[tuple[str, float]]) -> tuple[Counter[str], Counter[str]]:
    terms: Counter[str] = Counter()
    queries: Counter[str] = Counter()
    for log, w in rows:
        told = {query.strip() for query in log.split("|") if query.strip() not in ("", "*")}
        for query in told:
            queries[query] += w
        for term in {term for query in told for term in query.split()}:
            terms[term] += w
    return terms, queries


@pytest.mark.parametrize("cut", [(16,), (3, 13), (1,) * 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_who_asked_for_what(cut: tuple[int, ...], weighted: bool) -> None:
    before, after = drawn(5, 16), drawn(6, 16)
    weights = [0.5 + i % 4 for i in range(16)]
    # The release lists its terms in another order.
    original, release = logs(before, weights=weights), logs(after, TERMS[::-1])
    question = TermCounts.asked(("asked",), (original.schema, release.schema), "w" if weighted else None)
    asked = answer(question, blocks(cut, original, release))
    both = [
        (one, other, w if weighted else 1.0)
        for one, other, w in zip(before, after, weights, strict=True)
        if one is not None and other is not None
    ]
    sides = [counted([(one, w) for one, _, w in both]), counted([(other, w) for _, other, w in both])]
    assert asked.people == {"asked": sum(w for *_, w in both)}
    assert asked.terms["asked"] == (sides[0][0], sides[1][0])
    assert asked.queries["asked"] == (sides[0][1], sides[1][1])
    assert asked.records["asked"] == counted([(one, 1.0) for one, *_ in both])[0]


def test_a_query_that_is_not_told_is_nobodys_and_the_others_of_the_log_stay() -> None:
    original, release = logs(["rome | rain map", "map"]), logs(["* | rain map", "*"])
    question = TermCounts.asked(("asked",), (original.schema, release.schema), None)
    asked = answer(question, blocks((1, 1), original, release))
    assert asked.terms["asked"] == ({"rome": 1, "rain": 1, "map": 2}, {"rain": 1, "map": 1})
    assert asked.queries["asked"] == ({"rome": 1, "rain map": 1, "map": 1}, {"rain map": 1})
