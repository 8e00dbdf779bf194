from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from discreet.contracts.links import Links
from discreet.errors import DataError, ParameterError
from discreet.linkage.chance import (
    Significance,
    _log_binomial_tail,
    _written,
    log_probability_at_least,
    log_probability_of,
    probability_at_least,
    probability_of,
    significance,
)
from discreet.reproduction.subjects.chance_links import TABLE_V, TABLE_VI, TABLE_VII


def read(table: str) -> list[tuple[int, float, float]]:
    rows = [line.split() for line in table.strip().splitlines()]
    return [(int(r), float(exactly), float(at_least)) for r, exactly, at_least in rows]


# The paper computed in single precision: its last printed digit is off by up to two.
@pytest.mark.parametrize(("n", "table", "relative"), [(33, TABLE_V, 2.5e-7), (8, TABLE_VI, 1.2e-7)])
def test_tables_v_and_vi_of_p1d(n: int, table: str, relative: float) -> None:
    for r, exactly, at_least in read(table):
        assert probability_of(r, n) == pytest.approx(exactly, rel=relative, abs=0)
        assert probability_at_least(r, n) == pytest.approx(at_least, rel=relative, abs=0)


def test_table_vii_of_p1d() -> None:
    for r, exactly, at_least in read(TABLE_VII):
        assert math.floor(probability_of(r, 4) * 1e6) == round(exactly * 1e6)
        assert math.floor(probability_at_least(r, 4) * 1e6) == round(at_least * 1e6)


def test_ten_of_thirty_three() -> None:
    assert f"{probability_at_least(10, 33):.7e}" == "1.1142548e-07"


@pytest.mark.parametrize("n", range(8))
def test_all_permutations_are_counted(n: int) -> None:
    counts = np.zeros(n + 1)
    for order in permutations(range(n)):
        counts[sum(place == thing for place, thing in enumerate(order))] += 1
    for r in range(n + 1):
        assert probability_of(r, n) == pytest.approx(counts[r] / math.factorial(n), abs=1e-16)
        assert probability_at_least(r, n) == pytest.approx(counts[r:].sum() / math.factorial(n), abs=1e-15)


