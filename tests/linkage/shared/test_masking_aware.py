"""What is concluded from a known masking, piece by piece."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.linkage.shared import masking_aware
from discreet.linkage.shared.masking_aware import (
    MaskingAwareLinkage,
    _chances,
    _names,
    _scaled,
    _within_groups,
)
from discreet.linkage.shared.yardstick import prepare

X = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])


def numbers(x, y):
    return Microdata(pl.DataFrame({"x": x, "y": y}, schema={"x": pl.Float64, "y": pl.Float64}), X)


def made(names, n=4, **fields):
    parameters = fields.pop("parameters", {})
    return Provenance("made", parameters, tuple(names), n, **fields)


A = numbers([1.0, 2.0, 2.0, 5.0], [4.0, 3.0, 2.0, 1.0])
B = numbers([2.0, 3.0, 0.0, 6.0], [4.0, 3.0, 2.0, 1.0])


def in_values(limits, terms, p, a, name):
    """Return limits of coordinates as the values of A that they stand for."""
    points, values = terms.a_numbers[:, p], a.numeric((name,))[:, 0]
    near = [[values[np.argmin(np.abs(points - bound))] for bound in side[:, p]] for side in limits]
    return list(zip(*near, strict=True))


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        # Ranks are counted from the first and the last record of an equal value, and end with the file.
        (1, [(2, 2), (5, 2), (1, 1), (5, 5)]),
        (25, [(1, 5), (2, 5), (1, 1), (5, 5)]),
        (49.9, [(1, 5), (2, 5), (1, 1), (5, 5)]),
        (50, [(1, 5), (2, 5), (1, 2), (2, 5)]),
    ],
)
def test_a_window_is_so_many_ranks_of_the_first_file(p, expected) -> None:
    terms = prepare("X", A, B, ("x", "y"))
    limits = MaskingAwareLinkage(p=p)._limits(terms, None)
    assert limits is not None
    found = in_values(limits, terms, 0, A, "x")
    assert found[0] == expected[0]
    assert found[2][0] == expected[2][0]
    if p >= 25:
        assert found[1] == expected[1]
        assert found[3][1] == expected[3][1]


def test_windows_come_from_the_masking_and_what_it_left_alone_stays() -> None:
    terms = prepare("X", A, B, ("x", "y"))
    linker = MaskingAwareLinkage()
    lowest, highest = linker._limits(terms, made(["x", "y"], details={"window": {"x": 1}}))
    assert np.isfinite(lowest[:, 0]).all()
    assert np.isneginf(lowest[:, 1]).all()
    assert np.isposinf(highest[:, 1]).all()
    assert in_values((lowest, highest), terms, 0, A, "x")[0] == (1, 5)
    # y was not masked: it is what it was, but for what a file format rounds.
    lowest, highest = linker._limits(terms, made(["x"]))
    assert np.isneginf(lowest[:, 0]).all()
    assert lowest[:, 1] == pytest.approx(terms.b_numbers[:, 1], abs=1e-8)
    assert (highest[:, 1] - lowest[:, 1]) == pytest.approx(2e-9 * np.abs(terms.b_numbers[:, 1]), rel=1e-4)
    # A window that somebody gives comes first; without any, nothing is bounded.
    given = MaskingAwareLinkage(p=25)._limits(terms, made(["x"], details={"window": {"x": 4}}))
    assert in_values(given, terms, 0, A, "x")[0] == (1, 5)
    assert linker._limits(terms, made(["x", "y"])) is None
    assert linker._limits(terms, None) is None


LEVELS = Schema([Attribute("v", Nominal("pq"), "key"), Attribute("w", Ordinal("st"), "key")])
RECODED = Schema([Attribute("v", Nominal("pq"), "key"), Attribute("w", Ordinal("stu"), "key")])


def levels(v, w, schema=LEVELS):
    return Microdata(pl.DataFrame({"v": v, "w": w}), schema)


FIRST, SECOND = levels(["p", "q"], ["s", None]), levels(["q", "q"], ["t", "s"])


def test_a_level_that_was_left_alone_is_what_it_was() -> None:
    everything = {"v": np.ones((3, 3), dtype=bool)}
    release = levels(["q", "q", "p"], [None, "s", "t"])
    links = MaskingAwareLinkage().link(FIRST, Masked(release, made(["v"], transitions=everything)))
    # v may have become anything; w stayed, a missing value too, and t was nobody's.
    assert links.best.tolist() == [1, 0, -1]
    assert links.ties.tolist() == [1, 1, 0]
    both = MaskingAwareLinkage().link(FIRST, Masked(release, made(["v", "w"], transitions=everything)))
    assert (both.best >= 0).all()


MATRIX = np.array([[0.75, 0.25], [0.5, 0.5]])


def test_chances_are_those_of_the_masking_or_not_known() -> None:
    def chances(name, second=SECOND, **fields):
        return _chances(FIRST, second, made(fields.pop("masked", ["v"]), **fields), name, (3, 3))

    assert chances("w").tolist() == np.eye(3).tolist()
    # A missing value stays missing.
    of_matrix = chances("v", details={"matrices": {"v": MATRIX}})
    assert of_matrix.tolist() == [[0.75, 0.25, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    assert chances("v", details={"matrices": {"v": MATRIX}}, parameters={"strata": ["w"]}) is None
    assert chances("v", details={"matrices": {"w": MATRIX}}) is None
    assert chances("v") is None
    one = np.array([[False, True, False], [False, True, False], [False, False, True]])
    certain = chances("v", transitions={"v": one})
    assert certain.tolist() == [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    several = one | np.eye(3, dtype=bool)
    assert chances("v", transitions={"v": several}) is None
    # What does not speak of missing values leaves it open who was suppressed.
    assert chances("v", transitions={"v": one[:2, :2]}) is None
    assert chances("w", levels(["q"], ["u"], RECODED)) is None


KNOWN = {"details": {"matrices": {"v": MATRIX}}}


def test_where_all_chances_are_known_the_score_is_their_logarithm() -> None:
    a, b = levels(["p", "q"], ["s", "s"]), levels(["p", "q"], ["s", "s"])
    links = MaskingAwareLinkage().link(a, Masked(b, made(["v"], **KNOWN)))
    # A released p was p with a chance of 3/4 and q with one of 1/2, a released q with 1/4 and 1/2.
    assert (links.best.tolist(), links.second.tolist()) == ([0, 1], [1, 0])
    assert links.score == pytest.approx(-np.log([0.75, 0.5]), abs=1e-8)
    assert links.second_score == pytest.approx(-np.log([0.5, 0.25]), abs=1e-8)
    # Equal chances are ties, whatever the logarithm rounds.
    even = made(["v"], details={"matrices": {"v": np.full((2, 2), 0.5)}})
    assert MaskingAwareLinkage().link(a, Masked(b, even)).ties.tolist() == [2, 2]


def test_after_two_maskings_no_chance_is_known() -> None:
    a, b = levels(["p", "q"], ["s", "s"]), levels(["p", "q"], ["s", "s"])
    twice = made(["v"], **KNOWN, history=(made(["v"]), made(["v"])))
    links = MaskingAwareLinkage().link(a, Masked(b, twice))
    assert links.score.tolist() == [0.0, 0.0]
    assert links.second_score.tolist() == [1.0, 1.0]


def test_some_attributes_are_scaled_and_the_others_stay() -> None:
    schema = Schema([*(LEVELS[name] for name in "vw"), *(X[name] for name in "xy")])
    frame = {"v": ["p", "q"], "w": ["s", "t"], "x": [1.0, 3.0], "y": [0.0, 2.0]}
    data = Microdata(pl.DataFrame(frame), schema)
    for metric, factor in (("euclidean", 2.0), ("manhattan", 4.0)):
        terms = prepare("X", data, data, ("v", "w", "x", "y"), metric)
        scaled = _scaled(terms, [1], [0], 4.0)
        assert scaled.a_numbers[:, 0].tolist() == terms.a_numbers[:, 0].tolist()
        assert scaled.a_numbers[:, 1].tolist() == (factor * terms.a_numbers[:, 1]).tolist()
        assert scaled.b_numbers.tolist() == (terms.b_numbers * [1.0, factor]).tolist()
        assert scaled.grain.tolist() == (terms.grain * [1.0, factor]).tolist()
        assert scaled.tables[0].tolist() == (4 * terms.tables[0]).tolist()
        assert scaled.tables[1].tolist() == terms.tables[1].tolist()


GROUPED = numbers([0.0, 1.0, 10.0, 11.0], [0.0, 0.0, 0.0, 8.0])
CENTRES = numbers([0.5, 0.5, 10.5, 10.5], [0.0, 0.0, 0.0, 8.0])


def test_the_nearest_centre_of_a_block_is_an_attribute_and_scales_it() -> None:
    terms = prepare("X", GROUPED, CENTRES, ("x", "y"))
    known = made(["x"], labels=np.array([0, 0, 1, 1]))
    found = _within_groups(terms, known, InProcess(), MaskingAwareLinkage)
    assert found.categories == ("",)
    assert found.a_codes[:, 0].tolist() == found.b_codes[:, 0].tolist() == [0, 0, 1, 1]
    assert found.tables[0].tolist() == [[0.0, 4.0], [4.0, 0.0]]
    # Everybody lies half a unit from his centre: a term of one half.
    gaps = (found.a_numbers - found.b_numbers)[:, 0]
    assert gaps**2 == pytest.approx([0.5] * 4)
    assert found.a_numbers[:, 1].tolist() == terms.a_numbers[:, 1].tolist()
    assert found.grain[0] / terms.grain[0] == pytest.approx(found.a_numbers[0, 0] / terms.a_numbers[0, 0])


def test_distances_of_other_metrics_are_scaled_as_they_are() -> None:
    terms = prepare("X", GROUPED, CENTRES, ("x", "y"), "manhattan")
    found = _within_groups(terms, made(["x"], grouped=("x",)), InProcess(), MaskingAwareLinkage)
    assert np.abs(found.a_numbers - found.b_numbers)[:, 0] == pytest.approx([0.5] * 4)


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"labels": np.zeros((4, 2), dtype=int)}, 0),
        ({"labels": np.zeros((4, 2), dtype=int), "details": {"blocks": [["x"], ["y"]]}}, 2),
        ({"labels": np.zeros(4, dtype=int), "details": {"blocks": [["x"], ["y"]]}}, 0),
        ({"grouped": ("x", "y"), "details": {"blocks": [{"attributes": ["x"]}, ["y"]]}}, 2),
        ({"grouped": ("other",)}, 0),
        ({"grouped": ("x", "other")}, 1),
    ],
)
def test_blocks_are_those_that_the_masking_tells(fields, codes) -> None:
    terms = prepare("X", GROUPED, CENTRES, ("x", "y"))
    found = _within_groups(terms, made(["x", "y"], **fields), InProcess(), MaskingAwareLinkage)
    assert found.a_codes.shape == (4, codes)
    if not codes:
        assert found is terms
    assert _names({"attributes": ["x"], "k": 3}) == _names(["x"]) == ("x",)


def test_one_centre_or_too_many_tell_nothing(monkeypatch) -> None:
    known = made(["x"], grouped=("x",))
    one = prepare("X", GROUPED, numbers([5.5] * 4, [0.0, 0.0, 0.0, 8.0]), ("x", "y"))
    assert _within_groups(one, known, InProcess(), MaskingAwareLinkage) is one
    terms = prepare("X", GROUPED, CENTRES, ("x", "y"))
    monkeypatch.setattr(masking_aware, "_MOST_CELLS", 4)
    assert _within_groups(terms, known, InProcess(), MaskingAwareLinkage) is not terms
    monkeypatch.setattr(masking_aware, "_MOST_CELLS", 3)
    assert _within_groups(terms, known, InProcess(), MaskingAwareLinkage) is terms
    # Of long files, some records are looked at before all are.
    many = prepare("X", GROUPED, numbers([float(j) for j in range(10)], [0.0] * 10), ("x", "y"))
    monkeypatch.setattr(masking_aware, "_MOST_CELLS", 4)
    assert _within_groups(many, known, InProcess(), MaskingAwareLinkage) is many


def test_of_a_plain_file_nothing_is_known() -> None:
    linker = MaskingAwareLinkage()
    with pytest.raises(ParameterError, match="MaskingAwareLinkage: nothing is known of how the release was masked"):
        linker.link(A, B)
    release = Masked(B, made(["x", "y"], details={"window": {"x": 4, "y": 4}}))
    assert linker.link(A, release).best.tolist() == MaskingAwareLinkage(p=100).link(A, B).best.tolist()
    # What was known of one release is forgotten with it.
    with pytest.raises(ParameterError, match="nothing is known"):
        linker.link(A, B)
    assert [(one.p, one.one_to_one) for one in MaskingAwareLinkage.examples()] == [(100, False), (100, True)]


def test_second_best_are_left_out_where_nobody_asks() -> None:
    linker = MaskingAwareLinkage(p=100)
    assert linker.link(A, B).has_second
    assert not linker.link(A, B, second=False).has_second
