from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import catalogue
from discreet.data.scales import Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import DataError, DiscreetError, ParameterError, UnknownNameError
from discreet.operators import (
    OWA,
    WOWA,
    ChoquetIntegral,
    ConvexHull,
    CWOWMedian,
    Defuzzifier,
    FuzzyMeasure,
    MedianSelection,
    NumericMedian,
    OrdinalMedian,
    QuasiArithmeticMean,
    WeightedOrderStatistic,
    WOWTransformation,
    operator_named,
    operator_names,
)
from discreet.operators.typed_operator import (
    OPERATOR_TEXT,
    OPERATORS_BY_NAME,
    OperatorText,
    as_operator,
    kinds_of,
    split_operators,
    stands_for,
    typed_names,
)

# Every operator as it is typed, with collections of three for those that fix the number of sources.
NUMBERS = {
    "choquet-integral": "choquet:0,0.2,0.5,0.6,0.1,0.7,0.5,1",
    "mean": "mean",
    "mean-hierarchy": "mean-hierarchy:log@0.2,0.3,0.5 & power:2@0.6,0.2,0.2 > power:1@0.25,0.75",
    "numeric-median": "median:upper",
    "numeric-order-statistic": "order-statistic:2",
    "owa": "owa:most",
    "quasi-mean": "power-mean:p=2",
    "quasi-weighted-mean": "quasi-weighted-mean:log",
    "sugeno-integral": "sugeno:possibility:0.3,1,0.6 strict=no",
    "symmetric-sugeno": "symmetric-sugeno:most strict=no",
    "trimmed-mean": "trimmed-mean:proportion=0.2",
    "weighted-mean": "weighted-mean",
    "wowa": "wowa:quantifier=linear:0.3,0.8 weights=0.2,0.3,0.5",
}
LEVELS = {
    "convex-weighted-median": "convex-weighted-median",
    "cwow-median": "cwow-median:alpha=0.5,beta=0.3",
    "cwow-plurality": "cwow-plurality:most",
    "defuzzifier": "defuzzifier:convex-hull > wow:2 > median",
    "least-distance": "least-distance",
    "linguistic-owa": "linguistic-owa:vector=0.5,0.3,0.2",
    "linguistic-wowa": "linguistic-wowa:most",
    "ordinal-choquet": "choquet:measure=0,2,1,4,3,5,5,8 logic=minimum rounding=up",
    "ordinal-median": "median",
    "ordinal-order-statistic": "order-statistic:2",
    "ordinal-sugeno": "sugeno:0,1,1,2,1,2,2,3",
    "ordinal-weighted-mean": "ordinal-weighted-mean:nilpotent-minimum",
    "plurality": "mode",
    "semantics-mean": "semantics-mean",
    "weighted-max": "weighted-max",
    "weighted-median": "weighted-median",
    "weighted-min": "weighted-min",
    "weighted-order-statistic": "maximum",
    "wow": "wow:operator=(weighted-order-statistic:share=0.3) alpha=2",
}
GRADES = Ordinal(["none", "some", "much", "all"], IntervalSemantics((0, 2, 3, 5), (2, 3, 5, 9)))


def numbers(n=30):
    draws = np.random.default_rng(5)
    schema = dc.Schema([dc.Attribute("wage", dc.Numeric(), "key"), dc.Attribute("rent", dc.Numeric(), "key")])
    columns = {"wage": draws.integers(10, 900, n), "rent": draws.integers(1, 99, n)}
    return dc.microdata({name: column.astype(float).tolist() for name, column in columns.items()}, schema)


def levels(n=30):
    draws = np.random.default_rng(6)
    schema = dc.Schema([dc.Attribute("grade", GRADES, "key"), dc.Attribute("wage", dc.Numeric(), "key")])
    return dc.microdata(
        {
            "grade": [GRADES.levels[i] for i in draws.integers(0, 4, n)],
            "wage": draws.integers(10, 900, n).astype(float).tolist(),
        },
        schema,
    )


