from __future__ import annotations

import pytest

from discreet.progress import listening, stage


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
