from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import BrokenGuaranteeError, ParameterError
from discreet.kernels.groups.t_close import distribution_distance, exchange_members
from discreet.masking.microaggregation.numbers.t_close import TCloseMDAV, _Confidential, _joined, _k_first, _t_first
from discreet.measures.risk.diversity import TCloseness
from discreet.progress import listening

KEYS = [Attribute("age", Numeric(), "key"), Attribute("rent", Numeric(), "key")]
WAGES = Schema([*KEYS, Attribute("wage", Numeric(), "confidential")])
ILLS = Schema([*KEYS, Attribute("ill", Nominal(["no", "cold", "flu"]), "confidential")])
ALGORITHMS = ["merge", "k-first", "t-first"]


def people(n=60, *, ills=False):
    draws = np.random.default_rng(11)
    age = draws.integers(18, 90, n)
    columns = {"age": age.astype(float), "rent": draws.integers(300, 2000, n).astype(float)}
    # What is confidential goes along with age, so that neighbours alone would tell it.
    if ills:
        return Microdata(pa.table(columns | {"ill": [("no", "cold", "flu")[min(a // 30, 2)] for a in age]}), ILLS)
    return Microdata(pa.table(columns | {"wage": (40 * age + draws.integers(0, 300, n)).astype(float)}), WAGES)


def earth_movers(values, whole, *, ordered):
    """By the definition: what has to cross from each place to the next, or from wherever there is too much."""
    places = sorted(set(whole))
    there, all_of = Counter(values), Counter(whole)
    gaps = [there[v] / len(values) - all_of[v] / len(whole) for v in places]
    if not ordered:
        return sum(gap for gap in gaps if gap > 0)
    return sum(abs(sum(gaps[: i + 1])) for i in range(len(places) - 1)) / max(len(places) - 1, 1)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.integers(1, 6), st.booleans())
def test_the_distance_is_that_of_the_definition(whole, size, ordered):
    codes = np.unique(whole, return_inverse=True)[1].ravel()
    members = list(range(min(size, len(whole))))
    counts = np.bincount(codes[members], minlength=codes.max() + 1)
    shares = np.bincount(codes) / codes.size
    expected = earth_movers([whole[i] for i in members], whole, ordered=ordered)
    assert distribution_distance(counts, len(members), shares, ordered) == pytest.approx(expected)


def test_an_exchange_by_hand():
    # Values 0 0 1 1: the group {0, 0} is 1/2 from the whole; with the first record of value 1 it is the whole's.
    codes, shares = np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    members = np.array([0, 1])
    exchange_members(members, np.array([2, 3]), codes, shares, True, 0.1)
    assert sorted(codes[members].tolist()) == [0, 1]
    assert members.tolist() == [2, 1]
    members = np.array([0, 1])
    exchange_members(members, np.array([2, 3]), codes, shares, True, 0.5)
    assert members.tolist() == [0, 1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("t", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("ills", [False, True], ids=["numbers", "categories"])
def test_k_and_t_hold_in_the_written_file(algorithm, t, ills, tmp_path):
    data = people(ills=ills)
    masked = TCloseMDAV(4, t, algorithm=algorithm).mask(data)
    dc.write(masked, tmp_path / "released.csv")
    with (tmp_path / "released.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    secret = "ill" if ills else "wage"
    whole = [row[secret] if ills else float(row[secret]) for row in rows]
    groups = defaultdict(list)
    for row, value in zip(rows, whole, strict=True):
        groups[row["age"], row["rent"]].append(value)
    assert min(map(len, groups.values())) >= 4
    farthest = max(earth_movers(group, whole, ordered=not ills) for group in groups.values())
    assert farthest <= t + 1e-9
    assert TCloseness().measure(data, masked).value == pytest.approx(100 * farthest)
    promises = masked.provenance.guarantees
    assert [promise.rule.high for promise in promises if promise.rule is not None] == [t]
    assert "wage is within" in promises[-1].sentence or "ill is within" in promises[-1].sentence


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_that_does_not_keep_t_is_not_put_in_place(algorithm, tmp_path):
    data = people()
    honest = TCloseMDAV(4, 0.1, algorithm=algorithm).mask(data)
    plain = dc.MDAV(4).mask(data)  # k holds and t does not
    with pytest.raises(BrokenGuaranteeError, match="do not keep what was promised"):
        dc.write(Masked(plain.microdata, replace(honest.provenance, changed={})), tmp_path / "released.csv")
    assert not list(tmp_path.iterdir())


def test_the_bound_of_t_first():
    """Soria-Comas and others 2015: one record from each of k stretches is within (n − k) / (2 (n − 1) k)."""
    n, k = 60, 5
    draws = np.random.default_rng(3)
    points = draws.normal(size=(n, 2))
    secret = _Confidential(draws.permutation(n), np.full(n, 1 / n), True)
    labels = _t_first(points, k, 1.0, secret)
    assert np.bincount(labels).tolist() == [k] * (n // k)
    bound = (n - k) / (2 * (n - 1) * k)
    assert max(secret.distance(np.flatnonzero(labels == group)) for group in range(n // k)) <= bound + 1e-12
    # The size that t asks for: n / (2 (n − 1) t + 1) = 60 / 6.9 gives 9 records, and 60 = 6 · 9 + 6 gives 10.
    assert np.bincount(_t_first(points, k, 0.05, secret)).tolist() == [10] * 6


@given(st.integers(7, 40), st.integers(2, 5), st.floats(0, 1))
def test_t_first_puts_everybody_in_a_group_of_at_least_k(n, k, t):
    draws = np.random.default_rng(n)
    codes = np.unique(draws.integers(0, 9, n), return_inverse=True)[1].ravel()
    labels = _t_first(draws.normal(size=(n, 1)), k, t, _Confidential(codes, np.bincount(codes) / n, True))
    assert labels.min() == 0
    assert np.bincount(labels).min() >= min(k, n)


def test_joining_is_that_of_the_slow_twin():
    draws = np.random.default_rng(5)
    points, codes = draws.normal(size=(24, 2)), np.arange(24) // 6
    secret = _Confidential(codes, np.bincount(codes) / 24, True)
    labels = np.arange(24) // 3
    for t in (0.05, 0.2, 0.4):
        groups = [list(range(3 * i, 3 * i + 3)) for i in range(8)]
        while len(groups) > 1:
            far = [earth_movers(codes[g].tolist(), codes.tolist(), ordered=True) for g in groups]
            if max(far) <= t:
                break
            worst = far.index(max(far))
            others = [i for i in range(len(groups)) if i != worst]
            centre = points[groups[worst]].mean(axis=0)
            near = min(others, key=lambda i: ((points[groups[i]].mean(axis=0) - centre) ** 2).sum())
            low, high = min(worst, near), max(worst, near)
            groups[low] = groups[low] + groups[high]
            del groups[high]
        joined = _joined(points, labels, t, [secret])
        assert [sorted(g) for g in groups] == [np.flatnonzero(joined == i).tolist() for i in range(joined.max() + 1)]


def test_a_smaller_t_costs_more_and_t_first_less_than_merging():
    data = people(200)
    losses = {
        (algorithm, t): dc.measure(data, TCloseMDAV(3, t, algorithm=algorithm).mask(data), "sse")[0].value
        for algorithm in ("merge", "t-first")
        for t in (0.05, 0.25)
    }
    assert losses["t-first", 0.05] < losses["merge", 0.05]
    assert losses["t-first", 0.25] < losses["t-first", 0.05]


def test_every_confidential_attribute_is_kept():
    data = people(80)
    table = data.to_arrow().append_column("ill", pa.array(["no", "flu", "cold", "no"] * 20))
    schema = Schema([*WAGES, Attribute("ill", Nominal(["no", "cold", "flu"]), "confidential")])
    masked = TCloseMDAV(3, 0.2).mask(Microdata(table, schema))
    assert [g.sensitive for g in masked.provenance.guarantees if g.rule is not None] == ["wage", "ill"]
    assert TCloseness().measure(Microdata(table, schema), masked).value <= 20 + 1e-9


def test_what_cannot_be_done_is_said():
    data = people()
    with pytest.raises(ParameterError, match="none is declared"):
        TCloseMDAV().mask(data.to_arrow().select(["age", "rent"]), Schema(KEYS))
    with pytest.raises(ParameterError, match="'wage' is sensitive and cannot be masked"):
        TCloseMDAV(attributes=["age", "wage"]).mask(data)
    with pytest.raises(ParameterError, match="t must be a number"):
        TCloseMDAV(3, 1.5).mask(data)


# ------------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize(
    ("algorithm", "t", "ages", "details"),
    [
        ("merge", 0.5, [20.5, 20.5, 30.5, 30.5], {"groups": 2, "groups_joined": 0, "t_reached": 0.5}),
        ("merge", 0.49, [25.5] * 4, {"groups": 1, "groups_joined": 1, "t_reached": 0.0}),
        ("t-first", 0.0, [25.5] * 4, {"groups": 1, "groups_joined": 0, "t_reached": 0.0}),
        # Numbers 1 to 4 are one in each half: 1/3 and 2/3 of the steps are crossed by a quarter.
        ("k-first", 0.0, [25.5] * 4, {"groups": 1, "groups_joined": 1, "t_reached": 0.0}),
    ],
)
def test_details_tell_how_many_groups_were_joined(algorithm, t, ages, details):
    schema = Schema([KEYS[0], Attribute("ill", Nominal(["no", "cold", "flu"]), "confidential")])
    people = pa.table({"age": [20.0, 21.0, 30.0, 31.0], "ill": ["no", "no", "flu", "flu"]})
    if algorithm == "k-first":
        people = people.set_column(1, "ill", pa.array(["no", "no", "no", "flu"]))
    masked = TCloseMDAV(2, t, algorithm=algorithm, decimals="exact").mask(people, schema)
    assert masked.microdata.encoded("age").tolist() == ages
    assert {name: masked.provenance.details[name] for name in details} == details


def test_one_group_where_there_are_fewer_than_two():
    points, secret = np.arange(5.0)[:, None], _Confidential(np.zeros(5, np.int64), np.ones(1), True)
    for algorithm in ALGORITHMS:
        assert TCloseMDAV(3, 1.0, algorithm=algorithm)._grouped(points, [secret])[0].tolist() == [0] * 5
    for algorithm in ALGORITHMS:
        labels, formed = TCloseMDAV(2, 1.0, algorithm=algorithm)._grouped(points, [secret])
        assert formed == 2
        assert sorted(np.bincount(labels).tolist()) == [2, 3]


def farthest(points, free, target):
    return max(free, key=lambda i: (((points[i] - target) ** 2).sum(), -i))


def nearest_first(points, free, seed):
    return sorted(free, key=lambda i: (((points[i] - points[seed]) ** 2).sum(), i))


def told_while(run):
    heard = []
    with listening(lambda *said: heard.append(said)):
        result = run()
    return result, heard


@pytest.mark.parametrize("n", [6, 7, 13, 20])
@pytest.mark.parametrize("t", [0.0, 0.15, 1.0])
def test_k_first_is_that_of_the_slow_twin(n, t):
    draws = np.random.default_rng(n)
    k, points = 3, draws.integers(0, 9, (n, 2)).astype(float)
    codes = np.unique(draws.integers(0, 4, n), return_inverse=True)[1].ravel()
    secret = _Confidential(codes, np.bincount(codes) / n, True)
    groups, free = [], list(range(n))
    while free:
        target = points[free].mean(axis=0)
        for _ in range(2):
            if free:
                seed = farthest(points, free, target)
                near = nearest_first(points, free, seed)
                members = np.array(near[:k])
                if len(free) < 2 * k:
                    members = np.array(free)
                else:
                    exchange_members(members, np.array(near[k:]), codes, secret.shares, True, t)
                groups.append(sorted(members.tolist()))
                free = [i for i in free if i not in groups[-1]]
                target = points[seed]
    labels, heard = told_while(lambda: _k_first(points, k, t, secret))
    assert [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)] == groups
    done = np.cumsum([len(group) for group in groups]).tolist()
    assert heard == [("grouping", number, n) for number in done]


@pytest.mark.parametrize(
    ("n", "k", "t"), [(12, 3, 1.0), (13, 3, 1.0), (14, 3, 1.0), (17, 3, 0.06), (23, 4, 0.1), (5, 4, 0)]
)
def test_t_first_is_that_of_the_slow_twin(n, k, t):
    draws = np.random.default_rng(n)
    points = draws.normal(size=(n, 2))
    codes = np.unique(draws.integers(0, 6, n), return_inverse=True)[1].ravel()
    size = min(n, max(k, -int(-n // (2 * (n - 1) * t + 1))))
    count = n // size
    size += n % size // count
    extra = n - size * count
    ranked = sorted(range(n), key=lambda i: (codes[i], i))
    stretches = []
    for place in range(size):
        width = count + (0 <= place - (size - extra) // 2 < extra)
        stretches.append(ranked[:width])
        ranked = ranked[width:]
    groups, free = [], list(range(n))
    for group in range(count):
        target = points[free].mean(axis=0) if group % 2 == 0 else points[seed]  # noqa: F821 - of the group before
        seed = farthest(points, free, target)
        chosen, second = [], False
        for stretch in stretches:
            take = 1
            if len(stretch) > count - group and not second:
                take, second = 2, True
            for one in nearest_first(points, stretch, seed)[:take]:
                chosen.append(one)
                stretch.remove(one)
        groups.append(sorted(chosen))
        free = [i for i in free if i not in chosen]
    secret = _Confidential(codes, np.bincount(codes) / n, True)
    labels, heard = told_while(lambda: _t_first(points, k, t, secret))
    assert [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)] == groups
    assert heard == [("grouping", number, n) for number in np.cumsum([len(group) for group in groups]).tolist()]


def test_joining_tells_how_far_it_is_and_stops_at_t():
    points, codes = np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]]), np.array([0, 0, 1, 1, 0, 1])
    secret = _Confidential(codes, np.array([0.5, 0.5]), False)
    labels = np.array([0, 0, 1, 1, 2, 2])
    joined, heard = told_while(lambda: _joined(points, labels, 0.4, [secret]))
    assert joined.tolist() == [0, 0, 0, 0, 1, 1]
    assert heard == [("joining groups", 1, 2)]
    assert told_while(lambda: _joined(points, labels, 0.5, [secret])) == (pytest.approx(labels), [])


def test_levels_that_nobody_has_are_no_steps():
    """Of ill only no and flu occur: a group of one of them is 1/2 away, not 1/4."""
    schema = Schema([KEYS[0], Attribute("ill", Ordinal(["no", "cold", "flu"]), "confidential")])
    people = pa.table({"age": [20.0, 21.0, 30.0, 31.0], "ill": ["no", "no", "flu", "flu"]})
    masked = TCloseMDAV(2, 0.5, algorithm="merge").mask(people, schema)
    assert masked.provenance.details["t_reached"] == 0.5


def test_sequences_cannot_be_sensitive():
    schema = Schema([KEYS[0], Attribute("path", Sequence(["a", "b"]), "confidential")])
    with pytest.raises(ParameterError, match="TCloseMDAV: sensitive must not be sequences; 'path' is one"):
        TCloseMDAV().columns_for(schema)
    assert TCloseMDAV(sensitive=["age"], attributes=["rent"]).columns_for(Schema(KEYS)) == ("rent",)
