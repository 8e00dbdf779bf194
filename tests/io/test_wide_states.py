"""State tables from files to files, judged on the bytes by the csv module alone."""

from __future__ import annotations

import csv
import random
from collections import Counter

import polars as pl
import pytest

import discreet as dc
from discreet.errors import ParameterError, SchemaError
from discreet.io.reading import read_release

MONTHS = [f"{month}.{year}" for year in (93, 94) for month in ("Jul", "Aug", "Sep", "Oct", "Nov", "Dec")]


def rows_of(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.fixture
def school(tmp_path):
    """A file in the shape of mvad: an identifier, covariates before and after, months of one common alphabet, gaps."""
    rng = random.Random(5)  # noqa: S311 - a made-up file
    states = ["employment", "training", "FE", "joblessness"]
    lines = [["id", "weight_kg", *MONTHS[:6], "region", *MONTHS[6:], "fail"]]
    for i in range(60):
        course = [rng.choice(states)]
        for _ in MONTHS[1:]:
            course.append(course[-1] if rng.random() < 0.8 else rng.choice([*states, ""]))
        lines.append([f"p{i}", f"{rng.uniform(50, 90):.2f}", *course[:6], rng.choice("NS"), *course[6:], "yes"])
    path = tmp_path / "school.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
    return path


def states(row, header):
    return tuple(row[header.index(month)] for month in MONTHS)


@pytest.mark.parametrize("masker", [dc.KSHC(k=4), dc.SequenceMDAV(k=4, prototype="majority", distance="hamming")])
def test_only_cells_of_states_change_and_every_row_of_states_is_shared(school, masker):
    original = dc.survey(school, states=",".join(MONTHS), identifiers="id")
    target = school.with_name("masked.csv")
    dc.write(masker.mask(original), target)
    (head, *before), (header, *after) = rows_of(school), rows_of(target)
    assert header == head[1:]
    others = [name for name in header if name not in MONTHS]
    assert [[row[header.index(n)] for n in others] for row in after] == [
        [row[head.index(n)] for n in others] for row in before
    ]
    courses = Counter(states(row, header) for row in after)
    assert min(courses.values()) >= 4
    assert set().union(*courses) <= {"employment", "training", "FE", "joblessness", ""}
    assert [states(row, header) for row in after] != [states(row, head) for row in before]


def test_what_was_not_masked_comes_back_byte_for_byte(school):
    table = dc.survey(school, states=",".join(MONTHS), identifiers="id")
    target = school.with_name("same.csv")
    dc.write(table.select([name for name in table.names if name != "id"]), target)
    assert rows_of(target) == [row[1:] for row in rows_of(school)]


def test_states_written_as_numbers_keep_their_digits(tmp_path):
    path = tmp_path / "codes.csv"
    lines = ["m1;m2;m3;age", *(f"{i % 3}.0;{i % 2}.0;0{i % 2};{20 + i}" for i in range(12)), ";;;50", "1.0;;00;51"]
    path.write_text("\n".join(lines) + "\n")
    table = dc.survey(path, states="m1..m3")
    assert table.schema["m1..m3"].scale.alphabet == ("", "0.0", "00", "01", "1.0", "2.0")
    dc.write(table, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == path.read_text()


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "ndjson", "arrow", "sav", "dta"])
def test_other_formats_have_the_same_columns_of_the_same_types(tmp_path, ending):
    frame = pl.DataFrame(
        {"sex": ["f", "m"] * 6, "w1": [1, 2, 3, 1] * 3, "w2": [1, 1, 3, 2] * 3, "w3": [2, 1, None, 2] * 3}
    )
    dc.write(dc.microdata(frame), tmp_path / f"panel.{ending}")
    table = dc.survey(tmp_path / f"panel.{ending}", states="w1..w3", keys="sex")
    assert table.names == ("sex", "w1..w3")
    dc.write(dc.KSHC(k=3).mask(table), tmp_path / f"masked.{ending}")
    released = dc.read(tmp_path / f"masked.{ending}").to_polars()
    assert released.columns == frame.columns
    assert released.dtypes == dc.read(tmp_path / f"panel.{ending}").to_polars().dtypes
    assert min(Counter(released.select("w1", "w2", "w3").rows()).values()) >= 3


def test_a_release_is_read_in_the_shape_of_its_original(school):
    original = dc.survey(school, states=",".join(MONTHS), identifiers="id")
    masked = dc.KSHC(k=4).mask(original)
    dc.write(masked, school.with_name("masked.csv"))
    release = read_release(school.with_name("masked.csv"), original)
    name = next(n for n in release.names if ".." in n)
    assert release.column(name).to_pylist() == masked.microdata.column(name).to_pylist()


def test_a_schema_file_may_list_the_columns_alone(school):
    listed = ", ".join(f'"{month}"' for month in MONTHS)
    school.with_name("partial.toml").write_text(
        f'[[attribute]]\nname = "course"\nrole = "confidential"\nscale = "sequence"\ncolumns = [{listed}]\n'
    )
    table = dc.read(school, school.with_name("partial.toml"))
    assert table.schema["course"].role == "confidential"
    assert len(table.schema["course"].scale.alphabet) == 5


def test_streamed_files_are_refused_and_a_broken_list_too(tmp_path, school):
    frame = pl.DataFrame({"m1": ["a"] * 4, "m2": ["b"] * 4})
    frame.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(ParameterError, match="gathered in memory"):
        dc.scan(tmp_path / "t.parquet", dc.Declaration(states=("m1..m2",)))
    with pytest.raises(SchemaError, match="column"):
        dc.survey(school, states="Jul.93..Jul.95")


def test_the_real_files(data_dir, tmp_path):
    source = data_dir / "uci" / "biofam.csv"
    original = dc.read(source)
    assert [a.name for a in original.schema if a.scale.kind == "sequence"] == ["a15..a30"]
    masked = dc.KSHC(k=5, attributes=["a15..a30"]).mask(original)
    dc.write(masked, tmp_path / "out.csv")
    (head, *before), (header, *after) = rows_of(source), rows_of(tmp_path / "out.csv")
    assert header == head[1:]
    ages = [f"a{age}" for age in range(15, 31)]
    first = header.index("a15")
    assert header[first : first + 16] == ages
    assert [row[:first] + row[first + 16 :] for row in after] == [
        row[1 : first + 1] + row[first + 17 :] for row in before
    ]
    assert min(Counter(tuple(row[first : first + 16]) for row in after).values()) >= 5
