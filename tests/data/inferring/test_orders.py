"""Which categories are in an order, and in which."""

from __future__ import annotations

import pytest

from discreet.data.inferring.orders import in_order


@pytest.mark.parametrize(
    "ordered",
    [
        ("never", "rarely", "sometimes", "often", "always"),
        ("Sehr schlecht", "schlecht", "mittelmäßig", "gut", "sehr gut"),
        ("low", "high"),
        ("small", "medium", "large"),
        ("none", "primary", "secondary", "bachelor", "PhD"),
        ("pas d’accord", "neutral", "d'accord"),
        ("<10", "10-49", "50-249", "250+"),
        ("under 18", "18", "over 18"),
        ("18-24", "25-64", "65 and over"),
        ("bis 10", "ab 10"),
        ("10-20", "100-200", "1000-2000"),
        ("9th", "10th", "11th", "12th"),
    ],
)
def test_levels_from_lowest_to_highest(ordered):
    assert in_order(sorted(ordered, reverse=True)) == ordered
    assert in_order(sorted(ordered)) == ordered


@pytest.mark.parametrize(
    "levels",
    [
        ["gas", "oil"],
        ["no", "high"],  # two words may be anything
        ["small", "medium"],
        ["low"],
        ["low", "medium", "high", "blue"],
        ["1", "2", "3"],  # numbers alone are no bands
        ["10-20", "5", "6", "7"],  # one band of four is too few
        ["10-20", "10-30"],  # nothing tells which is lower
        [f"{i}-{i + 1}" for i in range(61)],
        [],
    ],
)
def test_levels_without_an_order(levels):
    assert in_order(levels) is None


def test_sixty_bands_are_put_in_order():
    bands = tuple(f"{10 * i}-{10 * i + 9}" for i in range(60))
    assert in_order(list(reversed(bands))) == bands
    assert in_order(["5", "10-20"]) == ("5", "10-20")
    assert in_order(["good", "gut", "bad", "fair"]) == ("bad", "fair", "good", "gut")
