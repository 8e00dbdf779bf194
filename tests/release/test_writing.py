"""What is written of a release, a report and a study, and what is refused before anything is."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet.errors import DiscreetError, FileError, ParameterError
from discreet.release import writing
from discreet.release.writing import release_paths, write_report, write_study
from discreet.report import pdf, study_map

TABLE = dc.datasets.business(30)


@pytest.fixture(scope="module")
def release():
    masked = dc.Rounding(base=100).mask(TABLE)
    return masked, dc.assess(TABLE, masked)


def test_a_report_is_refused_before_anything_is_written(tmp_path, release):
    masked, assessment = release
    page, paper = tmp_path / "r.html", tmp_path / "r.pdf"
    for arguments, options, error, message in [
        ((TABLE, TABLE, assessment), {}, (DiscreetError, TypeError), "masked must be what a masker gave"),
        ((TABLE, masked, "good"), {}, (DiscreetError, TypeError), "assessment must be what assess gave"),
        (
            (TABLE, masked, assessment),
            {"html": paper, "pdf": tmp_path / "s.pdf"},
            ParameterError,
            "two files are asked",
        ),
        (
            (TABLE, masked, assessment),
            {"tell": ("noise", "seed")},
            ParameterError,
            "tell knows 'noise' and 'pram'; got",
        ),
        ((TABLE, masked, assessment), {"audience": "all"}, ParameterError, "audience must be 'internal' or 'external'"),
        ((TABLE, masked, assessment), {"inputs": [page]}, FileError, "is also an input"),
        ((TABLE, masked, assessment), {"json": page}, FileError, "are one file"),
    ]:
        with pytest.raises(error, match=message):
            write_report(*arguments, **{"html": page, **options})
    assert list(tmp_path.iterdir()) == []


def test_pages_and_figures_for_both_audiences(tmp_path, release):
    masked, assessment = release
    page, figures = tmp_path / "r.html", tmp_path / "r.json"
    source = tmp_path / "in.csv"
    source.write_text("x")
    write_report(TABLE, masked, assessment, html=page, json=figures, inputs=[source], protocol="a = 1")
    internal = page.read_text()
    assert "<!doctype html>" in internal
    assert json.loads(figures.read_text())
    assert "in.csv" in internal
    first = figures.read_bytes()
    write_report(TABLE, masked, assessment, json=figures, inputs=[source], protocol="a = 1")
    assert figures.read_bytes() == first, "the same results give the same bytes"
    page.unlink()
    write_report(TABLE, masked, assessment, html=page, audience="external", inputs=[source], files={"masked": source})
    assert page.read_text() != internal
    assert page.read_text().count("in.csv") == 1  # as what is released, not as what was read


class Toy(SimpleNamespace):
    """A study of one candidate."""

    def to_frame(self):
        import polars as pl

        return pl.DataFrame({"a": [1, 2]})

    def ranking(self):
        return []

    front = ranking

    def unmasked_entry(self):
        return None


def test_rows_and_pictures_of_a_study(tmp_path):
    write_study(Toy(), table=tmp_path / "rows.csv", picture=tmp_path / "map.svg")
    assert (tmp_path / "rows.csv").read_text().split() == ["a", "1", "2"]
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    write_study(Toy(), picture=tmp_path / "map.html")
    assert "<!doctype html>" in (tmp_path / "map.html").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.html", "map.svg", "rows.csv"]
    with pytest.raises(FileError, match="is also an input"):
        write_study(Toy(), table=tmp_path / "rows.csv", inputs=[tmp_path / "rows.csv"])


def test_where_the_files_of_a_release_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = SimpleNamespace(inputs=(), protocol=SimpleNamespace(release={"internal": "i.html"}))
    assert release_paths(run) == {
        "masked": Path("masked.csv"), "schema": Path("masked.toml"), "internal": Path("i.html"),
    }  # fmt: skip
    run = SimpleNamespace(inputs=(tmp_path / "a" / "in.csv",), protocol=SimpleNamespace(release={"masked": "m.sav"}))
    (tmp_path / "a").mkdir()
    assert release_paths(run) == {"masked": tmp_path / "a" / "m.sav", "schema": tmp_path / "a" / "m.toml"}
    found = release_paths(run, tmp_path / "new")
    assert found["masked"] == tmp_path / "new" / "m.sav"
    assert (tmp_path / "new").is_dir()


def test_a_picture_in_pixels_is_written_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(study_map, "map_png", lambda *entries: b"png" + bytes(len(entries)))
    write_study(Toy(), picture=tmp_path / "map.PNG")
    assert (tmp_path / "map.PNG").read_bytes() == b"png\0\0\0"
    assert [path.name for path in tmp_path.iterdir()] == ["map.PNG"]
    write_study(Toy())
    with pytest.raises(FileError, match="is also an input"):
        write_study(Toy(), picture=tmp_path / "map.PNG", inputs=[tmp_path / "map.PNG"])


def test_a_pdf_is_drawn_from_the_page(tmp_path, release, monkeypatch):
    pages = []
    monkeypatch.setattr(pdf, "render_pdf", lambda page: pages.append(page) or b"%PDF")
    write_report(TABLE, *release, html=tmp_path / "r.PDF")
    write_report(TABLE, *release, html=tmp_path / "r.html", pdf=tmp_path / "s.pdf", audience="external")
    assert [(tmp_path / name).read_bytes() for name in ("r.PDF", "s.pdf")] == [b"%PDF"] * 2
    assert pages[1] == (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.PDF", "r.html", "s.pdf"]


@pytest.fixture
def noted(monkeypatch):
    """What would be written, in its order."""
    found = []
    for name in ("write", "save_schema", "write_report", "write_manifest"):
        monkeypatch.setattr(writing, name, lambda *parts, name=name, **named: found.append((name, parts, named)))
    return found


def a_run(**changes):
    protocol = SimpleNamespace(public={"tell": ("noise",)}, about="about", scenarios=("tax",))
    verdicts = (SimpleNamespace(name="risk_at_most", met=False), SimpleNamespace(name="loss_at_most", met=True))
    fields = {
        "protocol": protocol, "original": "original", "masked": SimpleNamespace(schema="masked schema"),
        "before": {"a": 1}, "after": {"a": 2}, "verdicts": verdicts, "text": "text", "inputs": ("in.csv",),
        "assessment": "assessment", "advice": ("advice",),
    }  # fmt: skip
    return SimpleNamespace(**(fields | changes))


SHARED = {
    "before": {"a": 1}, "after": {"a": 2}, "inputs": ("in.csv",), "tell": ("noise",), "about": "about",
    "intruders": ("tax",), "files": {"masked": "m.csv", "schema": "m.toml"},
}  # fmt: skip


def test_a_release_goes_out_in_its_order_and_the_manifest_last(noted):
    run, paths = a_run(), {"masked": "m.csv", "schema": "m.toml", "internal": "i.html", "json": "i.json",
                           "external": "e.html", "manifest": "m.json"}  # fmt: skip
    writing._write_files(run, paths, None)
    figures = ("original", run.masked, "assessment")
    assert noted == [
        ("write", (run.masked, "m.csv", ("in.csv",)), {}),
        ("save_schema", ("masked schema", "m.toml", ("in.csv",)), {}),
        ("write_report", figures, {**SHARED, "html": "i.html", "json": "i.json", "pdf": None, "audience": "internal",
                                   "verdicts": run.verdicts, "advice": ("advice",), "protocol": "text"}),
        ("write_report", figures, {**SHARED, "html": "e.html", "audience": "external"}),
        ("write_manifest", ("m.json", {name: path for name, path in paths.items() if name != "manifest"}),
         {"protocol": "text", "inputs": ("in.csv",), "thresholds": {"risk_at_most": False, "loss_at_most": True}}),
    ]  # fmt: skip


def test_only_what_is_named_is_written_and_a_table_with_numbers_in_place_of_the_masked_one(noted):
    released = SimpleNamespace(schema="with numbers")
    writing._write_files(a_run(), {"masked": "m.csv", "schema": "m.toml"}, released)
    assert noted == [
        ("write", (released, "m.csv", ("in.csv",)), {}), ("save_schema", ("with numbers", "m.toml", ("in.csv",)), {}),
    ]  # fmt: skip
    writing._write_files(a_run(), {"masked": "m.csv", "schema": "m.toml", "pdf": "i.pdf"}, None)
    assert [(name, named.get("pdf")) for name, _, named in noted[4:]] == [("write_report", "i.pdf")]
