"""What would be tried of a file nobody has said anything about, by the kinds of its keys."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.microdata import microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.release.ceilings import release_type
from discreet.release.proposed_chains import propose_alternatives, rounding_bases

RESEARCH = release_type("research")
SIZES = [3, 5, 10]
TAILS = {"method": "top-coding", "share": [0.01, 0.05], "optional": True}
RARE = {"method": "global-recoding", "p": [2, 5], "optional": True}
SUPPRESS = {"method": "local-suppression", "k": [3, 5]}
MONDRIAN = {"method": "mondrian", "k": SIZES}
MDAV = {"method": "mdav", "k": SIZES}
PRAM = {"method": "pram", "theta": [0.1, 0.3]}


def schema(numbers=0, categories=0, sequences=0):
    attributes = [Attribute(f"n{i}", Numeric(), "key") for i in range(numbers)]
    attributes += [Attribute(f"c{i}", Nominal(("a", "b")), "key") for i in range(categories)]
    attributes += [Attribute(f"s{i}", Sequence(("a", "b")), "key") for i in range(sequences)]
    return Schema([*attributes, Attribute("other", Numeric(), "other")])


def test_numbers_alone():
    noise = [{"method": "rank-swapping", "p": [5, 15]}, {"method": "additive-noise", "level": [0.1, 0.3]},
             {"method": "correlated-noise", "level": [0.1, 0.3]}]  # fmt: skip
    ranking = {"method": "individual-ranking", "k": SIZES}
    expected = [[TAILS, {"any_of": [MDAV, ranking, MONDRIAN]}], [TAILS, {"any_of": noise}]]
    assert propose_alternatives(schema(2), 100_000, RESEARCH) == expected
    assert propose_alternatives(schema(2), 100_001, RESEARCH)[0] == [TAILS, {"any_of": [ranking, MONDRIAN]}]
    gaps = propose_alternatives(schema(2), 100, RESEARCH, {"n1": 3})
    assert gaps[0][1]["any_of"][0] == {**MDAV, "missing": "pattern"}
    assert propose_alternatives(schema(2), 100, RESEARCH, {"n1": 0, "other": 9}) == expected


def test_categories_alone():
    kmodes = {"method": "kmodes", "k": SIZES}
    expected = [
        [RARE, {"any_of": [SUPPRESS, kmodes, MONDRIAN]}],
        [RARE, {"method": "pram", "theta": [0.1, 0.3, 0.6]}],
        [{"method": "generalisation", "k": [3, 5], "suppression": 0.05}],
    ]
    assert propose_alternatives(schema(0, 12), 100, RESEARCH) == expected
    many = propose_alternatives(schema(0, 13), 100, RESEARCH)
    assert many == [[RARE, {"any_of": [kmodes, MONDRIAN]}], expected[1]]


def test_numbers_and_categories():
    numbers = ["n0", "n1"]
    tails = {**TAILS, "attributes": numbers}
    swapped = [{"method": "rank-swapping", "p": [5, 15], "attributes": numbers}, PRAM]
    noise = [{"method": "additive-noise", "level": [0.1, 0.3]}, PRAM]
    expected = [
        [tails, RARE, {"any_of": [MONDRIAN, {"method": "mixed-mdav", "k": SIZES}]}],
        [RARE, {**MDAV, "k": [3, 5]}, SUPPRESS],
        swapped,
        noise,
    ]
    assert propose_alternatives(schema(2, 1), 100, RESEARCH) == expected
    rounded = propose_alternatives(schema(2, 1), 100, RESEARCH, bases={"n0": 5.0})
    assert rounded == [*expected[:2], [{"method": "rounding", "base": {"n0": 5.0}}, RARE, SUPPRESS], swapped, noise]
    assert propose_alternatives(schema(2, 11), 100, RESEARCH, bases={"n0": 5.0})[1][0] == swapped[0]
    large = propose_alternatives(schema(2, 1), 200_000, RESEARCH)
    assert large[0] == [tails, RARE, {"any_of": [MONDRIAN]}]
    assert large[1] == [RARE, {"method": "mondrian", "k": [3, 5], "attributes": numbers}, SUPPRESS]


def test_sequences_are_grouped_beside_any_of_these():
    def step(name):
        return {"any_of": [{"method": "sequence-mdav", "k": SIZES, "attributes": [name]}]}

    assert propose_alternatives(schema(0, 0, 2), 100, RESEARCH) == [[step("s0"), step("s1")]]
    both = propose_alternatives(schema(2, 0, 1), 100, RESEARCH)
    assert [plan[-1] for plan in both] == [step("s0")] * 2
    assert propose_alternatives(schema(), 100, RESEARCH) == []


@pytest.mark.parametrize(
    ("values", "base"),
    [(np.arange(101.0), 5.0), (np.arange(101.0) * 2.3, 20.0), (np.arange(101.0) / 500, 0.01), (np.full(9, 3.0), None)],
)
def test_round_numbers_of_which_the_values_span_about_ten(values, base):
    table = microdata(pa.table({"x": values}), Schema([Attribute("x", Numeric(), "key")]))
    assert rounding_bases(table) == ({} if base is None else {"x": pytest.approx(base)})
