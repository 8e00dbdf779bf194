"""What names of columns speak of, in several languages."""

from __future__ import annotations

import pytest

from discreet.data.inferring.vocabulary import listed_words, name_words, subject_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ()),
        ("AGE", ("age",)),
        ("birthYear", ("birth", "year", "birthyear")),
        ("a_b_c", ("a", "b", "c", "ab", "bc", "abc")),
        ("q12", ("q",)),
        ("Año-Nacimiento", ("ano", "nacimiento", "anonacimiento")),
        ("Straße", ("strasse",)),
        ("x_x", ("x", "xx")),
    ],
)
def test_the_words_of_a_name(name, words):
    assert name_words(name) == words


@pytest.mark.parametrize(
    ("name", "label", "subjects"),
    [
        ("Haushaltseinkommen", "", {"household", "amount"}),
        ("edad", "", {"age"}),
        ("bodyWeight", "", {"weight", "physical"}),
        ("x1", "Sex of the person", {"demographic"}),
        ("strat", "", {"stratum"}),
        ("codigo_postal", "", {"place"}),
        ("dermatitis", "", {"health"}),
        ("zufriedenheit", "", {"opinion"}),
        ("weightless", "", set()),  # a word of its own, no compound
        ("xyz", "", set()),
        # A star at the end: what begins so; at both ends: what contains it; at the start: what ends so; none: itself.
        ("coordinates", "", {"person"}),
        ("xcoord", "", set()),
        ("coord", "", {"person"}),
        ("privathaushalte", "", {"household"}),
        ("haushalt", "", {"household"}),
        ("netweight", "", {"weight"}),
        ("fibrosis", "", {"health"}),
        ("osiris", "", set()),
        ("folio", "", {"number"}),
        ("folios", "", set()),
        ("xfolio", "", set()),
        ("e_mail", "age", {"person", "age"}),
    ],
)
def test_what_a_name_or_a_label_speaks_of(name, label, subjects):
    assert subject_of(name, label) == subjects


def test_a_list_is_written_as_one_text():
    assert listed_words("a  b*\nc") == ("a", "b*", "c")
