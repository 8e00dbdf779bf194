"""The sample of baskets."""

from __future__ import annotations

import discreet as dc
from discreet.datasets.baskets import GOODS


def test_everybody_buys_something_and_habits_show():
    sold = dc.datasets.baskets(600, 3)
    baskets = sold.column("BASKET").to_pylist()
    assert all(baskets)
    assert set().union(*baskets) == set(GOODS)
    share = {good: sum(good in basket for basket in baskets) / 600 for good in GOODS}
    with_pasta = [basket for basket in baskets if "pasta" in basket]
    assert sum("cheese" in basket for basket in with_pasta) / len(with_pasta) > 2 * share["cheese"]
    assert sold.column("BASKET").to_pylist() == dc.datasets.baskets(600, 3).column("BASKET").to_pylist()
