"""The sample of searches."""

from __future__ import annotations

import json
import zlib
from collections import Counter

import discreet as dc
from discreet.datasets.searches import searches_queries


def test_most_words_are_of_few_people_and_most_searches_are_not():
    people = dc.datasets.searches(600, 3)
    logs = people.column("SEARCHES").to_pylist()
    assert all(3 <= len(log) <= 13 for log in logs)
    asked = Counter(word for log in logs for word in set(" ".join(log).split()))
    assert sum(count < 3 for count in asked.values()) > len(asked) / 2
    assert asked.most_common(1)[0][1] > 200
    assert people.column("SEARCHES").to_pylist() == dc.datasets.searches(600, 3).column("SEARCHES").to_pylist()


def test_a_seed_names_the_searches():
    assert searches_queries(2, 1) == [
        ["online bank", "flu symptoms", "back pain", "train timetable", "headache causes", "family norsteinau",
         "back pain", "news", "flu symptoms", "headache causes", "salary calculator", "job offers"],
        ["stadium tickets", "stadium tickets", "train timetable", "family belzellau", "transfer news", "back pain",
         "football results", "football results", "flu symptoms", "league table", "football results"],
    ]  # fmt: skip
    logs = searches_queries(600, 20)
    assert (sum(map(len, logs)), min(map(len, logs)), max(map(len, logs))) == (5027, 3, 13)
    assert zlib.crc32(json.dumps(logs).encode()) == 2459063502
    people = dc.datasets.searches(2, 1)
    assert people.column("SEARCHES").to_pylist() == searches_queries(2, 1)
    assert people.column("PERSON").to_pylist() == [1, 2]
    assert [(a.name, a.role) for a in people.schema] == [("PERSON", "identifier"), ("SEARCHES", "key")]
