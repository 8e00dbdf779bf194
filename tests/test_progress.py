from __future__ import annotations

import pytest

from discreet.progress import also_listening, listening, report, stage, track


def test_a_stage_tells_its_beginning_and_its_end():
    told = []
    with listening(lambda *report: told.append(report)), stage("drawing"):
        assert told == [("drawing", 0, 1)]
    assert told == [("drawing", 0, 1), ("drawing", 1, 1)]


def test_a_stage_that_fails_is_not_done():
    told = []
    with listening(lambda *report: told.append(report)), pytest.raises(ValueError, match="no"), stage("drawing"):
        raise ValueError("no")
    assert told == [("drawing", 0, 1)]


def test_whoever_listens_too_is_told_first_and_the_same():
    told = []
    with (
        listening(lambda *what: told.append(("outside", *what))),
        also_listening(lambda *what: told.append(("inside", *what))),
    ):
        report("masking", 2, 3)
    report("masking", 3, 3)  # nobody listens any more
    assert told == [("inside", "masking", 2, 3), ("outside", "masking", 2, 3)]


def test_whoever_listens_too_may_be_the_only_one():
    told = []
    with also_listening(lambda *what: told.append(what)):
        report("masking", 2, 3)
    assert told == [("masking", 2, 3)]


def test_items_are_told_after_each():
    told = []
    with listening(lambda *what: told.append(what)):
        told.extend(item.upper() for item in track("ab", "reading", 5))
    assert told == [("reading", 0, 5), "A", ("reading", 1, 5), "B", ("reading", 2, 5)]


def test_a_listener_that_raises_ends_the_work_and_the_one_before_listens_again():
    told = []

    def stop(*_):
        raise InterruptedError

    with listening(lambda *what: told.append(what)):
        with pytest.raises(InterruptedError), listening(stop):
            report("masking", 1, 2)
        report("masking", 2, 2)
    assert told == [("masking", 2, 2)]
