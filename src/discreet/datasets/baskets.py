"""Made-up baskets of a shop: sets of goods that go together, a few habits, and odd ones out."""

from __future__ import annotations

import numpy as np

from discreet.typing import BoolArray, RandomState

__all__ = ["GOODS", "baskets_items"]

GOODS = (
    "apples", "beer", "bread", "butter", "cheese", "coffee", "crisps", "eggs", "flour", "honey", "jam", "milk",
    "nappies", "oil", "onions", "pasta", "rice", "salad", "soap", "sugar", "tea", "tomatoes", "wine", "yoghurt",
)  # fmt: skip
"""What there is to buy, in order."""

_HABITS = (
    ("bread", "butter", "coffee", "jam", "milk"),
    ("cheese", "pasta", "tomatoes", "wine"),
    ("eggs", "flour", "milk", "sugar"),
    ("beer", "crisps", "nappies"),
    ("apples", "salad", "tea", "yoghurt"),
    ("oil", "onions", "rice", "tomatoes"),
)
_OFTEN = (0.3, 0.2, 0.12, 0.1, 0.18, 0.1)


def baskets_items(n: int, random_state: RandomState) -> tuple[BoolArray, BoolArray]:
    """Return who bought what, (n, goods), and who holds the shop's card.

    A basket follows one habit, sometimes two; goods of a habit are taken with a chance of 0.75, any others with 0.03.
    """
    rng = np.random.default_rng(random_state)
    habits = np.array([[good in habit for good in GOODS] for habit in _HABITS])
    first, second = (rng.choice(len(_HABITS), n, p=_OFTEN) for _ in range(2))
    both = rng.random(n) < 0.25
    likely = habits[first] | (habits[second] & both[:, None])
    bought = rng.random((n, len(GOODS))) < np.where(likely, 0.75, 0.03)
    bought[~bought.any(axis=1), GOODS.index("bread")] = True  # nobody leaves the shop with nothing
    return np.asarray(bought), np.asarray(rng.random(n) < 0.4)
