from __future__ import annotations

import pytest

from discreet.errors import ParameterError
from discreet.io.text_options import check_text_options


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", ":", "~", None])
def test_signs_that_separate_fields(delimiter):
    check_text_options(delimiter)


@pytest.mark.parametrize("delimiter", ["", ",,", "a", "7", '"', "'", ".", "§", "\n", "\x00", "\x1f", 5, b","])
def test_what_would_be_part_of_a_field_or_break_a_line_separates_none(delimiter):
    with pytest.raises(ParameterError, match="A delimiter is one character"):
        check_text_options(delimiter)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "UTF-16", None])
def test_encodings_of_text(encoding):
    check_text_options(encoding=encoding)


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13", "zlib", "", "idna\x00", 8])
def test_other_codecs_are_refused(encoding):
    with pytest.raises(ParameterError, match="There is no encoding named"):
        check_text_options(encoding=encoding)
