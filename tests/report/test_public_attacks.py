"""Attacks on the public report with the release beside it: plain arithmetic that must not give back a hidden value."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Attribute, Nominal, Numeric, Schema
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata, microdata
from discreet.evaluation.changes import column_changes
from discreet.report.coarse import class_of

HIDDEN = 13.0


def families(n=800, large=(HIDDEN,)):
    """Return families with up to five children, and some with more: the table of the attack."""
    rng = np.random.default_rng(11)
    kids = rng.choice(6, n, p=[0.30, 0.25, 0.25, 0.12, 0.06, 0.02]).astype(float)
    kids[100 : 100 + len(large)] = large
    frame = pl.DataFrame({"kids": kids, "sex": rng.choice(["f", "m"], n), "area": rng.choice(list("abcd"), n)})
    schema = Schema(
        [
            Attribute("kids", Numeric(), "key"),
            Attribute("sex", Nominal(["f", "m"]), "key"),
            Attribute("area", Nominal(list("abcd")), "key"),
        ]
    )
    return Microdata(frame, schema)


def published(table, masked, folder):
    """Return the public report as JSON values, and the text of its page with what pictures say."""
    paths = {"json": folder / "e.json", "html": folder / "e.html"}
    dc.write_report(table, masked, dc.assess(table, masked), **paths, audience="external")
    page = re.sub(r"<style.*?</style>", " ", paths["html"].read_text(), flags=re.DOTALL)
    return json.loads(paths["json"].read_text()), " ".join(re.sub(r"<[^>]+>", " ", page).split())


def numbers(text):
    """Return every number of a text, with the value of half a unit of its last digit."""
    found = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)", text)
    return [(float(one), 0.5 * 10.0 ** -len(one.partition(".")[2])) for one in found]


def told_of(figures, name):
    """Return the loss of an attribute by measure, as the report tells it."""
    return {m["name"]: m["per_attribute"][name] for m in figures["loss"]["measures"] if name in m["per_attribute"]}


def candidates_by_total(text, released, n, reach):
    """Return the hidden excess that any number of the page would mean, if it were the original's mean."""
    own = released.mean()
    means = [(mean, half) for mean, half in numbers(text) if "." in str(mean) and abs(mean - own) <= reach / n]
    return [(mean * n - released.sum(), half * n) for mean, half in means]


def test_the_total_does_not_give_back_the_one_value_that_was_top_coded(tmp_path):
    table = families()
    masked = dc.methods("masker")["top-coding"](threshold=5.0, attributes=["kids"]).mask(table)
    figures, text = published(table, masked, tmp_path)
    released = np.asarray(masked.microdata.encoded("kids"))
    # mean × n − released total = what was cut off: no number of the page may be the mean of the original.
    for excess, half in candidates_by_total(text + json.dumps(figures), released, len(released), reach=30.0):
        assert abs(excess - (HIDDEN - 5.0)) > half
    # No share of records says that it was one: every figure of the column is left out.
    assert set(told_of(figures, "kids").values()) == {told_of(figures, "kids")["cell-loss"]}
    (change,) = (one for one in figures["changes"] if one["attribute"] == "kids")
    assert {change[key] for key in ("cells", "changed", "suppressed")} == {None}
    assert change["changed_in_words"] == change["suppressed_in_words"]
    assert change["mean_loss"] == told_of(figures, "kids")["variances"] == "too few cells to tell"
    assert not [d for d in figures["distributions"] if d["attribute"] == "kids"]
    assert "The mean was" not in text


def consistent(figures, present, blanks, n):
    """Return all sets of blanks that agree with what is told of means and variances."""
    told = {**{m["name"]: m["loss"] for m in figures["loss"]["measures"]}, **told_of(figures, "kids")}
    total, square, spread = present.sum(), (present**2).sum(), present.var()
    for some in itertools.combinations_with_replacement(range(16), blanks):
        mean = (total + sum(some)) / n
        variance = (square + sum(x * x for x in some)) / n - mean**2
        losses = {
            "means": 100 * abs(mean - present.mean()) / np.sqrt(variance),
            "variances": 100 * abs(spread - variance) / variance,
        }
        if all("tell" in told[name] or class_of(loss, open_ended=True) == told[name] for name, loss in losses.items()):
            yield some


