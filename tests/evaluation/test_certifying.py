"""Certificates: proven, in words, from every form of a release."""

import json
import signal
import time

import numpy as np
import polars as pl
import pytest
from tests.reference.microaggregation import plain_least_error

import discreet as dc
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.proof import Certificate
from discreet.contracts.withholding_proof import SuppressionCertificate
from discreet.errors import DataError, MissingValueError, ParameterError, UnknownNameError
from discreet.evaluation import certifying
from discreet.evaluation.certifying import certify, least_squared_error
from discreet.kernels.groups.pricing import squared_distances
from discreet.masking.microaggregation.numbers.set_partition import raise_prices
from discreet.progress import listening
from discreet.stopping import is_stopped


@pytest.fixture(scope="module")
def accounts():
    return dc.datasets.business(60)


@pytest.fixture(scope="module")
def masked(accounts):
    return dc.MDAV(k=3, refine=3000, decimals="exact", random_state=0).mask(accounts)


def test_every_form_of_a_release_gives_the_same(accounts, masked):
    names = list(masked.provenance.attributes)
    by_masked = dc.certify(accounts, masked, budget="500ms")
    by_frame = dc.certify(accounts, masked.microdata, budget="500ms")
    by_labels = dc.certify(accounts, masked.labels, budget="500ms", attributes=names)
    assert by_masked.k == by_frame.k == by_labels.k == 3
    assert by_masked.attributes == tuple(names)
    assert by_masked.value == pytest.approx(masked.provenance.details["information_loss"], rel=1e-9)
    for other in (by_frame, by_labels):
        assert other.value == pytest.approx(by_masked.value, rel=1e-9)
    assert by_masked.method == "column generation"
    assert 0 < by_masked.bound <= by_masked.value


def test_one_attribute_is_exact(accounts):
    release = dc.IndividualRanking(k=4, attributes=["ASSETS"]).mask(accounts)
    proof = dc.certify(accounts, release)
    assert proof.method == "exact-univariate"
    assert proof.gap < 1e-5
    assert proof.sentence == "the information loss is the least possible for k = 4"


def test_blocks_are_certified_block_by_block(accounts):
    release = dc.MDAV(k=3, blocks=3, decimals="exact").mask(accounts)
    proof = dc.certify(accounts, release, budget="500ms")
    assert proof.value == pytest.approx(release.provenance.details["information_loss"], rel=1e-6)
    assert 0 < proof.bound < proof.value


def test_a_release_that_is_not_the_mean_is_measured_as_it_is(accounts):
    release = dc.MDAV(k=3, integers=True).mask(accounts)
    proof = dc.certify(accounts, release, budget="300ms")
    moved = np.array(release.microdata.numeric(("ASSETS",))) - accounts.numeric(("ASSETS",))
    assert np.abs(moved).sum() > 0
    assert proof.value > proof.bound


@pytest.mark.parametrize("k", [2, 3])
def test_bounds_stay_below_the_optimum(k):
    for seed in range(3):
        points = np.random.default_rng(seed).standard_normal((9, 2))
        best = plain_least_error(points, k)
        for seconds in (0.001, 0.3):
            bound, _ = least_squared_error(points, k, None, seconds)
            assert 0 < bound <= best * (1 + 1e-9)


def test_large_files_get_the_fast_bound(monkeypatch):
    monkeypatch.setattr("discreet.evaluation.certifying.DENSE_UP_TO", 100)
    points = np.random.default_rng(0).standard_normal((300, 3))
    fast, method = least_squared_error(points, 3, None, 600.0)  # it ends long before, when nothing rises
    assert method == "fast"
    monkeypatch.setattr("discreet.evaluation.certifying.DENSE_UP_TO", 1000)
    assert least_squared_error(points, 3, None, 0.2)[1] == "column generation"
    *_, best = raise_prices(squared_distances(points), 3, rounds=20)
    assert best.converged
    assert 0.7 * best.relaxation < fast <= best.relaxation * (1 + 1e-12)


@pytest.mark.parametrize(("n", "method"), [(20, "column generation"), (21, "fast")])
def test_up_to_a_size_columns_are_generated(monkeypatch, n, method):
    monkeypatch.setattr("discreet.evaluation.certifying.DENSE_UP_TO", 20)
    points = np.random.default_rng(1).standard_normal((n, 2))
    assert least_squared_error(points, 3, None, 0.2)[1] == method


