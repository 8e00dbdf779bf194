from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.assessment import Assessment, NotComputed, Score
from discreet.contracts.measurement import Measurement
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError
from discreet.evaluation.advice import advise_thresholds, on_aggregates, on_groups, on_identifiers, unmasked
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.workflow import advise, advise_protocol, advise_study, advise_tables


def table(**roles):
    frame = pl.DataFrame(
        {
            "passport": [f"P{i:04}" for i in range(40)],
            "age": [20.5 + i for i in range(40)],
            "town": ["n", "s"] * 20,
            "ill": ["no", "no", "no", "yes"] * 10,
        }
    )
    scales = {"passport": Nominal(tuple(frame["passport"])), "age": Numeric(), "town": Nominal(("n", "s")),
              "ill": Nominal(("no", "yes"))}  # fmt: skip
    given = {"passport": "identifier", "age": "key", "town": "key", "ill": "confidential"} | roles
    return dc.microdata(frame, Schema([Attribute(name, scales[name], given[name]) for name in scales]))


def codes(*args, **kwargs):
    return [advice.code for advice in advise(*args, **kwargs)]


def test_nothing_is_said_of_a_sound_release():
    data = table(town="other")
    assert codes(data, dc.MDAV(k=5).mask(data)) == []


def test_each_weak_choice_is_named():
    data = table()
    assert codes(data, schema_given=False) == ["no-schema"]
    assert codes(table(ill="key")) == ["no-confidential"]
    assert codes(data, dc.MDAV(k=2).mask(data)) == ["small-k", "key-unmasked"]
    assert codes(data, dc.PRAM().mask(data), seed_given=False) == ["key-unmasked", "no-seed"]
    assert "identifiers-present" in codes(table(passport="other"), dc.MDAV(k=5).mask(table(passport="other")))


def test_identifiers_are_found_in_a_release_that_somebody_else_made():
    data = table()
    assert "identifiers-present" in codes(data, data)


def test_risks_are_read_with_the_method_in_mind():
    data = table()
    masked = dc.PRAM(random_state=1).mask(data)
    found = codes(data, masked, dc.assess(data, masked))
    assert "frequency-after-perturbation" in found
    unmasked = dc.assess(table(passport="key"), table(passport="key"))
    assert "uniques-left" in codes(data, None, unmasked)


def test_every_remark_is_a_sentence_with_a_hint_and_no_value():
    data = table(ill="key", passport="other")
    for advice in advise(data, dc.MDAV(k=2).mask(data), schema_given=False):
        assert advice.sentence.endswith(".")
        assert advice.hint.endswith(".")
        assert "P00" not in advice.sentence + advice.hint
        assert set(advice.to_dict()) == {"code", "sentence", "hint"}


@pytest.mark.parametrize("k", [3, 10])
def test_three_is_enough(k):
    data = table(town="other")
    assert "small-k" not in codes(data, dc.MDAV(k=k).mask(data))


def test_a_protocol_is_looked_at_before_it_is_run():
    data = table()

    def said(*steps, schema=data.schema, original=None):
        return [advice.code for advice in advise_protocol(Protocol(schema, steps), original)]

    assert said(Step("mixed-mdav", {"k": 5})) == []
    assert said(Step("mixed-mdav", {"k": 2})) == ["small-k"]
    assert said(Step("mdav", {"k": 5, "attributes": ["age"]})) == ["key-unmasked"]
    assert said(Step("mdav", {"attributes": ["age"]}), Step("pram", {"attributes": ["town"]})) == []
    assert said(Step("mdav", {"attributes": ["age"]}), Step("identifiers")) == ["key-unmasked"]
    assert said(Step("mixed-mdav"), schema=table(ill="other").schema) == ["no-confidential"]
    loose = table(passport="other")
    assert said(Step("mixed-mdav"), schema=loose.schema, original=loose) == ["identifiers-present"]
    assert said(Step("mixed-mdav"), schema=data.schema, original=data) == []
    found = advise_protocol(Protocol(data.schema, [Step("mdav", {"attributes": ["age"]})]))
    assert "would be released as it came: town" in found[0].sentence