def test_the_texts_here_name_every_operator_once():
    assert sorted([*NUMBERS, *LEVELS]) == sorted(operator_names())
    for kind, texts in (("numeric", NUMBERS), ("ordinal", LEVELS)):
        for name, text in texts.items():
            assert as_operator(text, GRADES if kind == "ordinal" else kind).name == name


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_every_operator_on_numbers_masks_by_its_text(name):
    data = numbers()
    typed = dc.MDAV(3, operator=NUMBERS[name], decimals="exact").mask(data)
    made = dc.MDAV(3, operator=as_operator(NUMBERS[name], "numeric"), decimals="exact").mask(data)
    np.testing.assert_array_equal(typed.microdata.encoded("wage"), made.microdata.encoded("wage"))
    assert typed.provenance.to_dict(internal=True)["parameters"]["operator"] == NUMBERS[name]


@pytest.mark.parametrize("name", sorted(LEVELS))
def test_every_operator_on_levels_masks_by_its_text(name):
    data = levels()
    typed = dc.MixedMDAV(3, operators=f"grade={LEVELS[name]}").mask(data)
    made = dc.MixedMDAV(3, operators={"grade": as_operator(LEVELS[name], GRADES)}).mask(data)
    np.testing.assert_array_equal(typed.microdata.encoded("grade"), made.microdata.encoded("grade"))


@pytest.mark.parametrize(
    ("text", "scale", "twin", "collection"),
    [
        ("owa:power:2", None, OWA("power:2"), [0.0, 4.0, 9.0]),
        ("owa:weights=0.5,0.5,0", None, OWA(weights=[0.5, 0.5, 0]), [1.0, 7.0, 3.0]),
        ("wowa:power:2 weights=0.5,0.25,0.25", None, WOWA("power:2", [0.5, 0.25, 0.25]), [0.0, 4.0, 9.0]),
        ("power-mean:-1", None, QuasiArithmeticMean("power:-1"), [1.0, 2.0, 4.0]),
        ("geometric-mean", None, QuasiArithmeticMean("log"), [1.0, 2.0, 4.0]),
        ("median", "numeric", NumericMedian(), [1.0, 2.0, 9.0, 10.0]),
        ("median:upper", "ordinal", OrdinalMedian("upper"), [0, 1, 2, 3]),
        ("minimum", "ordinal", WeightedOrderStatistic(0.0), [3, 1, 2]),
        ("cwow-median:alpha=2 beta=0.3", GRADES, CWOWMedian(2.0, beta=0.3), [0, 1, 1, 3]),
        ("choquet:additive:0.25,0.75", None, ChoquetIntegral(FuzzyMeasure.additive([0.25, 0.75])), [8.0, 4.0]),
        (
            "defuzzifier:convex-hull > wow:2 > median:0.5,lower",
            GRADES,
            Defuzzifier([ConvexHull(), WOWTransformation(2.0), MedianSelection(0.5, side="lower")], n_levels=4),
            [0, 0, 3, 3],
        ),
    ],
)
def test_a_text_means_what_the_object_means(text, scale, twin, collection):
    assert as_operator(text, scale)(collection) == twin(collection)


def test_the_power_mean_of_one_and_seven_is_five():
    # √((1 + 49) / 2) = 5, and Q(x) = x² gives the smaller of two values 3/4 of the weight.
    assert as_operator("power-mean:p=2")([1.0, 7.0]) == pytest.approx(5.0)
    assert as_operator("owa:power:2")([1.0, 7.0]) == pytest.approx(0.25 * 7 + 0.75)


