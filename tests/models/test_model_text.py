from __future__ import annotations

import pytest

from discreet import models
from discreet.errors import ParameterError, UnknownNameError
from discreet.models.model_text import ModelList, read_model
from discreet.models.privacy_model import MODELS
from discreet.parameters import Control


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("k=5", models.K(5)),
        ("k=1:20+2:10", models.K({1: 20, 2: 10})),
        ("k=3 keys=age+sex", models.K(3, keys=["age", "sex"])),
        ("l-diversity=2 salary", models.LDiversity(2.0, "salary")),
        (
            'l-diversity=2 "net salary" kind_of=recursive c=3',
            models.LDiversity(2.0, "net salary", kind_of="recursive", c=3.0),
        ),
        ("t-closeness=0.2 job distance=hierarchical", models.TCloseClasses(0.2, "job", distance="hierarchical")),
        ("beta-likeness=1 job enhanced=true", models.BetaLikeness(1.0, "job", enhanced=True)),
        ("delta-disclosure=1.5 job", models.DeltaDisclosure(1.5, "job")),
        ("alpha-k=0.7 3 job", models.AlphaK(0.7, 3, "job")),
        ("km=5 2", models.KM(5, 2)),
        ("average-risk=0.05", models.AverageRisk(0.05)),
        ("highest-risk=0.2", models.HighestRisk(0.2)),
        ("population-uniqueness=0.01 1000", models.PopulationUniqueness(0.01, 1000)),
    ],
)
def test_text_is_the_model(text, model):
    assert read_model(text) == model


def test_what_is_mistyped_is_told():
    with pytest.raises(UnknownNameError, match="no privacy model named 'l-divesity'. Did you mean 'l-diversity'"):
        read_model("l-divesity=2 job")
    with pytest.raises(ParameterError, match="AverageRisk: risk must be a number above 0"):
        read_model("average-risk=2")
    with pytest.raises(ParameterError, match="K: k must be an integer"):
        read_model("k=many")
    with pytest.raises(ParameterError, match=r"AverageRisk: .*more parameters than it has \(.*risk"):
        read_model("average-risk=0.1 0.2")
    with pytest.raises(ParameterError, match="LDiversity: a quotation mark is not closed"):
        read_model('l-diversity=2 "net salary')
    with pytest.raises(ParameterError, match="LDiversity: there is no parameter 'kind'. Did you mean 'kind_of'"):
        read_model("l-diversity=2 pay kind=entropy")
    with pytest.raises(ParameterError, match="KM: m must be an integer.*; got 'two'"):
        read_model("km=5 m=two")
    with pytest.raises(ParameterError, match="sensitive must be given"):
        read_model("l-diversity=2")
    with pytest.raises(ParameterError, match="keys names 'a'"):
        models.K(2, keys=["a"]).demands(("b",))


def test_a_list_is_read_from_text_and_from_files():
    one = ModelList()
    assert (
        one.parse("k=5, average-risk=0.1")
        == one.parse("k=5; average-risk=0.1")
        == one.read(["k=5", "average-risk=0.1"])
    )
    assert not one.accepts([])
    assert not one.accepts("k=5")
    assert one.accepts([models.K(5)])
    assert one.accepts((models.K(5), models.KM(2, 1)))
    assert not one.accepts([models.K(5), "k=5"])
    assert not one.accepts(models.K(5))
    assert one.parse(" k=5 ;; average-risk=0.1,") == [models.K(5), models.AverageRisk(0.1)]
    for text in ("", " ; , "):
        with pytest.raises(ValueError, match="^"):
            one.parse(text)
    assert one.read("k=5") == [models.K(5)]
    # What is read already stays, and what cannot be read is left to the check.
    for value in ([models.K(5)], [models.K(5), "k=5"], 3):
        assert one.read(value) is value
    assert one.control() == Control("text")
    assert one.describe().startswith("a list of privacy models (alpha-k, average-risk, ")
    assert one.describe().endswith("), such as 'k=5; l-diversity=2 NAME'")


def test_parameters_go_by_position_until_they_are_named():
    assert read_model("k") == models.K(5)
    assert read_model(" k =3") == models.K(3)
    assert read_model("l-diversity=sensitive=pay 2") == models.LDiversity(2.0, "pay")
    assert read_model("km=5 2 items=milk+bread") == models.KM(5, 2, items=["milk", "bread"])
    # A name that holds an equals sign is one if no parameter could be meant.
    assert read_model("l-diversity=2 Pay=net") == models.LDiversity(2.0, "Pay=net")


def test_every_model_is_described():
    for name, cls in MODELS.classes().items():
        assert cls.name == name
        assert cls.title
        assert "References" in cls.__doc__
        for model in cls.examples():
            model.check()
