"""One object from the file to the report: the functions' figures and files, and nothing changed in place."""

from __future__ import annotations

import json

import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.datasets import business, housing
from discreet.errors import FileError, ParameterError
from discreet.release import guided

SEED = 20


@pytest.fixture(scope="module")
def companies():
    return dc.survey(business(90))


@pytest.fixture(scope="module")
def release(companies):
    return companies.protect("rank-swapping", p=10, attributes=["TURNOVER"], seed=SEED).protect("mdav", k=4)


def cells(masked):
    return dc.microdata(masked.to_native()).to_polars()


def test_a_survey_is_a_table_as_any_other(companies):
    assert isinstance(companies, dc.Microdata)
    assert len(dc.protect(companies, "mdav", k=4)) == 90
    assert companies.risk().value == dc.risk(companies).value


def test_steps_give_what_a_chain_and_a_protocol_give(companies, release):
    steps = [dc.release.Step("rank-swapping", {"p": 10, "attributes": ["TURNOVER"]}), dc.release.Step("mdav", {"k": 4})]
    chain = dc.Chain(steps, SEED).mask(companies)
    assert cells(release.masked).equals(cells(chain))
    assert [one.method for one in release.masked.provenance.history] == ["rank-swapping", "mdav"]
    again = dc.run(release.protocol(thresholds={"smallest_group": 3}), original=companies, before=False)
    assert cells(again.masked).equals(cells(chain))
    assert release.protocol(about={"title": "Firms"}).about.title == "Firms"


def test_nothing_is_changed_in_place(companies, release):
    before = companies.to_polars()
    earlier = release.undo()
    assert [step.method for step in earlier.steps] == ["rank-swapping"]
    assert cells(earlier.masked).equals(cells(companies.protect("rank-swapping", p=10, attributes=["TURNOVER"],
                                                                 seed=SEED).masked))  # fmt: skip
    assert release.undo(2) is companies
    assert len(release.steps) == 2
    assert companies.to_polars().equals(before)
    for steps in (0, 3, True, "1"):
        with pytest.raises(ParameterError, match="from 1 to 2"):
            release.undo(steps)


def test_figures_are_those_of_the_functions(companies, release):
    assert release.assess().score == dc.assess(companies, release.masked).score
    assert release.assess() is release.assess()
    assert [m.name for m in release.assess(measures=["sse"]).measurements] == ["sse"]
    assert release.measure("sse")[0].value == dc.measure(companies, release.masked, "sse")[0].value
    assert release.attack("distance").evaluate().expected == dc.attack(companies, release.masked).evaluate().expected
    assert release.risk().value == dc.risk(release.masked).value
    assert {one.code for one in release.advice} == {
        one.code for one in dc.advise(companies, release.masked, release.assess())
    }


def test_methods_come_by_name_as_maskers_per_unit_and_in_chains():
    homes = dc.survey(housing(120), schema=housing(120).schema)
    numbers = [a.name for a in homes.schema if a.scale.kind == "numeric" and a.role == "key"]
    by_name = homes.protect("mdav", k=4, attributes=numbers, seed=1)
    ready = homes.protect(dc.MDAV(k=4, attributes=numbers), seed=1)
    chained = homes.protect(dc.Chain([dc.MDAV(k=4, attributes=numbers)]), seed=1)
    assert cells(by_name.masked).equals(cells(ready.masked))
    assert cells(by_name.masked).equals(cells(chained.masked))
    with pytest.raises(ParameterError, match="k cannot be given beside"):
        homes.protect(dc.MDAV(), k=3)
    with pytest.raises(ParameterError, match="the seed of all"):
        by_name.protect("mdav", seed=2)
    with pytest.raises(dc.errors.UnknownNameError):
        homes.protect("mdaf")


