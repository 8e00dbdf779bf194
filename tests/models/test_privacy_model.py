"""What every privacy model says of itself unless it knows better."""

from __future__ import annotations

import pytest

from discreet import models
from discreet.errors import ParameterError
from discreet.models.privacy_model import MODELS, Demand, PrivacyModel

NAMES = ("age", "sex", "area")


class Anything(PrivacyModel):
    """A model that demands nothing and says nothing of itself."""

    name = "anything"

    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        return [Demand(0, self.columns(names))]


def test_a_model_that_says_nothing_is_of_single_classes_of_all_keys() -> None:
    one = Anything()
    assert (one.monotone, one.steadfast, one.of_file) == (True, False, False)
    assert (one.confidential, one.people, one.smallest, one.keys) == (None, None, 1, None)
    assert one.columns(NAMES) == NAMES
    assert Anything.examples() == [one]
    assert one.to_dict() == {"model": "anything", "keys": None}
    assert (repr(one), repr(Anything(keys=["sex"]))) == ("Anything()", "Anything(keys=['sex'])")


def test_keys_are_those_of_the_table_in_its_order_and_no_others() -> None:
    assert Anything(keys=["area", "age"]).columns(NAMES) == ("age", "area")
    with pytest.raises(ParameterError, match="Anything: keys names 'job', which is not among the 3 keys"):
        Anything(keys=["sex", "job", "pay"]).columns(NAMES)
    # What a model protects is no key of its classes, unless it is named.
    assert models.LDiversity(2, "sex").columns(NAMES) == ("age", "area")
    assert models.LDiversity(2, "sex", keys=["sex"]).columns(NAMES) == ("sex",)


def test_models_are_equal_that_are_of_one_kind_with_the_same_parameters() -> None:
    assert Anything() == Anything()
    assert Anything() != Anything(keys=["sex"])
    assert models.K(3) != models.KM(3, 1)
    assert models.K(3) != "K(k=3)"
    assert hash(models.K(3)) == hash(models.K(3))
    assert len({models.K(2), models.K(2), models.K(3), models.HighestRisk(0.5)}) == 3


def test_parameters_outside_of_their_bounds_are_refused() -> None:
    models.K(1).check()
    with pytest.raises(ParameterError, match="K: k must be"):
        models.K(0).check()
    with pytest.raises(ParameterError, match="Anything: keys must be"):
        Anything(keys=3).check()  # type: ignore[arg-type]


EXAMPLES = {
    "k": [models.K(3), models.K({1: 4, 2: 2})],
    "k-map": [],
    "presence": [],
    "km": [models.KM(3, 2)],
    "highest-risk": [models.HighestRisk(0.2)],
    "average-risk": [models.AverageRisk(0.05)],
    "population-uniqueness": [models.PopulationUniqueness(0.01, 1000)],
    "l-diversity": [
        models.LDiversity(2, "s"),
        models.LDiversity(2, "s", kind_of="entropy"),
        models.LDiversity(2, "s", kind_of="recursive", c=2.0),
    ],
    "t-closeness": [
        models.TCloseClasses(0.3, "s"),
        models.TCloseClasses(0.3, "s", distance="ordered"),
        models.TCloseClasses(0.3, "s", distance="hierarchical"),
    ],
    "beta-likeness": [models.BetaLikeness(1.0, "s"), models.BetaLikeness(1.0, "s", enhanced=True)],
    "delta-disclosure": [models.DeltaDisclosure(1.5, "s")],
    "alpha-k": [models.AlphaK(0.7, 2, "s")],
    "no-attack": [models.NoAttack(300, 4)],
    "profitability": [models.Profitability(1200, 300, 300, 4), models.Profitability(10, 30, 5, 1)],
}


def test_every_model_has_its_examples() -> None:
    assert {name: cls.examples() for name, cls in MODELS.classes().items()} == EXAMPLES


SAID = {
    "k": (True, True, False),
    "k-map": (True, True, False),
    "km": (True, True, False),
    "highest-risk": (True, True, False),
    "average-risk": (True, False, True),
    "population-uniqueness": (True, False, True),
    "t-closeness": (True, False, False),
    "beta-likeness": (True, False, False),
    "delta-disclosure": (True, False, False),
    "alpha-k": (True, False, False),
    "no-attack": (True, True, False),
    "profitability": (False, False, False),
}
"""Whether a coarser table keeps the model, whether a record does, and whether it is of all classes together."""


@pytest.mark.parametrize("name", SAID)
def test_what_models_say_about_generalising(name: str) -> None:
    cls = MODELS.named(name)
    assert (cls.monotone, cls.steadfast, cls.of_file) == SAID[name]
