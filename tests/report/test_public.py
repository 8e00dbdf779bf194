"""What data users may know, line by line, from contents made by hand."""

from __future__ import annotations

import pytest

from discreet.contracts.assessment import Assessment, NotComputed, Score
from discreet.contracts.before_after import ColumnChange, Correlations, Distribution, GroupSuppression
from discreet.contracts.masked import Provenance
from discreet.contracts.measurement import Measurement
from discreet.data.guarantees import Guarantee
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.report.contents import Contents
from discreet.report.public import public, public_change

UNTOLD = "too few cells to tell"
NAMES = {"id": "identifier", "age": "key", "job": "key", "pay": "confidential", "ward": "key"}
SCHEMA = Schema([Attribute(n, Nominal(["a", "b"]) if n == "job" else Numeric(), r) for n, r in NAMES.items()])


def loss(name, value, unit="%", **per_attribute):
    return Measurement(name, name.title(), "loss", value, 0.0, 100.0, unit, "One of 7.", per_attribute)


def told(*losses, mean=3.2, worst="age", provenance=None, not_computed=(), **more):
    score = Score("worst-case", 0.0, mean, 0.0, "", {"cell-loss": mean}, worst_column=worst)
    assessment = Assessment(500, (), losses, score, not_computed)
    provenance = provenance or Provenance("mdav", {"k": 3}, ("age",), 500, perturbative=True)
    return public(Contents(provenance, assessment, SCHEMA, **more))


def change(cells, changed, suppressed, loss=2.0, *, few=False):
    (row,) = told(changes=(ColumnChange("age", cells, changed, suppressed, loss, few),))["changes"]
    return row


def test_what_became_of_every_column():
    first = Provenance("mdav", {}, ("age",), 500, removed=("pay",))
    second = Provenance("pram", {"renumber": ["ward"]}, ("job",), 500)
    both = Provenance("chain", {}, ("age", "job"), 500, history=(first, second))
    treatment = {row["name"]: row["treatment"] for row in told(provenance=both)["attributes"]}
    assert treatment == {
        "id": "left out", "age": "masked", "job": "masked", "pay": "left out", "ward": "a fresh number in its place",
    }  # fmt: skip
    assert {row["name"]: row["treatment"] for row in told()["attributes"]}["pay"] == "as collected"
    renumbered = Provenance("chain", {}, (), 500, details={"renumbered": ["id"]})
    assert told(provenance=renumbered)["attributes"][0]["treatment"] == "a fresh number in its place"


@pytest.mark.parametrize(
    ("counts", "published"),
    [
        ((500, 100, 30), (500, 100, 30)),
        ((500, 490, 0), (500, 490, 0)),  # ten are as they were
        ((500, 491, 0), (None, None, None)),  # nine are: who is among them
        ((500, 480, 11), (None, None, None)),
        ((500, 480, 20), (500, 480, 20)),  # none is
        ((500, None, 20), (None, None, None)),
        ((500, 20, None), (None, None, None)),
    ],
)
def test_all_counts_of_a_column_or_none(counts, published):
    row = change(*counts)
    assert (row["cells"], row["changed"], row["suppressed"]) == published


def test_counts_in_words():
    assert change(500, 500, 0)["changed_in_words"] == "all"
    assert change(500, 500, 0)["suppressed_in_words"] == "none"
    assert change(500, 20, 0)["changed_in_words"] == "20 of 500"
    assert change(500, None, 0)["suppressed_in_words"] == "too few, or all but a few, to tell"
    inside = public_change(ColumnChange("age", 500, 491, 3, 7.25))
    assert (inside["changed_in_words"], inside["suppressed_in_words"]) == ("491 of 500", "3 of 500")
    assert (inside["cells"], inside["changed"], inside["suppressed"], inside["mean_loss"]) == (500, 491, 3, 7.25)


def test_the_loss_of_a_column_is_a_class():
    assert change(500, 100, 0, 2.0)["mean_loss"] == "1 to 5 %"
    assert change(500, 100, 0, None)["mean_loss"] == UNTOLD
    assert change(500, None, 0, 2.0, few=True)["mean_loss"] == UNTOLD


def test_groups_of_suppressed_cells_in_words():
    groups = (GroupSuppression("job", "a", 40, 12.6), GroupSuppression("job", "", 15, None))
    first, rest = told(suppressions=groups)["suppressions"]
    assert (first["level"], first["records"], first["in_words"]) == ("a", 40, "13 %")
    assert (rest["level"], rest["in_words"]) == ("groups too small to name", "some, fewer than ten cells")


def test_the_mean_loss_is_whole_percent_and_a_class_where_few_cells_were_changed():
    few = {"changes": (ColumnChange("age", 500, None, 0, None, few=True),)}
    many = told(mean=3.6)["loss"]
    assert (many["mean"], many["in_words"], many["most_in"]) == (4, "4 %", "age")
    assert told(mean=0.6)["loss"]["in_words"] == "below 1 %"
    hidden = told(mean=3.6, **few)["loss"]
    assert (hidden["mean"], hidden["in_words"], hidden["most_in"]) == (None, "1 to 5 %", None)
    assert told(mean=3.6, worst="job", **few)["loss"]["most_in"] == "job"


