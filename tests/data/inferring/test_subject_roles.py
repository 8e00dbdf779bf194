"""The role of a column by its subject: who would know it, and how sure the sentence is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.inferring.looking import Look
from discreet.data.inferring.subject_roles import is_clinical, role_of
from discreet.data.scales import Date, Nominal, Numeric

WORDS = ["a", "b", "c"] * 10
WHOLE = [1, 2, 3] * 10
PARTS = [1.5, 2.5, 3.0] * 10
NUMBERS = Numeric()
LEVELS = Nominal(("a", "b", "c"))
COUNT = "its name says a number of persons or things"
KNOWN = ": an intruder may know it"


def look(name, values):
    column = pa.array(values)
    return Look(name, column, column.drop_null())


@pytest.mark.parametrize(
    ("name", "values", "scale", "clinical", "role", "sure", "reason"),
    [
        ("anything", [1] * 10, NUMBERS, False, "other", 0.9, "it is the same for everybody"),
        ("anything", [1] * 9, NUMBERS, False, "key", 0.5, "an intruder may know it; change the role if not"),
        ("anything", [], NUMBERS, False, "key", 0.5, "an intruder may know it; change the role if not"),
        ("nb_revenu", WHOLE, NUMBERS, False, "key", 0.85, COUNT + KNOWN),
        ("revenu_nb", WHOLE, NUMBERS, False, "confidential", 0.9, "its name says an amount of money"),
        ("nb_revenu", PARTS, NUMBERS, False, "confidential", 0.9, "its name says an amount of money"),
        ("nb_revenu", list(range(200)), NUMBERS, False, "key", 0.85, COUNT + KNOWN),
        ("nb_revenu", list(range(201)), NUMBERS, False, "confidential", 0.9, "its name says an amount of money"),
        ("staff", WHOLE, NUMBERS, False, "key", 0.85, COUNT),
        ("staff_wages", WHOLE, NUMBERS, False, "confidential", 0.9, "its name says an amount of money"),
        ("staff_pain", WHOLE, NUMBERS, False, "confidential", 0.9, "its name speaks of health"),
        ("diagnosis", WORDS, LEVELS, False, "confidential", 0.9, "its name speaks of health"),
        ("religion", WORDS, LEVELS, False, "confidential", 0.9,
         "its name speaks of what somebody thinks or believes"),
        ("religion_pain", WORDS, LEVELS, False, "confidential", 0.9,
         "its name speaks of what somebody thinks or believes"),
        ("age_at_diagnosis", WHOLE, NUMBERS, False, "key", 0.9, "its name says age or birth" + KNOWN),
        ("sexual_race", WORDS, LEVELS, False, "key", 0.9, "its name says what neighbours know" + KNOWN),
        ("age_income_pain", WHOLE, NUMBERS, False, "confidential", 0.9, "its name speaks of health"),
        ("income_region", WORDS, LEVELS, False, "key", 0.9, "its name says a place" + KNOWN),
        ("income_region", WHOLE, NUMBERS, False, "confidential", 0.9, "its name says an amount of money"),
        ("income_sex", WORDS, LEVELS, False, "confidential", 0.9, "its name says an amount of money"),
        ("region", WHOLE, NUMBERS, False, "key", 0.9, "its name says a place" + KNOWN),
        ("region", PARTS, NUMBERS, False, "key", 0.5, "an intruder may know it; change the role if not"),
        ("age", PARTS, NUMBERS, False, "key", 0.9, "its name says age or birth" + KNOWN),
        ("household", WORDS, LEVELS, False, "key", 0.9, "its name says a household" + KNOWN),
        ("household", WORDS, LEVELS, True, "confidential", 0.6, "it stands among health data"),
        ("sex", WORDS, LEVELS, True, "key", 0.9, "its name says what neighbours know" + KNOWN),
        ("seen", WORDS, Date(), True, "key", 0.8, "a date: an intruder may know it"),
        ("seen", WORDS, LEVELS, True, "confidential", 0.6, "it stands among health data"),
        ("seen", WORDS, LEVELS, False, "key", 0.5, "an intruder may know it; change the role if not"),
    ],
)  # fmt: skip
def test_the_role_and_its_reason(name, values, scale, clinical, role, sure, reason):
    guess = role_of(look(name, values), scale, clinical=clinical)
    assert (guess.role, guess.confidence, guess.reason) == (role, sure, reason)


STEPS = np.arange(30.0)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([*(100 + STEPS), 2000.0], True),
        ([*(100 + STEPS)[:28], 2000.0], False),  # twenty-nine records tell nothing
        ([*(100 + STEPS)[:29], 2000.0], True),
        ([*(100 + STEPS), 900.0], False),  # no thousand
        ([*(1000 + STEPS), 8000.0], False),  # not eight times the middle
        ([*(1000 + STEPS), 9000.0], False),  # far, but alone: the mean hardly moves
        ([*(1000 + STEPS), 20000.0], True),
        ([*[100.0 + i % 19 for i in range(40)], 2000.0], False),  # twenty different values
        ([*[100.0 + i % 20 for i in range(40)], 2000.0], True),
        ([*(100 + STEPS), *(-100.0 - np.arange(13)), 2000.0], True),  # 13 of 44 below zero
        ([*(100 + STEPS), *(-100.0 - np.arange(14)), 2000.0], False),  # 14 of 45
        ([*np.zeros(32), *(100 + STEPS), 9000.0], False),  # the middle is nothing
    ],
)
def test_a_heavy_tail_is_an_amount(numbers, expected):
    guess = role_of(look("x", numbers), NUMBERS)
    assert (guess.role == "confidential") == expected
    if expected:
        assert guess.reason == "most values are small and a few are very large, as amounts are"
        assert guess.confidence == 0.6
    assert role_of(look("x", numbers), LEVELS).role == "key"


@pytest.mark.parametrize(
    ("names", "clinical"),
    [
        (["blood", "pain", "pulse"], True),
        (["blood", "pain", "sex"], False),
        (["diagnosis"], True),
        (["patientid", "blood"], True),
        (["patientid", "sex"], False),
        ([], False),
    ],
)
def test_tables_of_patients(names, clinical):
    assert is_clinical([look(name, WORDS) for name in names]) is clinical