def test_numbers_alone_are_weights_where_a_quantifier_is_meant():
    assert as_operator("owa:0.75, 0.25")([1.0, 7.0]) == pytest.approx(0.75 * 7 + 0.25)
    assert as_operator("owa:1,0,0")([1.0, 7.0, 3.0]) == 7.0
    assert as_operator("owa:linear:0,0.5")([1.0, 7.0]) == 7.0  # a quantifier's own numbers stay its own
    with pytest.raises(ParameterError, match="sum"):
        as_operator("owa:0.5,0.6")([1.0, 7.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("medan", "Did you mean 'median'"),
        ("trimed-mean:0.2", "Did you mean 'trimmed-mean'"),
        ("owa:mosst", "Did you mean 'most'"),
        ("owa", "either quantifier or weights"),
        ("cwow-median:alfa=2", "Did you mean 'alpha'"),
        ("cwow-median:alpha=2 alpha=3", "alpha is given twice"),
        ("trimmed-mean:0.7", "proportion must be a number at least 0 and below 0.5"),
        ("trimmed-mean:much", "proportion must be a number"),
        ("mean:3", "has no parameters"),
        ("maximum:3", "has no parameters"),
        ("choquet:0,0.5", "must be 1"),
        ("choquet:addtive:1", "Did you mean 'additive'"),
        ("ordinal-weighted-mean:minimun", "Did you mean 'minimum'"),
        ("defuzzifier:convexhull > median", "Did you mean 'convex-hull'"),
        ("defuzzifier:convex-hull", "selection"),
        ("mean-hierarchy:log", "layers must be"),
        ("symmetric-sugeno:most strict=perhaps", "strict must be"),
        ("wow:mean", "WOW"),
        ("owa:weights=0.5,0.6", "sum"),
        ("owa:weights=a,b", "numbers with commas"),
    ],
)
def test_what_cannot_be_meant_is_answered_at_the_door(text, words):
    assert words in OperatorText("numeric", "ordinal").reason(text)
    with pytest.raises(ParameterError, match="operators must be") as caught:
        dc.MixedMDAV(3, operators=text).mask(levels())
    assert words in str(caught.value)


def test_a_name_that_nobody_has_is_an_unknown_name():
    with pytest.raises(UnknownNameError, match="Did you mean 'owa'"):
        as_operator("owaa")
    with pytest.raises(ParameterError, match="got a int"):
        as_operator(3)


def test_an_operator_must_fit_what_it_is_for():
    with pytest.raises(ParameterError, match="aggregates ordinal values"):
        dc.MDAV(3, operator="cwow-median").mask(numbers())
    with pytest.raises(ParameterError, match="neither a masked attribute"):
        dc.MixedMDAV(3, operators="town=median").mask(levels())
    with pytest.raises(ParameterError, match="two for numeric values"):
        dc.MixedMDAV(3, operators="mean; median").mask(levels())
    with pytest.raises(DataError, match="collections"):
        dc.MDAV(4, operator="owa:weights=0.5,0.3,0.2").mask(numbers())


def test_one_text_serves_every_scale_it_fits_and_a_named_attribute_comes_first():
    data = levels()
    release = dc.MixedMDAV(3, operators="median; wage=maximum").mask(data)
    twin = dc.MixedMDAV(
        3, operators={"grade": OrdinalMedian(), "wage": as_operator("maximum", "numeric")}
    ).mask(data)  # fmt: skip
    for name in ("grade", "wage"):
        np.testing.assert_array_equal(release.microdata.encoded(name), twin.microdata.encoded(name))


def test_the_points_of_a_quantifier_keep_their_semicolons():
    named, general = split_operators("wage=owa:points:0,0;0.5,1;1,1; median")
    assert named == {"wage": "owa:points:0,0;0.5,1;1,1"}
    assert general == ["median"]


def test_survey_weights_are_no_levels():
    schema = dc.Schema([dc.Attribute("grade", GRADES, "key"), dc.Attribute("w", dc.Numeric(), "weight")])
    data = dc.microdata({"grade": [GRADES.levels[i % 4] for i in range(12)], "w": [2.0] * 12}, schema)
    with pytest.raises(ParameterError, match="takes no weights"):
        dc.MixedMDAV(3, operators="weighted-max", weighted=True).mask(data)


def test_short_words_stand_for_registered_operators():
    for meanings in stands_for().values():
        for kind, text in meanings.items():
            assert text.partition(":")[0] in operator_names()
            assert kind in operator_named(text.partition(":")[0]).scales


def test_a_protocol_holds_the_text():
    data = numbers()
    step = dc.release.Step("mdav", {"k": 3, "operator": "owa:most"})
    protocol = dc.Protocol(data.schema, [step], seed=1)
    again = dc.Protocol.from_toml(protocol.to_toml())
    assert again == protocol
    built = catalogue.build("masker", "mdav", dict(again.steps[0].parameters))
    assert repr(built) == repr(dc.MDAV(k=3, operator="owa:most"))
    with pytest.raises(ParameterError, match="Line 3: .*operator must be .*Did you mean 'most'"):
        catalogue.build("masker", "mdav", {"operator": "owa:mst"}, "Line 3")


