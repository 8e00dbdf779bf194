"""JSON that others wrote."""

from __future__ import annotations

import pytest

from discreet.io.json_text import parse_json, read_json


def test_what_a_text_or_a_file_holds(tmp_path):
    assert parse_json('{"a": [1, null]}') == {"a": [1, None]}
    path = tmp_path / "a.json"
    path.write_text('{"ä": 1}', encoding="utf-8")
    assert read_json(path) == {"ä": 1}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_no_json_is_a_value_error(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    for read in (lambda: parse_json(text), lambda: read_json(path)):
        with pytest.raises(ValueError, match=r"\w"):
            read()
    with pytest.raises(OSError, match="none"):
        read_json(tmp_path / "none.json")
