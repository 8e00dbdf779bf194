"""The sample of searches."""

from __future__ import annotations

from collections import Counter

import discreet as dc


def test_most_words_are_of_few_people_and_most_searches_are_not():
    people = dc.datasets.searches(600, 3)
    logs = people.column("SEARCHES").to_pylist()
    assert all(3 <= len(log) <= 13 for log in logs)
    asked = Counter(word for log in logs for word in set(" ".join(log).split()))
    assert sum(count < 3 for count in asked.values()) > len(asked) / 2
    assert asked.most_common(1)[0][1] > 200
    assert people.column("SEARCHES").to_pylist() == dc.datasets.searches(600, 3).column("SEARCHES").to_pylist()
