"""The demonstration is a whole release or nothing, and a data set is written with its schema."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.errors import DiscreetError
from discreet.release import demo as module
from discreet.release.demo import demo, write_dataset


def test_a_whole_release_is_written(tmp_path):
    masked, assessment, paths = demo(tmp_path / "new", n=60, k=7)
    names = {
        "original": "housing.csv", "schema": "housing.toml", "masked": "housing-masked.csv", "json": "assessment.json",
        "report": "report.html", "external": "external.html", "manifest": "manifest.json",
    }  # fmt: skip
    assert {name: path.name for name, path in paths.items()} == names
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(names.values())
    original = dc.read(paths["original"], paths["schema"])
    assert len(original) == len(masked.microdata) == 60
    # The intruder knows the amounts alone, everything else that was a key is confidential.
    survey = dc.datasets.housing(60).schema
    assert set(original.schema.keys) == {n for n in survey.keys if survey[n].scale.kind == "numeric"}
    assert all(original.schema[n].role == "confidential" for n in survey.keys if n not in original.schema.keys)
    released = dc.read(paths["masked"]).to_polars()
    keys = list(original.schema.keys)
    assert released.group_by(keys).len()["len"].min() >= 7
    assert masked.provenance.method == "mdav"
    told = json.loads(paths["json"].read_text(encoding="utf-8"))
    assert f'"value": {assessment.score.value}' in json.dumps(told)
    manifest = paths["manifest"].read_text(encoding="utf-8")
    assert all(name in manifest for role, name in names.items() if role != "manifest")
    assert paths["report"].read_text(encoding="utf-8") != paths["external"].read_text(encoding="utf-8")


@pytest.mark.parametrize("there", [False, True])
def test_nothing_is_left_of_one_that_is_interrupted(tmp_path, monkeypatch, there):
    folder = tmp_path / "here"
    if there:
        folder.mkdir()

    def interrupted(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_demonstrated", interrupted)
    with pytest.raises(KeyboardInterrupt):
        demo(folder, n=60)
    assert folder.exists() is there


def test_what_was_there_already_stays(tmp_path, monkeypatch):
    folder = tmp_path / "here"

    def half_done(*_given):
        (folder / "theirs.txt").write_text("mine", encoding="utf-8")
        raise ValueError("half")

    monkeypatch.setattr(module, "_demonstrated", half_done)
    with pytest.raises(ValueError, match="half"):
        demo(folder)
    assert [path.name for path in folder.iterdir()] == ["theirs.txt"]


def test_two_thousand_records_and_groups_of_five_by_default(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(module, "_demonstrated", lambda survey, target, k: asked.append((len(survey), target, k)))
    demo(tmp_path / "d")
    assert asked == [(2000, tmp_path / "d", 5)]


def test_a_data_set_is_written_with_its_schema_beside(tmp_path):
    schema = write_dataset("housing", tmp_path / "h.csv", n=25, random_state=3)
    assert schema == tmp_path / "h.toml"
    table = dc.read(tmp_path / "h.csv", schema)
    expected = dc.datasets.housing(25, 3)
    assert table.to_polars().equals(expected.to_polars())
    assert table.schema.keys == expected.schema.keys
    write_dataset("business", tmp_path / "b.csv")
    assert dc.read(tmp_path / "b.csv").to_polars().equals(dc.datasets.business(1000, 0).to_polars())


def test_a_data_set_that_there_is_none_of_is_refused(tmp_path):
    with pytest.raises(DiscreetError, match="housing"):
        write_dataset("housng", tmp_path / "h.csv")
    assert list(tmp_path.iterdir()) == []