@given(st.text(max_size=30))
def test_no_text_does_anything_but_mean_an_operator_or_be_refused(text):
    assert isinstance(OperatorText("numeric", "ordinal", "nominal").accepts(text), bool)


@pytest.mark.parametrize(
    ("text", "scale", "shown"),
    [
        ("MEDIAN", "numeric", "NumericMedian(middle='mean')"),
        (" median : upper ", "ordinal", "OrdinalMedian(side='upper')"),
        ("mode", None, "Plurality()"),
        ("minimum", "numeric", "NumericOrderStatistic(rank=1)"),
        ("maximum", "numeric", "NumericOrderStatistic(rank=-1)"),
        ("minimum", "ordinal", "WeightedOrderStatistic(share=0.0)"),
        ("maximum", "ordinal", "WeightedOrderStatistic(share=1.0)"),
        ("order-statistic:2", "ordinal", "OrdinalOrderStatistic(rank=2)"),
        ("order-statistic:rank=2", None, "NumericOrderStatistic(rank=2)"),
        ("harmonic-mean", None, "power:-1"),
        ("quadratic-mean", None, "power:2"),
        ("power-mean", None, "power:1"),
        ("power-mean: p = 3", None, "power:3"),
        ("cwow-median:2", GRADES, "CWOWMedian(alpha=2.0, quantifier=None, "),
        ("cwow-median:most", GRADES, "CWOWMedian(alpha=1.0, quantifier=Linear(low=0.3, high=0.8), "),
        ("cwow-median:convex=no", GRADES, "convex=False"),
        ("owa:quantifier=(power:2)", None, "OWA(quantifier=Power(alpha=2.0), weights=None)"),
        ("owa:0.5,0.3,0.2,", None, "weights=array([0.5, 0.3, 0.2])"),
        ("linguistic-owa:vector=0.5,0.5", GRADES, "vector=[0.5, 0.5]"),
        ("ordinal-weighted-mean:ordinal-sum:2", GRADES, "OrdinalLogic(ordinal_sum, n_levels=4)"),
        ("ordinal-weighted-mean:ordinal-sum", GRADES, "OrdinalLogic(ordinal_sum, n_levels=4)"),
        ("ordinal-weighted-mean", GRADES, "OrdinalLogic(lukasiewicz, n_levels=4)"),
        ("ordinal-weighted-mean:minimum rounding=up", GRADES, "OrdinalLogic(minimum, n_levels=4), rounding='up'"),
        ("weighted-max", GRADES, "WeightedMax(n_levels=4)"),
        ("weighted-max", None, "WeightedMax(n_levels=64)"),
        ("sugeno:0,1,1,3", GRADES, "OrdinalSugeno(measure=[0, 1, 1, 3], n_levels=4)"),
        ("ordinal-sugeno:0,1,1,3", None, "OrdinalSugeno(measure=[0, 1, 1, 3], n_levels=None)"),
        ("semantics-mean", GRADES, "low=(0.0, 2.0, 3.0, 5.0)"),
        ("defuzzifier:normalisation > most-possible > alpha-cut:0.5 > plurality", GRADES, "AlphaCut("),
        ("defuzzifier:wow > rage", GRADES, "WOWTransformation(alpha=1.0, quantifier=None)"),
        ("defuzzifier:wow:most > random", GRADES, "WOWTransformation(alpha=1.0, quantifier=Linear(low=0.3, high=0.8))"),
        ("defuzzifier:choquet > median:0.3", GRADES, "MedianSelection(beta=0.3, side='upper')"),
        ("defuzzifier:choquet:each > mean", GRADES, "ChoquetTransformation(normalisation='each')"),
        ("symmetric-sugeno:most strict=1", None, "strict=True"),
        ("symmetric-sugeno:most strict=NO", None, "strict=False"),
        ("sugeno:necessity:0.3,1,0.6", "numeric", "SugenoIntegral(measure=FuzzyMeasure(n=3)"),
        ("choquet:sugeno-lambda:0.2,0.3", "numeric", "ChoquetIntegral(measure=FuzzyMeasure(n=2))"),
        ("choquet:subsets:0,0.2,0.5,1", "numeric", "ChoquetIntegral(measure=FuzzyMeasure(n=2))"),
    ],
)
def test_a_text_is_read_with_its_parameters(text, scale, shown):
    assert shown in repr(as_operator(text, scale))


