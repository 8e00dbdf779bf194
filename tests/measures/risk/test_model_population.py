from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.text_table import table_of_texts
from discreet.errors import DataError, FileError, ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy

TREE = Hierarchy([["x", "xy", "*"], ["y", "xy", "*"], ["z", "z", "*"]])
letters = st.sampled_from("xyz")


def table(rows):
    return table_of_texts({"a": [a for a, _ in rows], "b": [b for _, b in rows]})


@settings(max_examples=min(30, settings().max_examples))
@given(
    st.lists(st.tuples(letters, letters), min_size=1, max_size=12),
    st.lists(st.tuples(letters, letters), min_size=1, max_size=25),
    st.integers(1, 5),
)
def test_people_are_counted_by_their_definition(rows, crowd, k):
    release, people, counts = table(rows), Counter(crowd), Counter(rows)
    measure = dc.KMapViolations(k, population=table(crowd))
    broken = [people[row] < k for row in rows]
    assert measure.measure(release, release).value == pytest.approx(100 * sum(broken) / len(rows))
    assert measure.per_record(release, release).tolist() == [float(b) for b in broken]
    presence = dc.PresenceViolations(0.2, 0.6, population=table(crowd))
    outside = [not people[row] or not 0.2 <= counts[row] / people[row] <= 0.6 for row in rows]
    assert presence.measure(release, release).value == pytest.approx(100 * sum(outside) / len(rows))


def test_a_population_is_raised_to_the_released_step(tmp_path):
    release = table([("xy", "x"), ("xy", "y"), ("z", "y")])
    (tmp_path / "people.csv").write_text("a;b;c\nx;x;1\ny;x;2\ny;y;3\nz;y;4\n", encoding="utf-8")
    measure = dc.KMapViolations(2, population=tmp_path / "people.csv", hierarchies={"a": TREE})
    assert measure.measure(release, release).value == pytest.approx(100 * 2 / 3)
    assert measure.measure(release, release).details["population"] == 4
    # Without the hierarchy nobody of the population matches a broader name.
    assert dc.KMapViolations(2, population=tmp_path / "people.csv").measure(release, release).value == 100


def test_the_model_reads_the_population_from_a_file(tmp_path):
    (tmp_path / "people.csv").write_text("a,b\n" + "x,x\ny,x\nx,y\ny,y\nz,x\nz,x\n", encoding="utf-8")
    model = dc.models.KMap(2, tmp_path / "people.csv")
    data = table([("x", "x"), ("y", "y"), ("z", "x")])
    both = {"a": TREE, "b": TREE}
    masked = dc.Generalisation([model], both).mask(data)
    measure = dc.KMapViolations(2, population=tmp_path / "people.csv", hierarchies=both)
    assert measure.measure(data, masked.microdata).value == 0
    assert measure.measure(data, data).value == pytest.approx(100 * 2 / 3)
    typed = dc.models.K(2)
    from discreet.models.model_text import read_model

    assert read_model(f"k-map=2 {tmp_path / 'people.csv'}").people.names == ("a", "b")
    assert typed.people is None


def test_the_population_is_never_written_over(tmp_path):
    from discreet.io.reading import files_named

    people = tmp_path / "people.csv"
    people.write_text("a,b\nx,x\n", encoding="utf-8")
    assert files_named({"models": [dc.models.KMap(2, str(people))]}) == [people]
    assert files_named({"models": f"k=2; k-map=3 {people}"}) == [people]


def test_bad_populations_are_named_by_counts_alone(tmp_path):
    release = table([("x", "x")])
    with pytest.raises(ParameterError, match="population must be a table or a file"):
        dc.KMapViolations(2).measure(release, release)
    with pytest.raises(FileError, match="population file .* does not exist"):
        dc.KMapViolations(2, population=tmp_path / "none.csv").measure(release, release)
    (tmp_path / "odd.csv").write_text("a,b\nsecret\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 of 1 lines that do not fit its 2 names") as raised:
        dc.PresenceViolations(0, 1, population=tmp_path / "odd.csv").measure(release, release)
    assert "secret" not in str(raised.value)
    with pytest.raises(ParameterError, match="the population has no column 'b'"):
        dc.KMapViolations(2, population=table_of_texts({"a": ["x"]}), attributes=["a", "b"]).measure(release, release)


def test_people_and_shares_are_told_whole():
    release = table([("x", "x"), ("x", "x"), ("y", "x"), ("z", "z")])
    crowd = table([("x", "x")] * 4 + [("y", "x")] * 2 + [("z", "z")] * 3)
    reading = {"keys": ["a", "b"], "perturbative": None, "missing": "category"}
    few = dc.KMapViolations(3, population=crowd).measure(release, release)
    assert (few.value, few.sentence) == (
        25, "1 of 4 records share their 2 keys with fewer than 3 people of the population of 9; the fewest are 2.",
    )  # fmt: skip
    assert few.details == {**reading, "k": 3, "population": 9, "smallest_group": 2}
    enough = dc.KMapViolations(2, population=crowd).measure(release, release)
    assert (enough.value, enough.sentence) == (
        0, "Every record shares its 2 keys with at least 2 people of the population of 9.",
    )  # fmt: skip
    # Shares of ½, ½ and ⅓.
    for least, most, outside in ((0.0, 0.5, 0), (0.0, 0.49, 3), (0.4, 0.5, 1), (1 / 3, 0.5, 0), (0.34, 1.0, 1)):
        result = dc.PresenceViolations(least, most, population=crowd).measure(release, release)
        assert result.value == 25 * outside
        assert result.details == {**reading, "least": least, "most": most, "population": 9, "largest_share": 0.5}
    assert result.sentence == (
        "For 1 of 4 records the share of people with equal 2 keys who are in the file is not between 34 and 100 %; the "
        "largest is 50.0 %."
    )
    # A file with more records than there are people of a kind holds all of them.
    more = dc.PresenceViolations(0.0, 1.0, population=table([("x", "x")])).measure(release, release)
    assert (more.value, more.details["largest_share"]) == (100, 1.0)
    assert dc.PresenceViolations(0.0, 1.0, population=crowd).per_record(release, release).tolist() == [0] * 4


def test_missing_keys_and_keys_that_the_population_lacks():
    release = table_of_texts({"a": ["x", ""], "b": ["x", "y"], "c": ["1", "2"]})
    people = table_of_texts({"a": ["x", "x", ""], "c": ["1", "1", "2"]})
    measure = dc.KMapViolations(2, population=people)
    result = measure.measure(release, release)
    assert result.details["keys"] == ["a", "c"]
    assert result.value == 50
    assert result.sentence.endswith(" A missing cell counts as a value of its own, as the file shows it.")
