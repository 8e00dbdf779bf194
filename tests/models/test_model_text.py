from __future__ import annotations

import pytest

from discreet import models
from discreet.errors import ParameterError, UnknownNameError
from discreet.models.model_text import ModelList, read_model
from discreet.models.privacy_model import MODELS


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
    with pytest.raises(ParameterError, match="more parameters"):
        read_model("average-risk=0.1 0.2")
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


def test_every_model_is_described():
    for name, cls in MODELS.classes().items():
        assert cls.name == name
        assert cls.title
        assert "References" in cls.__doc__
        for model in cls.examples():
            model.check()