def test_means_and_variances_do_not_give_back_the_blanks(tmp_path):
    table = families()
    kids = np.asarray(table.encoded("kids")).copy()
    blank = [*np.flatnonzero(kids == 5)[:2].tolist(), 100]
    frame = table.to_native().with_columns(
        pl.when(pl.int_range(pl.len()).is_in(blank)).then(None).otherwise(pl.col("kids")).alias("kids")
    )
    masked = Masked(Microdata(frame, table.schema), dc.protect(table, "local-suppression", k=3).provenance)
    figures, text = published(table, masked, tmp_path)
    present = np.delete(kids, blank)
    sets = list(consistent(figures, present, len(blank), len(kids)))
    for place in range(len(blank)):
        assert len({some[place] for some in sets}) >= 10
    for excess, half in candidates_by_total(text, present, len(kids), reach=60.0):
        assert abs(excess - kids[blank].sum()) > half
    assert not re.search(r"values? (is|are) suppressed", text)


def test_ten_values_that_were_top_coded_leave_the_largest_open(tmp_path):
    def told(largest):
        table = families(large=(*[6.0] * 11, largest))
        masked = dc.methods("masker")["top-coding"](threshold=5.0, attributes=["kids"]).mask(table)
        figures, text = published(table, masked, tmp_path)
        assert next(one for one in figures["changes"] if one["attribute"] == "kids")["changed"] == 12
        return json.dumps(figures), text

    # Somebody who knows all others still cannot tell one family from the next: the reports are the same to the letter.
    assert told(12.0) == told(14.0) == told(16.0)


def test_a_count_that_is_not_told_stands_nowhere_else(tmp_path):
    table = families(n=600)
    masked = dc.protect(table, "local-suppression", k=3)
    gone = {n: int((masked.microdata.missing(n) & ~table.missing(n)).sum()) for n in table.names}
    few = [name for name, count in gone.items() if 0 < count < 10]
    assert few
    figures, text = published(table, masked, tmp_path)
    for name in few:
        assert len(set(told_of(figures, name).values())) == 1
        assert not re.search(rf"most in {name}", text)
    assert figures["loss"]["mean"] is None
    assert "sentence" not in json.dumps(figures)


def test_bars_of_the_original_stand_for_ten_records(tmp_path):
    table = families(n=200, large=[9.0] * 12)
    masked = dc.methods("masker")["top-coding"](threshold=5.0, attributes=["kids"]).mask(table)
    _, text = published(table, masked, tmp_path)
    assert "Shares are rounded to 5 %" in text
    shares = text.partition("Share of records a unit of width, kids")[2].partition("Made by")[0]
    rows = np.array([float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", shares)]).reshape(-1, 4)
    widths = (rows[:, 1] - rows[:, 0]) / (rows[-1, 1] - rows[0, 0])
    percent = 100 * rows[:, 2] * widths
    assert np.allclose(percent / 5, np.round(percent / 5), atol=0.12)


def test_a_cell_that_was_filled_is_a_changed_cell_among_those_counted():
    a = microdata(pl.DataFrame({"x": [1.5, None, None, 4.5]}))
    b = microdata(pl.DataFrame({"x": [2.0, 2.0, 4.0, None]}))
    (change,) = column_changes(a, b, {"x": 30.0}, 1)
    assert (change.cells, change.changed, change.suppressed) == (4, 3, 1)


@pytest.mark.parametrize("count", [1, 9, 10])
def test_few_is_fewer_than_ten(count):
    x = np.arange(40) + 0.5
    y = x.copy()
    y[:count] += 1.0
    (change,) = column_changes(*(microdata(pl.DataFrame({"x": v})) for v in (x, y)), {"x": 3.0}, 10)
    assert change.few == (count < 10)
