"""What the tests themselves draw where they give no seed."""

from __future__ import annotations

import random
import secrets

import pytest

from discreet.data.keyed_draws import drawn_seed


@pytest.fixture(scope="module")
def shared_seed():
    return drawn_seed()


@pytest.mark.parametrize("place", range(2))
def test_a_test_draws_what_follows_from_its_name(place, request):
    expected = random.Random(request.node.nodeid)  # noqa: S311 - the very draws that are expected
    assert [drawn_seed(), secrets.randbits(7)] == [expected.getrandbits(128), expected.getrandbits(7)]
    assert drawn_seed() != drawn_seed()


@pytest.mark.parametrize("asked_first", [True, False])
def test_what_tests_share_follows_from_its_own_name(shared_seed, asked_first):
    expected = random.Random("tests/test_repeated_chance.py::shared_seed[0]")  # noqa: S311 - as above
    assert shared_seed == expected.getrandbits(128)