@pytest.mark.parametrize(
    ("text", "scale", "words"),
    [
        ("mode", "numeric", "mode aggregates ordinal and nominal values; the attribute is numeric"),
        ("geometric-mean", "ordinal", "geometric-mean aggregates numeric values; the attribute is ordinal"),
        ("geometric-mean:3", None, "geometric-mean has no parameters; got '3'"),
        ("semantics-mean", Ordinal("abc"), "The attribute's scale has no intervals behind its levels"),
        ("choquet:additive:a,b", "numeric", "measure must be numbers with commas between them, one for each set"),
        ("linguistic-owa:vector=a", GRADES, "vector must be numbers with commas between them; got 'a'"),
        ("mean-hierarchy:log@a", "numeric", "layers must be means such as log@0.5,0.5"),
        ("cwow-median:plain-sigmoid:0.5", GRADES, r"quantifier must have Q\(0\) = 0 and Q\(1\) = 1"),
        ("symmetric-sugeno:most strict=2x", None, "strict must be"),
        ("ordinal-weighted-mean:ordinal-summ", GRADES, "Did you mean 'ordinal-sum'"),
        ("defuzzifier:alpha-cut:much > median", GRADES, "steps must be steps with > between them"),
    ],
)
def test_a_text_that_cannot_be_meant_says_why(text, scale, words):
    with pytest.raises(DiscreetError, match=words):
        as_operator(text, scale)


def test_kinds_are_those_on_which_a_text_means_something():
    assert kinds_of("median") == {"numeric", "ordinal"}
    assert kinds_of(" Mode ") == {"ordinal", "nominal"}
    assert kinds_of("owa:most") == {"numeric"}
    assert kinds_of("choquet:0,0.5,0.5,1") == {"numeric"}
    assert kinds_of("median:upper") == {"numeric", "ordinal"}
    with pytest.raises(DiscreetError, match="NumericMedian"):
        kinds_of("median:sideways")


def test_a_constraint_says_what_it_takes():
    numbers_only, every = OperatorText("numeric"), OperatorText("numeric", "ordinal")
    assert numbers_only.describe() == 'an operator on numbers, or its text such as "owa:most"'
    assert every.describe() == 'an operator, or its text such as "cwow-median:2"'
    assert numbers_only.parse(" owa:most ") == "owa:most"
    assert (numbers_only.accepts(OWA("power:2")), numbers_only.accepts(3), numbers_only.reason(3)) == (True, False, "")
    assert numbers_only.reason("cwow-median") == "'cwow-median' aggregates ordinal values."
    assert every.reason("cwow-median") == ""
    control = numbers_only.control()
    assert control.kind == "text"
    assert {"median", "owa", "power-mean"} <= set(control.choices)
    assert not {"cwow-median", "mode"} & set(control.choices)
    assert set(control.choices) < set(typed_names())
    assert list(typed_names()) == sorted({*operator_names(), *stands_for()})


def test_several_texts_are_one_for_each_attribute_or_for_what_they_fit():
    several = OPERATORS_BY_NAME.inner.inner[1]
    assert several.accepts("owa:most; RENT=median")
    assert not several.accepts("  ")
    assert not several.accepts(3)
    assert (several.reason(3), several.reason("owa:most; mode")) == ("", "")
    assert "Did you mean 'most'" in several.reason("median; RENT=owa:mosst")
    assert several.reason("RENT=mean; RENT=median") == "'RENT' has two operators."
    assert several.parse(" mean ; ") == "mean ;"
    assert several.describe() == 'texts such as "owa:most; RENT=median"'
    assert several.control() == OperatorText("numeric", "ordinal", "nominal").control()
    assert split_operators(" ; mean;; A = owa:weights=0.5,0.5 ") == ({"A": "owa:weights=0.5,0.5"}, ["mean"])
    assert split_operators("owa:weights=0.5,0.5") == ({}, ["owa:weights=0.5,0.5"])
    assert OPERATOR_TEXT.accepts(None)
    assert OPERATORS_BY_NAME.accepts({"wage": "mean", "grade": OrdinalMedian()})
