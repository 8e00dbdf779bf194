"""Links against a truth: ties shared, intervals as printed in textbooks, and no value in what is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.contracts.links import Linked, Links
from discreet.errors import DataError, ParameterError


def links(tied, n_a=4, classes=None, **more):
    """Links of as many records as there are lists of tied classes."""
    offsets = np.cumsum([0, *(len(one) for one in tied)])
    n_b = len(tied) if more.get("rows") is None else len(more["rows"])
    best = np.array([one[0] if one else -1 for one in tied])
    best = best if more.get("rows") is None else best[more["rows"]]
    sizes = np.array([len(one) for one in tied])
    ties = sizes if more.get("rows") is None else np.where(more["rows"] < 0, 0, sizes[more["rows"]])
    flat = np.array([place for one in tied for place in one], dtype=np.int64)
    return Links(
        n_a, n_b, best, np.full(n_b, -1), np.zeros(n_b), np.ones(n_b), ties, offsets, flat,
        np.arange(n_a) if classes is None else np.array(classes), ("age", "job"), **more,
    )  # fmt: skip


def test_a_tie_that_holds_the_truth_counts_its_share():
    linked = links([[0], [0, 1], [1, 3], [0, 1, 2, 3]]).evaluate()
    assert linked.probability.tolist() == [1.0, 0.5, 0.0, 0.25]
    assert (linked.expected, linked.optimistic, linked.pessimistic) == (1.75, 3, 1)
    assert (linked.n, linked.chance, linked.rate) == (4, 1.0, 0.4375)


def test_who_is_not_in_the_file_cannot_be_found():
    linked = links([[0], [1], []], n_a=4).evaluate(np.array([-1, 1, 2]))
    assert linked.probability.tolist() == [0.0, 1.0, 0.0]
    assert linked.chance == 0.5  # two of three are in a file of four
    assert links([[], []], n_a=2).evaluate().expected == 0.0


def test_classes_stand_for_their_records_and_rows_for_equal_ties():
    # Records 0 and 1 of A are alike (class 0), 2 and 3 are classes 1 and 2.
    alike = links([[0], [1, 2]], classes=[0, 0, 1, 2], rows=np.array([0, 0, 1, -1, 1]))
    linked = alike.evaluate(np.array([0, 1, 2, 3, 0]))
    assert (linked.probability > 0).tolist() == [True, True, True, False, False]


def test_ties_of_one_record_are_no_ties_of_the_next():
    # Whom the first is taken for (3) and whom the second is not (0) are neighbours where pairs are numbered.
    linked = links([[3], [1], [1], [2]]).evaluate(np.array([3, 0, 1, 0]))
    assert linked.probability.tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("rising", [True, False])
def test_whoever_is_in_a_row_is_held_however_long_it_is(rising):
    rng = np.random.default_rng(7)
    for _ in range(60):
        classes = rng.permutation(np.concatenate([np.arange(9), rng.integers(0, 9, 4)]))
        rows = [rng.permutation(9)[: rng.integers(0, 9)].tolist() for _ in range(5)]
        rows = [sorted(row) for row in rows] if rising else rows
        tied = links(rows, n_a=13, classes=classes, rows=rng.integers(-1, 5, 8))
        candidates, records = rng.integers(-1, 13, 40), rng.integers(-1, 8, 40)
        expected = [
            a >= 0 and b >= 0 and tied.rows[b] >= 0 and classes[a] in rows[tied.rows[b]]
            for a, b in zip(candidates, records, strict=True)
        ]
        assert tied.holds(candidates, records).tolist() == expected


def test_files_of_different_sizes_need_a_truth_of_the_right_length():
    with pytest.raises(DataError, match="Files of 4 and 2 records cannot be compared position by position"):
        links([[0], [1]]).evaluate()
    with pytest.raises(DataError, match="one entry for each of the 2 records of B"):
        links([[0], [1]]).evaluate(np.array([0]))


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, Statistics in Medicine 17, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons_as_newcombe_prints_it(right, n, low, high):
    interval = Linked(float(right), right, right, n, 1.0, np.zeros(n)).interval()
    assert [round(end, 4) for end in interval] == [low, high]


def test_a_frame_of_positions_scores_and_decisions():
    some = links([[0], [1]], probability=np.array([0.9, 0.1]), decision=np.array([2, 0]))
    frame = some.to_frame()
    assert frame["decision"].to_list() == ["link", "non-link"]
    assert frame["probability"].to_list() == [0.9, 0.1]
    assert frame["record"].to_list() == [0, 1]
    assert links([[0]]).to_frame().columns == ["record", "best", "score", "ties", "second", "second_score"]


def test_what_a_notebook_shows_is_counts():
    shown = links([[0], [0, 1], []], decision=np.array([2, 1, 1]), method="distance")._repr_html_()
    cells = [part.split("<")[0] for part in shown.split(">")]
    counts = {"records of A": "4", "records of B": "3", "with a best candidate": "2", "with several that tie": "1"}
    for name, count in {**counts, "decided as links": "1", "for a clerk to look at": "2"}.items():
        after = [cell for cell in cells[cells.index(name) + 1 :] if cell.strip()]
        assert after[0] == count
    assert "Linked on age, job." in shown
    assert repr(links([[0]])) == "Links(1 records of B to 4 of A by a linker)"
    assert links([[0]]).higher_is_better is False
    assert repr(Linked(5.0, 8, 3, 20, 2.0, np.zeros(20))) == "Linked(5.0 of 20 correct; chance 2.0)"
    page = Linked(5.0, 8, 3, 20, 2.0, np.zeros(20))._repr_html_()
    for figure in ("25.00 %", "10.00 %", "40.00 %", "15.00 %", "11.19 to 46.87 %", "2.2 to 9.4"):
        assert figure in page


def test_the_second_best_is_right_where_the_best_is_not():
    some = Links(
        4, 4, np.array([0, 0, 1, -1]), np.array([1, 1, 3, -1]), np.zeros(4), np.ones(4), np.array([1, 1, 1, 0]),
        np.array([0, 1, 2, 3, 3]), np.array([0, 0, 1]), np.array([0, 1, 2, 2]), ("age",),
    )  # fmt: skip
    # The first is found at once; of the second and third the other one is right, a record like it (2 is like 3).
    assert some.evaluate().second == 2
    assert some.evaluate(np.array([-1, -1, -1, -1])).second == 0
    assert replace(some, has_second=False).evaluate().second is None
    assert some.tied_classes.tolist() == [1, 1, 1, 0]
    assert links([[0], [1, 2]], rows=np.array([1, -1, 0])).tied_classes.tolist() == [2, 0, 1]
    page = replace(some.evaluate(), second=2)._repr_html_()
    assert "second nearest" in page
    assert "50.00 %" in page
    assert "second nearest" not in replace(some.evaluate(), second=None)._repr_html_()


@pytest.mark.parametrize("higher", [True, False])
def test_outcomes_by_threshold_are_counted_from_the_better_end(higher):
    n = 40
    score = np.repeat([1.0, 2.0], 20)
    best = np.arange(n)
    best[:2] = -1
    some = Links(
        n, n, best, np.full(n, -1), score, np.ones(n), np.ones(n, dtype=np.int64), np.arange(n + 1), np.arange(n),
        np.arange(n), (), higher_is_better=higher,
    )  # fmt: skip
    right = np.where(score == 1.0, 0.5, 1.0)
    found = some._outcomes(right)
    ends = {round(one.score, 6): (one.linked, one.correct) for one in found}
    # 18 records have a link of score 1, 20 of score 2.
    whole = (38 / 40, pytest.approx((18 * 0.5 + 20) / 38))
    assert ends[1.0] == (whole if higher else (18 / 40, 0.5))
    assert ends[2.0] == ((20 / 40, 1.0) if higher else whole)
    assert [one.correct for one in some._outcomes(None)] == [None] * len(found)
    assert ("match weight" if higher else "distance") in some.plot().text


def test_pictures_of_files_of_other_sizes_need_the_truth():
    n = 40
    some = Links(
        50, n, np.arange(n), np.full(n, -1), np.repeat([1.0, 2.0], 20), np.ones(n), np.ones(n, dtype=np.int64),
        np.arange(n + 1), np.arange(n), np.arange(50), (),
    )  # fmt: skip
    assert "right (%)" not in some.plot("threshold").svg
    assert "right (%)" in some.plot("threshold", np.arange(n)).svg
    with pytest.raises(ParameterError, match="need truth"):
        some.plot("precision-recall")
    told = some.plot("precision-recall", np.where(np.arange(n) < 20, np.arange(n), -1)).svg
    # Half of the records are there at all, and all of these have a distance of 1.
    assert "recall (%): 100; precision (%): 100; threshold: 1" in told
    assert "recall (%): 100; precision (%): 50; threshold: 2" in told
    with pytest.raises(ParameterError, match="waterfall needs a linker with a model"):
        some.plot("waterfall")