def test_a_study_is_looked_at_too_and_a_method_is_named_once():
    data = table()
    maskers = [dc.MDAV(k=2), dc.MDAV(k=2, attributes=["age"]), dc.MDAV(k=5), dc.KModes(k=2)]
    assert [a.code for a in advise_study(data, maskers)] == ["small-k", "small-k"]
    assert [a.code for a in advise_study(data, [dc.MDAV(k=3)], schema_given=False)] == ["no-schema"]
    assert [a.code for a in advise_study(table(passport="other"), [dc.MDAV(k=3)])] == ["identifiers-present"]


def test_copies_with_fresh_numbers_may_hold_other_identifiers():
    data = table()
    assert advise_tables({"a": data}, {"a": "passport"}) == ()
    found = advise_tables({"a": data, "b": data.select(["age", "town"])}, {"a": "town", "b": "town"})
    assert [a.code for a in found] == ["identifiers-present"]
    assert found[0].sentence.startswith("a: ")
    assert "P0001" not in str(found)


def test_aggregates_that_can_be_solved_are_named():
    frame = pl.DataFrame(
        {"age": [20 + i % 50 for i in range(60)], "w": [1.5 + i for i in range(60)], "ill": ["y", "n"] * 30}
    )
    schema = Schema(
        [
            Attribute("age", Numeric(), "key"),
            Attribute("w", Numeric(), "weight"),
            Attribute("ill", Nominal(("n", "y")), "confidential"),
        ]
    )
    data = dc.microdata(frame, schema)
    assert codes(data, dc.MixedMDAV(k=4).mask(data)) == []
    assert codes(data, dc.MixedMDAV(k=4, weighted=True).mask(data)) == ["solvable-aggregates"]
    assert codes(data, dc.MDAV(k=4, decimals="exact").mask(data)) == ["solvable-aggregates"]
    asked = [Step("mondrian", {"k": 4, "weighted": True, "decimals": "exact"}), Step("pram", {"weighted": True})]
    said = [advice for advice in advise_protocol(Protocol(schema, asked)) if advice.code == "solvable-aggregates"]
    assert [advice.sentence.split(":")[0] for advice in said] == [
        "mondrian was asked for aggregates with survey weights and all digits"
    ]


def said(remarks):
    return [(remark.code, remark.sentence) for remark in remarks]


# ---------------------------------------------------------------------------------------------- sentences, word by word


def test_what_is_no_release_or_assessment_is_refused():
    data = table()
    for args, word in (
        ((data.to_native(),), "original"),
        ((data, "mdav"), "masked"),
        ((data, None, 3.0), "assessment"),
    ):
        with pytest.raises(DiscreetError, match=rf"advise: {word} must be"):
            advise(*args)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a"], "1 key is released as it came: a."),
        (["a", "b"], "2 keys are released as they came: a, b."),
        (list("abcde"), "5 keys are released as they came: a, b, c, d, e."),
        (list("abcdef"), "6 keys are released as they came: a, b, c, d, e and 1 more."),
    ],
)
def test_keys_that_came_through_are_counted_and_the_first_five_named(names, sentence):
    assert said([unmasked(names, sentence.split()[2])]) == [("key-unmasked", sentence)]


def test_one_key_is_and_several_are_released_as_they_came():
    data = table()
    one = advise(data, dc.MDAV(k=5).mask(data))
    assert said(one) == [("key-unmasked", "1 key is released as it came: town.")]
    more = advise(table(ill="key"), dc.MDAV(k=5).mask(table(ill="key")))
    assert said(more)[1:] == [("key-unmasked", "2 keys are released as they came: town, ill.")]
    # What is not released at all is not released as it came.
    masked = dc.MDAV(k=5).mask(data)
    gone = masked.microdata.select(["age", "ill"])
    assert said(advise(data, gone, provenance=masked.provenance)) == []


def test_thresholds_that_ask_for_nothing():
    assert advise_thresholds([]) == ()
    assert said(advise_thresholds(["a"])) == [
        ("threshold-met-unmasked",
         "a is met by the unmasked file already: such a threshold says nothing about the masking."),
    ]  # fmt: skip
    assert advise_thresholds(["a", "b"])[0].sentence.startswith("a, b are met by the unmasked file")


