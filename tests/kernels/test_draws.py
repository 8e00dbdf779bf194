"""The small stream of random numbers: published outputs, and what is made of them."""

from __future__ import annotations

import numpy as np

from discreet.kernels.draws import below, next_bits, uniform


def splitmix64(state: int) -> tuple[int, int]:
    """The definition of Steele, Lea and Flood, in whole numbers of Python."""
    full = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & full
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & full
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & full
    return state, z ^ (z >> 31)


def test_bits_are_those_of_the_definition() -> None:
    state, seed = np.array([1234567], dtype=np.uint64), 1234567
    drawn = [int(next_bits(state)) for _ in range(5)]
    expected = []
    for _ in range(5):
        seed, bits = splitmix64(seed)
        expected.append(bits)
    assert drawn == expected
    # The first numbers of seed 1234567, as implementations of the method print them.
    assert drawn[:3] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_and_places_follow_from_the_bits() -> None:
    state, seed = np.array([9], dtype=np.uint64), 9
    for n in (1, 2, 7, 1000):
        seed, bits = splitmix64(seed)
        assert uniform(state) == (bits >> 11) / 2**53
        seed, bits = splitmix64(seed)
        assert below(state, n) == int((bits >> 11) / 2**53 * n)
