"""Steps and their alternatives: choosing anew destroys nothing."""

from __future__ import annotations

from discreet.studio.session_values import History
from discreet.workflow import Step

A, B, C, D = (Step(name) for name in ("mdav", "rounding", "rank-swapping", "pram"))


def test_a_step_from_an_earlier_place_keeps_the_line_that_was_left():
    history = History().add(A).add(B).back().add(C)
    assert history.steps == (A, C)
    assert history.others == ((A, B),)
    assert history.switch(0).steps == (A, B)
    assert history.switch(0).others == ((A, C),)
    assert history.switch(0).switch(0) == history


def test_taking_the_same_step_again_goes_forward():
    history = History().add(A).add(B).add(C).go(1).add(B)
    assert history.steps == (A, B)
    assert history.can_go_forward
    assert history.others == ()


def test_a_line_that_runs_along_another_whole_takes_its_place():
    history = History().add(A).add(B).go(0).add(C).go(0).add(A)
    assert history.others == ((A, B), (C,))
    assert history.add(B).others == ((C,),), "it is the line that was left, gone on"


def test_every_place_of_every_line_can_be_reached_again():
    history = History()
    seen = []
    for step, back in ((A, 0), (B, 0), (C, 1), (D, 2), (A, 1)):
        history = history.go(history.position - back).add(step)
        seen.append(history.steps)
    lines = [history.all_steps, *history.others]
    for steps in seen:
        assert any(line[: len(steps)] == steps for line in lines)


def test_an_alternative_is_forgotten_only_when_asked():
    history = History().add(A).back().add(B).back().add(C)
    assert history.others == ((A,), (B,))
    assert history.without(0).others == ((B,),)
    assert history.go(0).others == history.others