def test_small_groups_are_told_by_the_smallest_of_a_method():
    asked = [("a", 2), ("b", 3), ("a", 1), ("c", None), ("d", True), ("e", 2.0), ("f", 2), ("f", 2), ("g", 0), ("g", 1)]
    found = list(on_groups(asked))
    assert [(remark.code, remark.hint) for remark in found] == [("small-k", "Use k = 3 or more.")] * 3
    assert [re.findall(r"^(.*) was asked .* few as (\d) ", remark.sentence)[0] for remark in found] == [
        ("a", "1"), ("f", "2"), ("g", "0"),
    ]  # fmt: skip


def test_aggregates_are_told_with_what_can_be_solved_from_them():
    weighted = Schema([Attribute("age", Numeric(), "key"), Attribute("w", Numeric(), "weight")])
    plain = Schema([Attribute("age", Numeric(), "key")])

    def content(schema, method, **parameters):
        found = on_aggregates(
            schema, [("pram", {"weighted": True}), ("no-such-method", {"decimals": "exact"}), (method, parameters)]
        )
        return [re.findall("aggregates with (.*):", remark.sentence)[0] for remark in found]

    assert content(weighted, "mdav", weighted=True) == ["survey weights"]
    assert content(weighted, "mdav", weighted=False) == []
    assert content(plain, "mdav", weighted=True) == []
    assert content(plain, "mdav", decimals="exact") == ["all digits"]
    assert content(plain, "mdav", weighted=True, decimals="exact") == ["all digits"]
    assert content(weighted, "mdav", weighted=True, decimals="exact") == ["survey weights and all digits"]
    assert content(weighted, "mdav", decimals=2) == []


def test_identifiers_are_those_that_are_declared_and_those_that_look_like_it():
    data = table()
    assert said(on_identifiers(data)) == [
        ("identifiers-present", "The release still has 1 column that looks like identifiers: passport."),
    ]  # fmt: skip
    assert said(on_identifiers(data, ["passport"])) == []
    assert said(on_identifiers(table(passport="other"))) == said(on_identifiers(data))
    assert said(on_identifiers(table(passport="other"), ["passport"])) == []
    assert said(on_identifiers(table(passport="identifier", town="identifier"))) == [
        ("identifiers-present", "The release still has 2 columns that look like identifiers: passport, town."),
    ]  # fmt: skip
    # Names of nobody: an empty release, and one without any column that could be looked at.
    assert said(on_identifiers(table(passport="other").take(np.arange(0)))) == []
    assert said(on_identifiers(data.select(["passport"]))) == said(on_identifiers(data))


def test_identifiers_are_looked_for_in_files_as_in_memory(tmp_path):
    data = table(passport="other")
    dc.write(data, tmp_path / "a.parquet")
    assert said(on_identifiers(dc.scan(tmp_path / "a.parquet", data.schema))) == said(on_identifiers(data))


def test_a_seed_is_missed_only_where_something_was_drawn():
    data = table(town="other")
    assert codes(data, dc.MDAV(k=5).mask(data), seed_given=False) == []
    noisy = dc.methods("masker")["additive-noise"]().mask(data)
    assert codes(data, noisy, seed_given=False) == ["no-seed"]
    assert codes(data, noisy) == []
    assert codes(data, noisy.microdata, seed_given=False) == []


# ----------------------------------------------------------------------------------------------- remarks on the figures


def figure(name="x", kind="risk", value=10.0, *, in_score=False, title="X", **details):
    return Measurement(name, title, kind, value, 0.0, 100.0, "%", "", details=details, in_score=in_score)


def of_figures(*measurements, score=None, unmasked_risk=None, not_computed=()):
    """Return what is said of an assessment, apart from the schema."""
    score = score or Score("worst-case", 0.0, 0.0, 0.0, "")
    beside = None if unmasked_risk is None else Score("worst-case", 0.0, 0.0, unmasked_risk, "")
    whole = Assessment(80, (), measurements, score, not_computed, unmasked=beside)
    return said(advise(table(), None, whole))


