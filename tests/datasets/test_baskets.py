"""The sample of baskets."""

from __future__ import annotations

import numpy as np

import discreet as dc
from discreet.datasets.baskets import GOODS, baskets_items


def test_everybody_buys_something_and_habits_show():
    sold = dc.datasets.baskets(600, 3)
    baskets = sold.column("BASKET").to_pylist()
    assert all(baskets)
    assert set().union(*baskets) == set(GOODS)
    share = {good: sum(good in basket for basket in baskets) / 600 for good in GOODS}
    with_pasta = [basket for basket in baskets if "pasta" in basket]
    assert sum("cheese" in basket for basket in with_pasta) / len(with_pasta) > 2 * share["cheese"]
    assert sold.column("BASKET").to_pylist() == dc.datasets.baskets(600, 3).column("BASKET").to_pylist()


def test_a_seed_names_the_baskets():
    bought, card = baskets_items(3, 1)
    assert [[GOODS[j] for j in np.flatnonzero(row)] for row in bought] == [
        ["apples", "eggs", "flour", "sugar"],
        ["oil", "tomatoes"],
        ["bread", "butter", "cheese", "coffee", "jam", "soap"],
    ]
    assert card.tolist() == [True, False, True]
    bought, card = baskets_items(600, 20)
    places = np.arange(1, 601)
    assert (bought.sum(), (places @ bought @ np.arange(1, 25)), card.sum(), places @ card) == (
        2635,
        9387927,
        223,
        65111,
    )
    shop = dc.datasets.baskets(3, 1)
    assert shop.column("CUSTOMER").to_pylist() == [1, 2, 3]
    assert shop.column("CARD").to_pylist() == ["yes", "no", "yes"]
    assert shop.column("BASKET").to_pylist()[1] == ["oil", "tomatoes"]
