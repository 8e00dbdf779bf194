from __future__ import annotations

import pytest

from discreet.studio.drafts import Draft, private


@pytest.mark.parametrize(
    ("typed", "places"),
    [
        ("2,0,1", [2, 0, 1]),
        (" 1, 0 ,2", [1, 0, 2]),
        ("", [0, 1, 2]),
        ("2,0", [0, 1, 2]),
        ("2,0,0", [0, 1, 2]),
        ("3,1,2", [0, 1, 2]),
        ("a,b,c", [0, 1, 2]),
    ],
)
def test_an_order_holds_every_place_once_or_is_none(typed, places):
    assert Draft({"order": [typed]}).places("order", 3) == places


def test_a_field_that_was_not_sent_is_its_default_only_before_anybody_answered():
    assert Draft().text("k", "3") == "3"
    assert Draft({"other": ["x"]}).text("k", "3") == "3"
    assert Draft({"k": ["5"]}).text("k", "3") == "5"
    assert Draft({"k": []}).text("k", "3") == ""


def test_a_box_that_is_not_ticked_is_not_sent():
    assert Draft().ticked("keys", "age", default=True)
    assert not Draft().ticked("keys", "age")
    answered = Draft({"keys": ["sex", "3"]})
    assert answered.ticked("keys", "sex")
    assert answered.ticked("keys", 3)
    assert not answered.ticked("keys", "age", default=True)


def test_what_is_kept_comes_back():
    draft = Draft({"k": ["5"], "keys": ["a", "b"]}, "stamp", "wrong", "do this", "k")
    assert draft
    assert not Draft()
    assert Draft.from_json(draft.to_json()) == draft


def test_our_own_fields_are_no_answers():
    assert private("csrf")
    assert not private("k")