def test_uniques_that_are_left_are_counted():
    assert of_figures(figure("uniques", uniques=0)) == []
    assert of_figures(figure("uniques")) == []
    assert of_figures(figure("uniques", uniques=1)) == [
        ("uniques-left", "1 of 80 released records is the only one with its combination of keys."),
    ]  # fmt: skip
    assert of_figures(figure("uniques", uniques=2)) == [
        ("uniques-left", "2 of 80 released records are the only ones with their combination of keys."),
    ]  # fmt: skip


def test_counts_of_equal_keys_say_little_after_untrue_values():
    assert [code for code, _ in of_figures(figure("uniques", perturbative=True))] == ["frequency-after-perturbation"]
    assert of_figures(figure("uniques", perturbative=False)) == []
    assert of_figures(figure("distance-linkage", perturbative=True)) == []


@pytest.mark.parametrize(
    ("risk", "loss", "unmasked_risk", "worse"),
    [
        (30, 5, 30, True),
        (31, 5, 30, True),
        (29, 5, 30, False),
        (30, 0, 30, False),
        (0, 5, 0, False),
        (30, 5, None, False),
    ],
)
def test_a_release_that_costs_and_risks_no_less_is_no_better(risk, loss, unmasked_risk, worse):
    score = Score("worst-case", 0.0, float(loss), float(risk), "", known=("age", "town"))
    expected = (
        "no-better", f"The release risks as much as the unmasked file, {risk}.0 %, and lost {loss}.0 %.",
    )  # fmt: skip
    assert of_figures(score=score, unmasked_risk=unmasked_risk) == [expected] * worse
    other = Score("mean", 0.0, float(loss), float(risk), "")
    assert of_figures(score=other, unmasked_risk=unmasked_risk) == []


def test_the_hint_of_a_release_that_is_no_better_names_the_keys():
    score = Score("worst-case", 0.0, 1.0, 30.0, "", known=("age", "town"))
    whole = Assessment(80, (), (), score, unmasked=Score("worst-case", 0.0, 0.0, 30.0, ""))
    (remark,) = advise(table(), None, whole)
    assert remark.hint == "Mask the keys by which records are found: age, town."


def test_an_incomplete_worst_case_is_told():
    score = Score("worst-case", 0.0, 0.0, 12.0, "", incomplete=("Not this.", "Nor that."))
    assert of_figures(score=score) == [
        ("incomplete-risk", "The risk is at least 12.0 %; it is not the whole worst case: Not this. Nor that."),
    ]  # fmt: skip


def test_what_reaches_more_than_guessing_is_told():
    assert of_figures(figure(value=10.0, guessing_percent=4)) == [
        ("above-guessing", "X: 10.0 %, where guessing reaches 4.0 %."),
    ]  # fmt: skip
    assert of_figures(figure(value=4.0, guessing_percent=4)) == []
    assert of_figures(figure(value=10.0)) == []
    assert of_figures(figure(value=10.0, guessing_percent=4, in_score=True)) == []
    assert of_figures(figure(kind="loss", value=10.0, guessing_percent=4)) == []


def test_measures_that_leave_something_out_are_told_with_what_it_is():
    def stand(*measurements, not_computed=()):
        return [
            re.findall("measures stand (.*): values", text)[0]
            for _, text in of_figures(*measurements, not_computed=not_computed)
        ]

    one = figure("a", "loss", in_score=True, title="A", not_compared=["town", "age"])
    same = figure("b", "loss", in_score=True, title="B", left_out=["age", "town"])
    other = figure("c", "loss", in_score=True, title="C", left_out=["ill"], not_compared=["ill"])
    whole = figure("d", "loss", in_score=True, title="D")
    assert stand(whole) == []
    assert stand(figure("e", "loss", title="E", not_compared=["town"])) == []
    assert stand(one) == ["without age, town"]
    assert stand(one, same) == ["without age, town"]
    assert stand(one, whole) == ["without age, town in A"]
    assert stand(one, other, same) == ["without age, town in A, B and without ill in C"]
    gap = NotComputed("g", "G", "loss", "no.", in_score=True)
    beside = NotComputed("h", "H", "loss", "no.")
    assert stand(whole, not_computed=(beside,)) == []
    assert stand(whole, not_computed=(gap, beside)) == ["without the measures that could not be computed (G)"]
    assert stand(one, not_computed=(gap,)) == [
        "without age, town and without the measures that could not be computed (G)"
    ]