def test_one_record_for_each_unit():
    people = pl.DataFrame({"home": [n // 3 for n in range(60)], "rent": [float(n // 3 * 7 % 50) for n in range(60)]})
    release = dc.survey(people, keys="rent", household="home").protect("mdav", k=3, unit="home", attributes=["rent"])
    rents = release.masked.to_native()["rent"].to_list()
    assert all(len(set(rents[place : place + 3])) == 1 for place in range(0, 60, 3))
    assert release.steps[0].unit == "home"


def test_reports_are_written_by_their_ending_for_their_reader(release, tmp_path):
    path = release.report(tmp_path / "internal.json", about={"title": "Firms"})
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["about"] == {"title": "Firms"}
    assert set(told["scenarios"]) == {"all keys"}
    intruder = dc.Intruder("tax office", ("TURNOVER",), in_words="Reads returns.")
    release.report(tmp_path / "scenarios.json", intruders=[intruder])
    told = json.loads((tmp_path / "scenarios.json").read_text(encoding="utf-8"))
    assert told["scenarios_in_words"] == {"tax office": "Reads returns."}
    outside = release.report(tmp_path / "external.html", audience="external").read_text(encoding="utf-8")
    assert str(SEED) not in outside.split("<body>")[1].split("SHA")[0] or "seed" not in outside.lower()
    with pytest.raises(FileError, match="html"):
        release.report(tmp_path / "internal.doc")


def test_the_file_goes_through_the_same_gate(tmp_path):
    path = tmp_path / "firms.csv"
    dc.write(business(60), path)
    release = dc.survey(path, schema=business(60).schema).protect("mdav", k=4)
    before = path.read_bytes()
    with pytest.raises(FileError):
        release.write(path)
    with pytest.raises(FileError):
        release.report(path.with_suffix(".html").with_name("firms.csv"))
    assert path.read_bytes() == before
    assert release.write(tmp_path / "masked.csv").exists()
    assert release.protocol().source.file == "firms.csv"


def test_what_it_shows_holds_no_seed(companies):
    release = companies.protect("rank-swapping", p=10, random_state=987654321, seed=123456789)
    for text in (repr(release), release._repr_html_()):
        assert "987654321" not in text
        assert "123456789" not in text
    assert "rank-swapping(p=10)" in repr(release)


def test_a_column_that_is_not_there_is_named_with_its_step():
    table = dc.survey(pl.DataFrame({"x": [1.5, 2.5, 4.0, 7.0]}), keys="x", numeric="x", others="other")
    with pytest.raises(dc.errors.UnknownNameError, match=r"Step 1 \(mdav\): .*'y'"):
        table.protect("mdav", attributes=["y"])


def test_before_the_first_step_there_is_a_risk_and_no_release(companies, release, tmp_path):
    path = release.undo(2).report(tmp_path / "risk.html")
    workflow.write_risk(companies.risk(), tmp_path / "same.html")
    assert path.read_bytes() == (tmp_path / "same.html").read_bytes()
    with pytest.raises(ParameterError, match=r"undo: no step was taken.*survey\.protect"):
        companies.undo()
    with pytest.raises(dc.DiscreetError, match=r"assess: no step was taken.*Protect first"):
        companies.assess()
    for name in ("attack", "measure", "write", "protocol", "masked", "steps", "advice"):
        with pytest.raises(dc.DiscreetError, match=f"{name}: no step was taken"):
            getattr(companies, name)
        assert not hasattr(companies, name)
    with pytest.raises(AttributeError, match="'Survey' object has no attribute 'nothing'"):
        companies.nothing  # noqa: B018 - it must not be there
    for options in ({"audience": "external"}, {"about": {"title": "Firms"}}):
        with pytest.raises(ParameterError, match=f"report: {next(iter(options))} is about a release"):
            companies.report(tmp_path / "other.html", **options)
    with pytest.raises(FileError, match="written as .html"):
        companies.report(tmp_path / "other.json")
    assert not (tmp_path / "other.html").exists()


def test_functions_take_a_protected_survey_as_its_release(companies, release):
    masked = release.masked
    assert dc.measure(companies, release, "uniques") == dc.measure(companies, masked, "uniques")
    assert dc.assess(companies, release) == dc.assess(companies, masked)
    assert repr(dc.attack(companies, release)) == repr(dc.attack(companies, masked))
    assert dc.risk(release).value == dc.risk(masked).value
    assert workflow.attack_together(companies, release).expected == workflow.attack_together(companies, masked).expected
    again = dc.protect(release, "mdav", k=9)
    assert [one.method for one in again.provenance.history] == ["rank-swapping", "mdav", "mdav"]


def test_what_is_no_table_is_told_so(companies):
    with pytest.raises(dc.DiscreetError, match="A table must be .*got int"):
        dc.measure(companies, 3, "uniques")


def test_what_was_done_is_told_with_the_size_of_groups_and_what_is_not_as_usual(companies):
    assert repr(companies.protect("mdav")) == "ProtectedSurvey(90 records: mdav(k=3))"
    by_object = companies.protect(dc.MDAV(k=4, standardise="range"))
    assert repr(by_object) == "ProtectedSurvey(90 records: mdav(k=4, standardise=range))"


@pytest.fixture
def drawn(companies, monkeypatch):
    """A survey after one step, and what would be written of it."""
    asked = []
    monkeypatch.setattr(guided, "write_report", lambda *parts, **named: asked.append((parts, named)))
    monkeypatch.setattr(guided, "advise", lambda *parts: ("advice", *parts[:1]))

    def assess(original, masked, **options):
        return "before" if masked is original else "after", *options.items()

    monkeypatch.setattr(guided, "assess", assess)
    return companies.protect("top-coding", share=0.1, seed=1), asked


@pytest.mark.parametrize(
    ("name", "kind"), [("a.html", "html"), ("a.HTM", "html"), ("a.pdf", "pdf"), ("a.json", "json")]
)
def test_a_report_is_asked_for_by_its_ending(drawn, companies, tmp_path, name, kind):
    release, asked = drawn
    assert release.report(str(tmp_path / name), about={"title": "Firms"}, more=3) == tmp_path / name
    ((parts, named),) = asked
    assert parts == (companies, release.masked, ("after",))
    assert named == {
        kind: str(tmp_path / name), "audience": "internal", "before": {"all keys": ("before",)},
        "after": {"all keys": ("after",)}, "advice": ("advice", companies), "about": {"title": "Firms"},
        "intruders": (), "inputs": [], "more": 3,
    }  # fmt: skip


def test_a_report_for_others_says_nothing_of_before_and_gives_no_advice(drawn, tmp_path):
    release, asked = drawn
    one = [dc.Intruder("tax office", ("TURNOVER",))]
    release.report(tmp_path / "a.html", audience="external")
    release.report(tmp_path / "a.html", audience="external", intruders=one)
    release.report(tmp_path / "a.html", intruders=one)
    found = [(named["before"], named["after"], bool(named["advice"]), named["intruders"]) for _, named in asked]
    asked_of = (("intruders", one),)
    assert found == [
        ({}, {"all keys": ("after",)}, False, ()), ({}, ("after", *asked_of), False, one),
        (("before", *asked_of), ("after", *asked_of), True, one),
    ]  # fmt: skip


def test_steps_are_those_that_were_asked_for():
    step = dc.release.Step("mdav", {"k": 4})
    assert guided._steps("mdav", "home", {"k": 4, "attributes": None}) == (dc.release.Step("mdav", {"k": 4}, "home"),)
    assert guided._steps(dc.Chain([step]), None, {}) == (step,)
    inner = {name: value for name, value in dc.MDAV(k=4).get_params(deep=False).items() if value is not None}
    assert guided._steps(dc.PerUnit(dc.MDAV(k=4), "home"), None, {}) == (dc.release.Step("mdav", inner, "home"),)
    assert guided._steps(dc.MDAV(k=4), None, {}) == (dc.release.Step("mdav", inner),)
    with pytest.raises(ParameterError, match="protect: unit cannot be given beside a method"):
        guided._steps(dc.MDAV(), "home", {})


def test_a_step_is_labelled_with_its_unit_and_without_its_seed():
    step = dc.release.Step("mdav", {"k": 3, "random_state": 5, "standardise": "range"}, "home")
    assert guided._label(step) == "mdav(k=3, standardise=range, unit=home)"
    assert guided._label(dc.release.Step("rank-swapping", {})) == "rank-swapping()"
    assert guided._label(dc.release.Step("kmodes", {})).startswith("kmodes(k=")


def test_a_panel_counts_its_steps(companies):
    one = companies.protect("top-coding", share=0.1, seed=1)
    assert "90 records, 1 step<" in one._repr_html_()
    two = one.protect("top-coding", share=0.2)
    assert "90 records, 2 steps<" in two._repr_html_()
    assert (len(two), two.seed, two.undo().seed, [step.method for step in two.steps]) == (90, 1, 1, ["top-coding"] * 2)
    assert two.undo(1).steps == one.steps
    assert cells(two.undo().masked).equals(cells(one.masked))


def test_a_protocol_of_a_table_at_hand_names_no_file(companies):
    release = companies.protect("top-coding", share=0.1, seed=5)
    known = [dc.Intruder("tax office", ("TURNOVER",))]
    plan = release.protocol(scenarios=known, thresholds={"risk_at_most": 20}, about={"title": "Firms"})
    assert (plan.source, plan.seed, plan.steps, plan.schema) == (None, 5, release.steps, companies.schema)
    assert (list(plan.scenarios), dict(plan.thresholds), plan.about.title) == (known, {"risk_at_most": 20}, "Firms")
    assert dict(release.protocol().thresholds) == {}


def test_without_a_seed_one_is_drawn(companies, monkeypatch):
    monkeypatch.setattr(guided, "drawn_seed", lambda: 77)
    assert companies.protect("top-coding").seed == 77
    assert companies.protect("top-coding", seed=0).seed == 0