def test_a_file_with_far_records_is_certified_closely(monkeypatch):
    """Company accounts: most of the error is that of a few records, whose lists are longer."""
    monkeypatch.setattr("discreet.evaluation.certifying.DENSE_UP_TO", 100)
    accounts = dc.datasets.business(1500)
    proof = dc.certify(accounts, dc.MDAV(k=3).mask(accounts), budget="600s")
    assert proof.method == "fast"
    assert proof.gap < 20


def test_an_interrupt_ends_it_without_a_bound(accounts, masked):
    def interrupt(label, _done, _total):
        if label == "certifying":
            signal.raise_signal(signal.SIGINT)

    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        dc.certify(accounts, masked, budget="60s")  # it ends, and is noticed, if it hears nothing
    assert not is_stopped()


def test_fewer_than_two_groups():
    data = pl.DataFrame({"x": [1.0, 2.0, 3.0, 7.0], "y": [0.0, 1.0, 0.0, 2.0]})
    proof = certify(data, [0, 0, 0, 0], k=3, attributes=["x", "y"])
    assert proof.method == "one group"
    assert proof.gap < 1e-6


def test_words_and_figures():
    proof = Certificate(14.48, 14.40, 3, 834, ("a",), "column generation", 1.5)
    assert proof.sentence == "the information loss is at most 0.6 % above the least possible for k = 3"
    assert proof.gap == pytest.approx(100 * 0.08 / 14.4)
    assert json.loads(json.dumps(proof.to_dict()))["gap_percent"] == proof.gap
    assert "0.6 %" in proof._repr_html_()
    assert repr(proof) == "Certificate(k = 3: loss 14.4800 %, at least 14.4000 % by column generation)"
    nothing = Certificate(1.0, 0.0, 3, 9, (), "fast")
    assert nothing.to_dict()["gap_percent"] is None
    assert "no bound" in nothing.sentence
    close = Certificate(1.00002, 1.0, 3, 9, (), "fast")
    assert close.sentence == "the information loss is at most 0.0020 % above the least possible for k = 3"