def test_losses_are_classes_by_what_one_cell_can_do_to_them():
    losses = (
        loss("cell-loss", 3.0, age=3.0),
        loss("variances", 3.0, age=12.0),  # one value moves it as far as it likes
        loss("likelihood", 3.0, unit="nats", age=0.0),
    )
    cells, variances, likelihood = told(*losses)["loss"]["measures"]
    assert (cells["loss"], cells["per_attribute"]) == ("1 to 5 %", {"age": "1 to 5 %"})
    assert (variances["loss"], variances["per_attribute"]) == ("below 10 %", {"age": "above 10 %"})
    assert (likelihood["loss"], likelihood["per_attribute"]) == ("some", {"age": "none"})
    assert told(*losses)["loss"]["made_of"] == ["Cell-Loss"]


def test_a_loss_over_a_column_of_few_changed_cells_is_not_told():
    changes = (ColumnChange("age", 500, None, 0, None, few=True), ColumnChange("job", 500, 0, 0, 0.0),
               ColumnChange("pay", 500, 90, 0, 4.0))  # fmt: skip
    losses = (
        loss("cell-loss", 3.0, age=1.0, job=2.0, pay=3.0),
        loss("suppression", 3.0, job=2.0, pay=3.0),
        loss("ebil", 3.0),
    )
    first, second, third = told(*losses, changes=changes)["loss"]["measures"]
    assert first["loss"] == UNTOLD
    # Nobody touched job: what it lost, it lost by age.
    assert first["per_attribute"] == {"age": UNTOLD, "job": UNTOLD, "pay": "1 to 5 %"}
    assert (second["loss"], second["per_attribute"]) == ("1 to 5 %", {"job": "1 to 5 %", "pay": "1 to 5 %"})
    assert third["loss"] == UNTOLD  # nobody knows over which columns it is


def test_of_what_was_not_computed_only_losses_are_named():
    missing = (NotComputed("il1s", "IL1s", "loss", "no numbers."), NotComputed("suda", "SUDA", "risk", "7 uniques."))
    assert told(not_computed=missing)["loss"]["not_computed"] == [
        {"name": "il1s", "title": "IL1s", "reason": "no numbers."}
    ]


def test_a_step_tells_what_the_whole_release_still_promises():
    promises = (Guarantee("mdav", ("age",), 5), Guarantee("mdav", ("age",), 3), Guarantee("mdav", ("pay",), 2),
                Guarantee("pram", ("age",), 2))  # fmt: skip
    provenance = Provenance("mdav", {"k": 5}, ("age", "job"), 500, perturbative=True, guarantees=promises)
    (step,) = told(provenance=provenance, summaries={"mdav": "Groups of k."})["steps"]
    assert step["guarantees"] == [promises[0].sentence, promises[1].sentence]
    assert step["smallest_group"] == 3
    assert (step["what_it_does"], step["values_may_be_untrue"]) == ("Groups of k.", True)
    assert "smallest_group" not in told()["steps"][0]


def test_noise_and_matrices_are_told_by_choice():
    noise = Provenance("additive-noise", {"level": 0.2}, ("age",), 500)
    pram = Provenance(
        "pram", {}, ("job", "age"), 500,
        details={"matrices": {"job": [[0.87654321, 0.12345679], [0.2, 0.8]], "age": [[1.0]]}},
    )  # fmt: skip
    assert told(provenance=noise, tell=("noise",))["steps"][0]["noise_level"] == 0.2
    assert "noise_level" not in told(provenance=noise, tell=("pram",))["steps"][0]
    assert "noise_level" not in told(tell=("noise",))["steps"][0]
    (matrix,) = told(provenance=pram, tell=("pram",))["steps"][0]["matrices"]
    assert matrix == {"attribute": "job", "levels": ["a", "b"], "matrix": [[0.8765, 0.1235], [0.2, 0.8]]}
    assert "matrices" not in told(provenance=pram, tell=("noise",))["steps"][0]


def test_correlations_are_one_class_over_all_pairs():
    def said(*changes, few=()):
        a, b, c = changes
        rows = ((0.0, a, b), (a, 0.0, c), (b, c, 0.0))
        table = Correlations(("age", "pay", "ward"), rows, rows, rows, "")
        columns = tuple(ColumnChange(name, 500, None, 0, None, few=True) for name in few)
        return told(correlations=table, changes=columns)["correlations"]

    # (0.3 + 0.09 + 0) / 3 = 0.13 and (0.2 + 0.06 + 0) / 3 = 0.087 of the range.
    assert said(0.3, -0.09, 0.0) == "The mean change of a correlation is above 10 % of the range from 0 to 1."
    assert said(0.2, -0.06, 0.0) == "The mean change of a correlation is below 10 % of the range from 0 to 1."
    assert said(0.0, 0.0, 0.0) == "Correlations of numbers are as they were."
    assert said(0.2, -0.06, 0.0, few=["pay"]) is None
    assert told()["correlations"] is None


def test_of_distributions_the_mean_of_the_release_alone_to_four_digits():
    drawn = tuple(Distribution(name, edges, (1.0,), (1.0,), 41.23456, 42.34567)
                  for name, edges in [("age", (0.0, 1.0)), ("pay", (0.0, 1.0)), ("ward", ())])  # fmt: skip
    few = (ColumnChange("pay", 500, None, 0, None, few=True),)
    assert told(distributions=drawn, changes=few)["distributions"] == [{"attribute": "age", "mean_after": 42.35}]


def test_which_records_are_drawn_is_said_where_not_all_are():
    assert told(drawn="The first 100.")["drawn"] == "The first 100."
    assert "drawn" not in told()
