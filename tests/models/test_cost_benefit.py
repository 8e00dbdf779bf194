"""Models of cost and benefit: what they enforce, promise and measure."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import models
from discreet.errors import ParameterError
from discreet.kernels.generalising.class_rules import POPULATION, PROFIT, PROFIT_OF_PEOPLE, SIZE
from discreet.models.model_text import read_model
from discreet.models.privacy_model import Demand

TREE = dc.Hierarchy([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])


def table(seed=1, n=60):
    rng = np.random.default_rng(seed)
    schema = dc.Schema([dc.Attribute(name, dc.Nominal("abcd"), "key") for name in ("x", "y")])
    drawn = {name: rng.choice(list("aaabbcd"), n).tolist() for name in ("x", "y")}
    return dc.Microdata(pl.DataFrame(drawn), schema)


def paid(released, game):
    """Return the payouts of released records, by the definition."""
    below = {"a": 1, "b": 1, "c": 1, "d": 1, "ab": 2, "cd": 2, "*": 4}
    records = list(zip(*released, strict=True))
    counts = Counter(records)
    result = []
    for record in records:
        lost = sum(math.log(below[cell]) for cell in record) / (2 * math.log(4))
        among = counts[record]
        attacked = game.gain / among > game.cost
        result.append(game.benefit * (1 - lost) - (game.loss / among if attacked else 0))
    return result


@pytest.mark.parametrize("seed", range(4))
def test_every_released_record_pays_and_the_note_says_how_much(seed):
    game = models.Profitability(10, 60, 30, 4)
    data = table(seed)
    masker = dc.Generalisation([game], {"x": TREE, "y": TREE}, objective="payout", suppression=1.0)
    masked = masker.mask(data)
    released = [masked.microdata.column(name).to_pylist() for name in ("x", "y")]
    payouts = paid(released, game)
    assert min(payouts) > 0
    assert masked.provenance.details["value"] == pytest.approx(1 - sum(payouts) / (60 * 10))
    assert any(f"Expected payout {sum(payouts):,.6g} of at most 600" in note for note in masked.provenance.notes)
    measured = dc.PayoutMissed(benefit=10, loss=60, gain=30, cost=4, hierarchies={"x": TREE, "y": TREE})
    assert measured.measure(data, masked).value == pytest.approx(100 * masked.provenance.details["value"])


def test_the_payout_is_promised_and_counted_again_on_what_is_released():
    data, game = table(), models.Profitability(10, 60, 30, 4)
    masked = dc.Generalisation([game], {"x": TREE, "y": TREE}, suppression=1.0).mask(data)
    promise = next(one for one in masked.provenance.guarantees if one.rule is not None)
    assert promise.rule.kind == "profit"
    assert "more than it costs" in promise.sentence
    from discreet.data.promised_rules import RuleCount

    for frame, broken in ((masked.to_native(), False), (data.to_native(), True)):
        count = RuleCount(promise.rule, promise.attributes, None, {})
        count.add(frame)
        assert bool(count.short()[1]) == broken


def test_no_attack_is_a_size():
    model = models.NoAttack(gain=30, cost=4)
    assert model.smallest == 8
    masked = dc.Generalisation([model], {"x": TREE, "y": TREE}, suppression=0.5).mask(table())
    sizes = Counter(zip(*(masked.microdata.column(name).to_pylist() for name in ("x", "y")), strict=True))
    assert min(sizes.values()) >= 8
    assert dc.RecordsWorthAttack(gain=30, cost=4).measure(table(), masked).value == 0
    assert dc.RecordsWorthAttack(gain=30, cost=4).measure(table(), table()).value > 0


SMALL = [(30, 4, 8), (30, 5, 6), (0.3, 0.1, 3), (1, 4, 1), (4, 4, 1), (4.1, 4, 2)]
"""What a record brings, what an attempt costs, and how many must share their keys."""


@pytest.mark.parametrize(("gain", "cost", "smallest"), SMALL)
def test_so_many_share_their_keys_that_a_guess_pays_no_more_than_it_costs(gain, cost, smallest):
    model = models.NoAttack(gain, cost)
    assert model.smallest == smallest
    assert model.demands(("x", "y")) == [Demand(SIZE, ("x", "y"), low=gain / cost)]


def test_among_people_or_on_some_keys_no_size_of_a_class_is_known(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("x,y\na,b\na,\n", encoding="utf-8")
    some, among = models.NoAttack(30, 4, keys=["y"]), models.NoAttack(30, 4, population=str(file))
    assert some.demands(("x", "y")) == [Demand(SIZE, ("y",), low=7.5)]
    assert among.demands(("x", "y")) == [Demand(POPULATION, ("x", "y"), low=7.5)]
    assert (some.smallest, among.smallest) == (1, 1)
    game = models.Profitability(10, 60, 30, 4)
    assert game.demands(("x", "y")) == [Demand(PROFIT, ("x", "y"), low=0.0, first=6.0, second=7.5)]
    assert game.smallest == 1
    with_people = models.Profitability(10, 60, 30, 4, population=str(file))
    assert with_people.demands(("x",)) == [Demand(PROFIT_OF_PEOPLE, ("x",), low=0.0, first=6.0, second=7.5)]
    for model in (among, with_people):
        assert model.people.column("y").to_pylist() == ["b", None]
    assert (some.people, game.people) == (None, None)


def test_models_are_read_from_text():
    assert read_model("profitability=10 60 30 4") == models.Profitability(10.0, 60.0, 30.0, 4.0)
    assert read_model("no-attack=30 4").smallest == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 2, "objective": "payout"}, "one profitability for a payout; got 0"),
        ({"models": [models.Profitability(), models.Profitability(5)]}, "one profitability for a payout; got 2"),
        ({"models": [models.Profitability()], "local": True}, "local must be False"),
        ({"models": [models.Profitability(keys=["x"])]}, "keys must be None"),
        ({"models": [models.Profitability(benefit=0)]}, "benefit must be"),
    ],
)
def test_bad_input_gets_its_sentence(arguments, words):
    with pytest.raises(ParameterError, match=words):
        dc.Generalisation(hierarchies={"x": TREE, "y": TREE}, **arguments).mask(table())