def test_bad_input(accounts, masked):
    for error, message, given in [
        (ParameterError, "k must be None or an integer of at least 2", {"k": 1}),
        (ParameterError, "a time must look like", {"budget": "soon"}),
        (ParameterError, "budget must be a time", {"budget": 30}),
        (DataError, "fewer than k = 9", {"k": 9}),
        (UnknownNameError, "no attribute named 'NOTHING'", {"attributes": ["NOTHING"]}),
    ]:
        with pytest.raises(error, match=message):
            dc.certify(accounts, masked, **given)
    with pytest.raises(DataError, match="60 records need as many labels"):
        dc.certify(accounts, np.zeros(7, dtype=int))
    with pytest.raises(DataError, match="one integer a record"):
        dc.certify(accounts, np.zeros(60))
    with pytest.raises(DataError, match="one record only"):
        dc.certify(accounts, accounts)
    holes = pl.DataFrame({"x": [1.0, None, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(MissingValueError, match="1 values are missing, the first in column 'x'"):
        dc.certify(holes, [0, 0, 1, 1], attributes=["x", "y"])


# ------------------------------------------------------------------------------------------------------- piece by piece

MIXED = dc.Schema(
    [
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("y", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("o", dc.Numeric(), "other"),
    ]
)


def mixed(**cells):
    whole = {"x": [1.0, 1.0, 3.0, 3.0], "y": [0.0, 4.0, 0.0, 4.0], "c": list("abab"), "o": [7.0, 8.0, 7.0, 8.0]}
    return dc.Microdata(pl.DataFrame(whole | cells), MIXED)


@pytest.mark.parametrize(
    ("details", "blocks"),
    [
        ({}, []),
        ({"blocks": 3}, []),
        ({"blocks": [["x", "c"], ["y"]]}, [("x",), ("y",)]),
        ({"blocks": [{"attributes": ["y", "x"]}, {"attributes": ["c"]}]}, [("y", "x")]),
    ],
)
def test_blocks_are_those_that_were_grouped_by_themselves(details, blocks):
    assert certifying._blocks(details, ("x", "y")) == blocks


@pytest.mark.parametrize("labels", [[0, 0, 1], (0, 0, 1), np.array([0, 0, 1]), np.array([0, 0, 1], dtype=np.int8)])
def test_labels_are_one_integer_a_record(labels):
    found = certifying._as_labels(labels)
    assert (found.tolist(), found.dtype) == ([0, 0, 1], np.int64)


def test_what_is_no_list_of_labels():
    assert certifying._as_labels(mixed()) is None
    assert certifying._as_labels(["a", "b"]) is None
    assert certifying._as_labels([0, 1.5]) is None
    for wrong in (np.zeros((2, 2), dtype=int), np.zeros(3)):
        with pytest.raises(DataError, match="labels must be one integer a record"):
            certifying._as_labels(wrong)
    with pytest.raises(DataError, match="4 records need as many labels; got 3"):
        certify(mixed(), [0, 0, 1])


def test_what_is_certified_is_numeric():
    assert certifying._names(mixed(), None) == ("x", "y")
    assert certifying._names(mixed(), ["o", "x"]) == ("o", "x")
    for names, error, sentence in (
        ([], DataError, "no numeric attribute that was masked"),
        (["c"], DataError, "'c' is not numeric"),
        (["z"], UnknownNameError, "z"),
    ):
        with pytest.raises(error, match=sentence):
            certifying._names(mixed(), names)
    with pytest.raises(DataError, match="no numeric key"):
        certifying._names(mixed().select(["c", "o"]), None)


def test_missing_values_are_counted_and_the_first_column_named():
    with pytest.raises(MissingValueError, match="3 values are missing, the first in column 'y'"):
        certifying._present(mixed(y=[None, None, 1.0, 2.0], o=[None, 1.0, 1.0, 1.0]), ("x", "y", "o"))
    assert certifying._present(mixed(), ("y", "x")).tolist() == [[0, 1], [4, 1], [0, 3], [4, 3]]


def test_errors_of_groups_and_of_releases_by_hand():
    points = np.array([[0.0, 1.0], [2.0, 1.0], [10.0, 5.0], [14.0, 5.0], [12.0, 8.0]])
    # Means 1 and 12, 1 and 6: 1 + 1 + 4 + 4 + 0, and 0 + 0 + 1 + 1 + 4.
    assert certifying._squared_error(points, np.array([0, 0, 1, 1, 1])) == pytest.approx(16.0)
    values = np.array([[0.0, 5.0], [10.0, 5.0]])
    moved = certifying._moved(values, np.array([[5.0, 6.0], [5.0, 4.0]]), np.array([[-1.0, 0.0], [1.0, 0.0]]))
    # Half the spread on a scale where it is 2; a column without any spread tells nothing.
    assert moved == pytest.approx(2.0)


def test_keys_of_other_scales_that_changed_too_are_told():
    before = mixed()
    assert certifying._masked_beside(before, [0, 0, 1, 1], None, ("x", "y")) == ()
    assert certifying._masked_beside(before, mixed(), None, ("x", "y")) == ()
    assert certifying._masked_beside(before, mixed(c=list("aaab")), None, ("x", "y")) == ("c",)
    other = dc.Microdata(mixed().to_native(), MIXED.replacing(dc.Attribute("c", dc.Nominal(("a", "b", "z")), "key")))
    assert certifying._masked_beside(before, other, None, ("x", "y")) == ("c",)
    record = Provenance("m", {}, ("x", "c", "o"), 4)
    assert certifying._masked_beside(before, Masked(mixed(), record), None, ("x",)) == ("c",)
    chain = Provenance("m + m", {}, ("x", "c"), 4, history=(record, record))
    assert certifying._masked_beside(before, Masked(mixed(), chain), None, ("x",)) == ()


@pytest.mark.parametrize(
    ("points", "k", "bound", "method"),
    [
        ([[0.0], [1.0], [10.0]], 2, 182 / 3, "one group"),
        ([[5.0, 1.0]] * 6, 2, 0.0, "one group"),
        ([[0.0, 1.0], [2.0, 1.0], [10.0, 1.0], [12.0, 1.0]], 2, 4.0, "exact-univariate"),
    ],
)
def test_small_bounds_by_hand(points, k, bound, method):
    found, how = least_squared_error(np.array(points), k, seconds=5.0)
    assert (found, how) == (pytest.approx(bound), method)


def test_a_certificate_has_all_its_figures():
    wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    begin = time.monotonic()
    proof = certify(wages, [5, 5, 5, 9, 9, 9])
    assert 0.0 <= proof.seconds <= time.monotonic() - begin
    # Within: 2 + 8 of a total of 2 + 8 + 6 × 20.5², in percent.
    assert proof.value == pytest.approx(100 * 10 / (10 + 6 * 20.5**2))
    assert proof.bound == pytest.approx(proof.value)
    assert proof.bound <= proof.value
    assert (proof.k, proof.n_records, proof.attributes, proof.beside) == (3, 6, ("wage",), ())
    assert proof.method == "exact-univariate"
    assert certify(wages, [5, 5, 5, 9, 9, 9], 2).k == 2
    with pytest.raises(DataError, match="smallest group of the release has 3 records, fewer than k = 4"):
        certify(wages, [5, 5, 5, 9, 9, 9], 4)
    with pytest.raises(DataError, match="belong to one record only"):
        certify(wages, [0, 1, 2, 3, 4, 5])
    with pytest.raises(ParameterError, match="budget must be a time"):
        certify(wages, [5, 5, 5, 9, 9, 9], budget=5)
    same = certify(mixed(x=[3.0] * 4), [0, 0, 1, 1], attributes=["x"])
    assert (same.value, same.bound) == (0.0, 0.0)


def test_what_went_missing_is_another_certificate():
    table = dc.Microdata(
        pl.DataFrame({"c": list("aabb")}), dc.Schema([dc.Attribute("c", dc.Nominal(("a", "b")), "key")])
    )
    record = Provenance("local-suppression", {}, ("c",), 4, details={"suppressed": {"c": 0}})
    nothing = certify(table, Masked(table, record), 2)
    assert isinstance(nothing, SuppressionCertificate)
    assert (nothing.cells, nothing.value) == (0, 0.0)
    with pytest.raises(DataError, match="no numeric key"):
        certify(table, table, 2)
    with pytest.raises(UnknownNameError, match="zz"):
        certify(table, table, 2, attributes=["zz"])


def test_a_column_with_one_missing_value_is_the_first_before_one_with_more():
    with pytest.raises(MissingValueError, match="4 values are missing, the first in column 'x'"):
        certifying._present(mixed(x=[None, 1.0, 2.0, 3.0], y=[None, None, None, 2.0]), ("x", "y"))


@pytest.fixture
def unrefined(monkeypatch):
    """No time for better groups, and what was asked for."""
    asked = []
    monkeypatch.setattr(certifying, "refined", lambda *given: asked.append(given) or given[3])
    return asked


def test_four_far_pairs_are_proven_by_prices_and_by_branching(unrefined):
    points = np.array(
        [[0.0, 0.0], [0.0, 2.0], [50.0, 0.0], [52.0, 0.0], [0.0, 90.0], [2.0, 92.0], [70.0, 70.0], [70.0, 74.0]]
    )
    # Half of the squared distance in each pair: 2, 2, 4 and 8.
    found, how = least_squared_error(points, 2, seconds=600.0)
    assert (found, how) == (pytest.approx(16.0), "column generation")
    assert plain_least_error(points, 2) == pytest.approx(16.0)
    (owner, _, k, labels, budget, seed) = unrefined[0]
    assert (owner, k, budget, seed, np.bincount(labels).tolist()) == ("certify", 2, "5.0s", 0, [2, 2, 2, 2])
    # Groups that can be divided are not begun with, and a time that is short is divided too.
    least_squared_error(points, 2, np.array([0, 0, 0, 0, 1, 1, 1, 1]), 40.0)
    least_squared_error(points, 2, np.array([0, 0, 0, 1, 1, 1, 2, 2]), 40.0)
    assert [given[4] for given in unrefined[1:]] == ["4.0s", "4.0s"]
    assert [sorted(np.bincount(given[3])) for given in unrefined[1:]] == [[2, 2, 2, 2], [2, 3, 3]]


def test_how_far_it_is_is_told_in_thousandths_of_the_time(unrefined, monkeypatch):
    heard = []
    monkeypatch.setattr(certifying, "report", lambda *told: heard.append(told))
    points = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 0.0], [5.0, 3.0], [9.0, 9.0]])
    least_squared_error(points, 2, seconds=600.0)
    assert heard
    assert {(label, total) for label, _, total in heard} == {("certifying", 1000)}
    assert all(0 <= done <= 1000 for _, done, _ in heard)
