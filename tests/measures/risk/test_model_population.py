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