@pytest.mark.parametrize("n", [5, 40, 150])
def test_logarithms_agree_and_go_on_where_doubles_end(n: int) -> None:
    for r in (0, 1, n // 2, n):
        assert math.exp(log_probability_of(r, n)) == pytest.approx(probability_of(r, n), rel=1e-10)
        assert math.exp(log_probability_at_least(r, n)) == pytest.approx(probability_at_least(r, n), rel=1e-10)
    assert log_probability_of(n - 1, n) == -math.inf
    assert probability_of(500, 1000) == probability_at_least(500, 1000) == 0.0
    assert log_probability_of(10**6, 10**6) == pytest.approx(-math.lgamma(10**6 + 1))
    assert log_probability_at_least(10**5, 10**6) == pytest.approx(-1 - math.lgamma(10**5 + 1), rel=1e-6)


def test_the_mean_number_of_correct_links_is_one() -> None:
    assert sum(r * probability_of(r, 60) for r in range(61)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("r", "n", "message"),
    [(-1, 3, "r must be an integer of at least 0; got -1"), (4, 3, "r must be at most n; got 4 of 3"), (1.5, 3, "r")],
)
def test_bad_counts_are_refused(r, n, message: str) -> None:
    for function in (probability_of, probability_at_least, log_probability_of, log_probability_at_least):
        with pytest.raises(ParameterError, match=message):
            function(r, n)


@pytest.mark.parametrize(("n", "longer"), [(0, 3), (1, 4), (2, 3), (3, 5), (4, 6), (5, 5)])
def test_files_of_different_length_are_counted(n: int, longer: int) -> None:
    counts = np.zeros(n + 1)
    for order in permutations(range(longer), n):
        counts[sum(place == thing for place, thing in enumerate(order))] += 1
    for r in range(n + 1):
        assert probability_of(r, n, longer) == pytest.approx(counts[r] / counts.sum(), abs=1e-15)
        assert math.exp(log_probability_of(r, n, longer)) == pytest.approx(counts[r] / counts.sum(), abs=1e-12)
        assert probability_at_least(r, n, longer) == pytest.approx(counts[r:].sum() / counts.sum(), abs=1e-15)


def test_a_few_records_among_many() -> None:
    # Nearly independent guesses: close to the binomial, and the mean is n / N.
    assert sum(r * probability_of(r, 20, 1000) for r in range(21)) == pytest.approx(0.02)
    assert log_probability_at_least(300, 1000, 10**6) < -1000
    with pytest.raises(ParameterError, match="among must be at least n; got 3 for 4"):
        probability_of(1, 4, 3)


def links_to(best, n_a: int) -> Links:
    best = np.asarray(best, dtype=np.int64)
    linked = best >= 0
    return Links(
        n_a=n_a,
        n_b=best.size,
        best=best,
        second=np.full(best.size, -1),
        score=np.zeros(best.size),
        second_score=np.zeros(best.size),
        ties=linked.astype(np.int64),
        tied_offsets=np.concatenate([[0], np.cumsum(linked)]),
        tied=best[linked],
        classes=np.arange(n_a),
        attributes=("x",),
    )


def test_significance_of_one_to_one_links() -> None:
    report = significance(links_to(range(33), 33))
    assert report.log_p_value == pytest.approx(-math.lgamma(34))
    assert (report.correct, report.chance, report.rate) == (33, 1, 1)
    assert not report.at_chance
    assert "33.0 of 33 links are correct" in report.sentence
    ten = significance(links_to([*range(10), *np.roll(np.arange(10, 33), 1)], 33))
    assert ten.p_value == pytest.approx(1.1142548e-7, rel=1e-6)
    assert ten.interval[0] < 10 / 33 < ten.interval[1]
    assert "probability 1.11e-07" in ten.sentence


def test_significance_of_nearest_links_is_binomial() -> None:
    report = significance(links_to([0, 1, 0, 0], 4))
    tail = sum(math.comb(4, s) * 0.25**s * 0.75 ** (4 - s) for s in (2, 3, 4))
    assert report.p_value == pytest.approx(tail)
    assert report.at_chance
    assert "at chance level" in report.sentence


def test_significance_where_files_differ() -> None:
    truth = np.array([5, 6, -1])
    report = significance(links_to([5, 6, 7], 20), truth)
    assert report.p_value == pytest.approx(probability_at_least(2, 2, 20))
    assert report.chance == pytest.approx(2 / 20)
    nobody = significance(links_to([1, 2, 3], 20), np.full(3, -1))
    assert (nobody.p_value, nobody.chance, nobody.correct) == (1, 0, 0)
    with pytest.raises(DataError, match="more than the 1 records of A"):
        significance(links_to([0, 0], 1), np.array([0, 0]))


def test_a_guesser_who_repeats_himself_is_told_apart_from_one_who_does_not() -> None:
    links = links_to([0, 1, 2, 4], 5)
    truth = np.array([0, 1, 3, -1])
    once, again = (significance(links, truth, one_to_one=how) for how in (True, False))
    assert significance(links, truth) == once
    assert once.log_p_value == pytest.approx(log_probability_at_least(2, 3, 5))
    tail = sum(math.comb(3, s) * 0.2**s * 0.8 ** (3 - s) for s in (2, 3))
    assert again.p_value == pytest.approx(tail)
    assert (once.chance, again.chance) == (pytest.approx(3 / 5), pytest.approx(3 / 5))
    # The longer file is the second: of its records a guesser chooses.
    longer = significance(links_to([0, 1, -1, -1], 2), np.array([0, 1, -1, -1]))
    assert longer.chance == pytest.approx(2 / 4)
    assert longer.p_value == pytest.approx(probability_at_least(2, 2, 4))
    # Whoever is taken twice, or ties, is not one to one.
    assert significance(links_to([0, 0], 2)).p_value == pytest.approx(3 / 4)
    tied = replace(links_to([0, 1], 2), ties=np.array([1, 2]))
    assert significance(tied).p_value == pytest.approx(3 / 4)


def test_shared_ties_are_rounded_down_and_what_rounding_took_is_given_back() -> None:
    base = links_to([0, 1, 2], 3)
    halves = replace(base, ties=np.array([2, 2, 1]))
    assert significance(halves).p_value == pytest.approx(
        sum(math.comb(3, s) / 3**s * (2 / 3) ** (3 - s) for s in (2, 3))
    )
    thirds = replace(base, ties=np.array([3, 3, 3]))
    assert significance(thirds).correct == pytest.approx(1)
    assert significance(thirds).p_value == pytest.approx(1 - (2 / 3) ** 3)


@pytest.mark.parametrize(
    ("r", "n", "p", "expected"),
    [
        (0, 5, 0.5, 1.0),
        (-1, 5, 0.5, 1.0),
        (1, 0, 0.5, 1.0),
        (3, 3, 1.0, 1.0),
        (1, 3, 0.5, 7 / 8),
        (3, 3, 0.5, 1 / 8),
        (4, 10, 0.2, 0.1208738816),
        (1, 400, 0.9, 1.0),
        (360, 400, 0.9, 0.5419764223),
    ],
)
def test_tails_of_a_binomial(r, n, p, expected) -> None:
    assert math.exp(_log_binomial_tail(r, n, p)) == pytest.approx(expected, rel=1e-8)
    assert _log_binomial_tail(r, n, p) <= 0.0


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.5, "5.00e-01"), (0.01, "1.00e-02"), (1.1142548e-07, "1.11e-07"), (9.99e-13, "9.99e-13")],
)
def test_probabilities_are_written_however_small(probability, text) -> None:
    assert _written(math.log(probability) + 1e-12) == text
    assert _written(-1000.0) == "5.08e-435"


def test_the_finding_in_words() -> None:
    found = Significance(10.0, 33, 10 / 33, (0.174, 0.473), 1.0, 1.1e-7, math.log(1.1142548e-7))
    assert found.sentence == (
        "10.0 of 33 links are correct (30.3 %, interval 17.4–47.3 %); guessing finds 1.0, "
        "and as many with probability 1.11e-07."
    )
    by_chance = replace(found, p_value=0.051)
    assert by_chance.at_chance
    assert not replace(found, p_value=0.05).at_chance
    assert by_chance.sentence == (
        "10.0 of 33 links are correct (30.3 %, interval 17.4–47.3 %): no more than guessing finds (1.0); "
        "the linkage is at chance level."
    )


def test_counts_that_are_none_are_refused() -> None:
    for r, n, among, words in (
        (True, 3, None, "r must be an integer of at least 0; got True"),
        (1, -1, None, "n must be"),
        (1, 3, 2.5, "among must be"),
        (4, 3, 9, "r must be at most n; got 4 of 3"),
    ):
        with pytest.raises(ParameterError, match=words):
            probability_of(r, n, among)
    assert probability_of(np.int64(1), 3, 3) == pytest.approx(1 / 2)
