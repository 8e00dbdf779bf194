"""The reports as their readers get them: whole, harmless, readable, and silent about records."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.assessment import Verdict
from discreet.contracts.masked import Masked
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.release import gathering
from discreet.report import page as page_module

SEED = 918273645
HOSTILE = ['<script>alert("x")</script>', "two\nlines", "=cmd|' /C calc'!A0", "@SUM(1+1)", "a\x1b[31mred", "../../etc"]
SECRET_LEVEL, SECRET_NUMBER, SECRET_NAME = "Hiddenville", 48151.62342, "Q. Planted"


def housing(n=200):
    data = dc.datasets.housing(n)
    roles = dict.fromkeys(("WHYMOVE", "WHYTOH", "WHYTON"), "confidential")
    return dc.Microdata(data.to_native(), data.schema.with_roles(**roles))


@pytest.fixture(scope="module")
def parts():
    data = housing()
    masked = dc.protect(data, "rank-swapping", p=8, random_state=SEED)
    return data, masked, dc.assess(data, masked)


@pytest.fixture(scope="module")
def folder(parts, tmp_path_factory):
    data, masked, assessment = parts
    path = tmp_path_factory.mktemp("reports")
    limit = Verdict(name="risk_at_most", value=assessment.score.risk, limit=0.5, met=False, sentence="Too much.")
    study = dc.compare(data, dc.grid(dc.MDAV, k=[3, 6]), measures=["il1s", "distance-linkage"])
    shared = {
        "before": {"neighbour": dc.assess(data, data)},
        "after": {"neighbour": assessment},
        "verdicts": [limit],
        "advice": workflow.advise(data, masked, assessment),
        "certificate": "Every group has at least 5 records.",
        "study": study,
        "protocol": f"seed = {SEED}\n\n[[step]]\nmethod = 'rank-swapping'\n",
    }
    for audience in ("internal", "external"):
        targets = {"html": path / f"{audience}.html", "json": path / f"{audience}.json"}
        workflow.write_report(data, masked, assessment, audience=audience, **targets, **shared)
    return path


@pytest.fixture(scope="module", params=["internal", "external"])
def page(folder, request):
    return (folder / f"{request.param}.html").read_text()


@pytest.fixture(scope="module")
def internal(folder):
    return (folder / "internal.html").read_text()


@pytest.fixture(scope="module")
def external(folder):
    return (folder / "external.html").read_text()


class Checker(HTMLParser):
    VOID = frozenset({"meta", "br", "img", "hr", "input", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.problems = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def check(page):
    checker = Checker()
    checker.feed(page)
    return checker


def words(page):
    """Return the text that a reader sees, without pictures and style."""
    bare = re.sub(r"<(svg|style).*?</\1>", " ", page, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", " ", bare)
    for code, sign in (("&#39;", "'"), ("&#34;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(code, sign)
    return " ".join(text.split())


def test_is_well_formed_and_self_contained(page):
    checker = check(page)
    assert checker.open == []
    assert checker.problems == []
    for tag, attributes in checker.tags:
        assert tag not in ("script", "link", "img", "iframe")
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href"):
            assert not (attributes.get(name) or "").startswith(("http", "//"))
    assert "@import" not in page
    assert not re.search(r"url\(\s*['\"]?http", page)


def test_every_picture_speaks_and_has_its_table(page):
    pictures = [a for tag, a in check(page).tags if tag == "svg"]
    named = [a for a in pictures if a.get("role") == "img" and len(a.get("aria-label", "")) > 20]
    assert len(pictures) == len(named) > 10
    assert page.count("The figures behind this picture") >= 9


def test_tables_have_captions_and_headers_with_a_scope(page):
    tables = re.findall(r"<table>.*?</table>", page, flags=re.DOTALL)
    assert len(tables) > 8
    for table in tables:
        assert "<caption>" in table
        heads = re.findall(r"<th[ >][^>]*", table)
        assert heads
        assert all('scope="' in head for head in heads)


def test_headings_go_down_one_at_a_time_and_links_lead_somewhere(page):
    levels = [int(tag[1]) for tag, _ in check(page).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    anchors = {a["id"] for _, a in check(page).tags if "id" in a}
    for target in re.findall(r'href="#([^"]+)"', page):
        assert target in anchors
    assert '<html lang="en">' in page
    assert "<title>" in page


def test_no_two_things_share_an_id(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        ("ink", "paper"), ("ink", "desk"), ("soft", "paper"), ("soft", "desk"), ("link", "paper"), ("link", "desk"),
        ("good", "paper"), ("bad", "paper"), ("good", "good-paper"), ("bad", "bad-paper"), ("ink", "note-paper"),
        ("note", "note-paper"),
    ],
)  # fmt: skip
def test_text_stands_out_from_its_paper(internal, ink, paper):
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", internal))
    assert contrast(colours[ink], colours[paper]) >= 4.5


def test_pictures_stand_out_too():
    from discreet import drawing

    for colour in (drawing.INK, drawing.BEFORE, drawing.AFTER, drawing.CHANCE):
        assert contrast(colour, "#ffffff") >= 4.5
    assert abs(luminance(drawing.BEFORE) - luminance(drawing.AFTER)) > 0.01


def test_the_contrast_check_can_fail():
    assert contrast("#ffffff", "#ffffff") == 1
    assert contrast("#999999", "#ffffff") < 4.5


def test_has_a_style_for_paper(page):
    assert "@media print" in page
    assert "break-inside: avoid" in page


def test_internal_shows_every_number_with_its_sentence(internal, parts):
    _, masked, assessment = parts
    text = words(internal)
    for m in assessment.measurements:
        assert f"{m.value:.2f} {m.unit}".strip() in text
        assert m.sentence.split(" The release was masked")[0] in text
    for expected in (str(SEED), "neighbour", "Too much.", "1 of 1 thresholds is not met", "Every group has at least 5",
                     "riskiest combinations", "before", "rank-swapping", "guessing", "Other candidates"):  # fmt: skip
        assert expected in text
    assert "[[step]] method" in text
    assert str(masked.provenance.changed["RENT"]) in text


def test_external_says_what_was_done_and_what_it_cost(external, parts):
    _, _, assessment = parts
    text = words(external)
    for m in assessment.of_kind("loss"):
        assert m.title in text
        # Digits are equations in the hidden values, and a sentence may hold a count: neither is passed on.
        assert m.sentence not in text
        assert not m.value or f" {m.value:.2f} {m.unit}" not in text
    assert "below 10 %" in text
    assert "above 10 %" in text
    assert "rank-swapping" in text
    assert "left out" in text


def test_external_holds_no_seed_no_risk_and_no_way_back(folder, external, parts):
    _, masked, assessment = parts
    machine = (folder / "external.json").read_text()
    shown = {f"{m.value:.2f}" for m in assessment.of_kind("loss")}
    shown |= {f"{v:.2f}" for m in assessment.of_kind("loss") for v in m.per_attribute.values()}
    for text in (words(external), machine):
        assert str(SEED) not in text
        assert "seed" not in text.lower()
        assert "risk" not in text.lower()
        assert "linkage" not in text.lower()
        assert "Too much." not in text
        assert f"{assessment.score.value:.2f}" not in text
        for m in assessment.of_kind("risk"):
            assert m.title not in text
            assert m.sentence not in text
            assert len(repr(m.value)) < 8 or repr(m.value) not in text
            if m.value > 0 and f"{m.value:.2f}" not in shown and text is not machine:
                assert f" {m.value:.2f} %" not in text
    read = json.loads(machine)
    assert set(read) == {
        "discreet", "audience", "n_records", "steps", "attributes", "changes", "suppressions", "loss", "distributions",
        "correlations", "about", "files",
    }  # fmt: skip
    few = len(masked)
    for one in read["changes"]:  # counts from ten on, and none that leaves fewer than ten
        for count in (one["changed"], one["suppressed"]):
            assert count is None or count in (0, one["cells"]) or 10 <= count <= few - 10
    assert {key for step in read["steps"] for key in step} <= {
        "method", "what_it_does", "attributes", "guarantees", "values_may_be_untrue", "smallest_group", "iso_20889",
    }  # fmt: skip


def test_external_tells_no_probabilities_of_change():
    data = housing(150)
    masked = dc.PRAM(theta=0.37, random_state=SEED).mask(data)
    from discreet.report.page import render_html, render_json

    tables = (data, masked.microdata, masked.provenance)
    contents = gathering.gather(*tables, dc.assess(data, masked), "external", {}, {}, (), (), None, None, "")
    for text in (words(render_html(contents, "external")), render_json(contents, "external")):
        assert "0.37" not in text
        assert "theta" not in text
        assert "matrices" not in text


def test_json_holds_the_same_figures(folder, parts):
    _, masked, assessment = parts
    read = json.loads((folder / "internal.json").read_text())
    assert read["assessment"]["score"]["value"] == assessment.score.value
    assert read["provenance"]["method"] == "rank-swapping"
    assert read["provenance"]["seed"] == SEED
    assert read["assessment"]["known_to_the_intruder"] == list(assessment.known)
    assert read["scenarios"]["neighbour"]["before"]["n_records"] == len(masked)
    assert read["exposure"]["combinations"][0]["keys"]
    assert read["verdicts"][0]["met"] is False


def test_the_same_results_give_the_same_bytes(folder, parts, tmp_path):
    data, masked, assessment = parts
    pages = []
    for name in ("a.html", "b.html"):
        workflow.write_report(data, masked, assessment, html=tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_hostile_names_are_harmless(tmp_path):
    frame = pl.DataFrame({name: [1.5, 2.5, 9.5, 8.5, 3.5, 4.5 + i] for i, name in enumerate(HOSTILE)})
    data = dc.microdata(frame, Schema([Attribute(name, Numeric(), "key") for name in HOSTILE]))
    masked = dc.MDAV(k=2).mask(data)
    assessment = dc.assess(data, masked)
    for audience in ("internal", "external"):
        target = tmp_path / f"{audience}.html"
        workflow.write_report(data, masked, assessment, html=target, audience=audience)
        page = target.read_text()
        checker = check(page)
        assert checker.problems == []
        assert not [tag for tag, _ in checker.tags if tag == "script"]
        assert "&lt;script&gt;" in page
        assert "\x1b" not in page
        assert "two\nlines" not in page
        assert "two�lines" in page


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("mdav", {"k": 3}),
        ("rank-swapping", {"p": 10, "random_state": 1}),
        ("pram", {"random_state": 1}),
        ("mondrian", {"k": 3}),
        ("top-coding", {"share": 0.1}),
        ("additive-noise", {"random_state": 1}),
    ],
)
def test_a_planted_record_never_appears(tmp_path, method, parameters):
    n = 60
    towns = ["North"] * 30 + ["South"] * 29 + [SECRET_LEVEL]
    frame = pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n - 1)] + [SECRET_NAME],
            "town": towns,
            "wage": [1000.0 + 13.0 * i for i in range(n - 1)] + [SECRET_NUMBER],
            "hours": [20.0 + (i * 7) % 31 for i in range(n)],
            "ill": ["no", "yes"] * 30,
        }
    )
    schema = Schema(
        [
            Attribute("name", Nominal(tuple(sorted(frame["name"]))), "identifier"),
            Attribute("town", Nominal(("North", "South", SECRET_LEVEL)), "key"),
            Attribute("wage", Numeric(), "key"),
            Attribute("hours", Numeric(), "key"),
            Attribute("ill", Nominal(("no", "yes")), "confidential"),
        ]
    )
    data = dc.microdata(frame, schema)
    masked = dc.protect(data, method, **parameters)
    assessment = dc.assess(data, masked)
    shown = [thing._repr_html_() for thing in (data, schema, masked, assessment)]
    for audience in ("internal", "external"):
        targets = {"html": tmp_path / "r.html", "json": tmp_path / "r.json"}
        workflow.write_report(
            data, masked, assessment, audience=audience, before={"a": dc.assess(data, data)}, after={"a": assessment},
            advice=workflow.advise(data, masked, assessment), **targets,
        )  # fmt: skip
        shown += [path.read_text() for path in targets.values()]
    for text in shown:
        assert SECRET_LEVEL not in text
        assert SECRET_NAME not in text
        assert "48151" not in text
        assert "48 151" not in text


def test_a_file_of_sequences_gets_its_steps(tmp_path):
    trips = dc.datasets.itineraries(120)
    masked = dc.KSHC(k=5).mask(trips)
    assessment = dc.assess(trips, masked)
    workflow.write_report(trips, masked, assessment, html=tmp_path / "r.html", audience="external")
    workflow.write_report(trips, masked, assessment, html=tmp_path / "i.html")
    for name in ("r.html", "i.html"):
        page = (tmp_path / name).read_text()
        assert "Steps from event to event" in page
        assert "→" in page
        assert check(page).problems == []


def test_an_unknown_audience_is_refused(parts, tmp_path):
    data, masked, assessment = parts
    with pytest.raises(dc.errors.ParameterError, match="audience must be"):
        workflow.write_report(data, masked, assessment, html=tmp_path / "x.html", audience="public")


def expected(rows, places):
    seen = [tuple(row[j] for j in places) for row in rows]
    return sum(1 / seen.count(one) for one in seen)


def test_what_a_key_adds_is_the_figure_that_its_caption_names(tmp_path):
    """Counted in plain Python on both files: the expected re-identifications with all keys, less those without one."""
    names = ("town", "job", "age")
    before = [("a", "u", "1"), ("a", "u", "2"), ("a", "v", "1"), ("b", "v", "3"), ("b", "u", "3"), ("b", "v", "2")]
    after = [("a", "u", None), ("a", "u", None), ("a", "v", None), ("b", "v", "3"), (None, "u", "3"), ("b", "v", None)]
    schema = Schema(Attribute(name, Nominal(sorted({row[j] for row in before})), "key") for j, name in enumerate(names))
    data, release = (
        dc.microdata(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"), schema)
        for rows in (before, after)
    )
    path = tmp_path / "report.html"
    masked = Masked(release, dc.LocalSuppression(k=2).mask(data).provenance)
    workflow.write_report(data, masked, dc.assess(data, masked), audience="internal", html=path)
    text = path.read_text(encoding="utf-8")
    assert "one other" not in text
    caption = "Expected re-identifications that are gone if the intruder does not know the key"
    table = text.split(f"<caption>{caption}</caption>")[1].split("</table>")[0]
    shown = dict(re.findall(r'class="names">(\w+)</th>((?:<td class="number">[-\d.]+</td>)+)', table))
    assert set(shown) == set(names)
    for j, name in enumerate(names):
        others = [i for i in range(3) if i != j]
        falls = [expected(rows, range(3)) - expected(rows, others) for rows in (before, after)]
        assert re.findall(r">([-\d.]+)<", shown[name]) == [f"{fall:.1f}" for fall in falls]
    assert "knows every other key but not this one" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1.23456, "1.235"), (-0.5, "−0.5"), (999.96, "1 000"), (999.94, "999.9"), (-12345.6, "−12 350"),
        (1234567, "1 235 000"), (0.000123456, "0.0001235"),
    ],
)  # fmt: skip
def test_numbers_to_four_digits_as_people_write_them(value, text):
    assert re.sub(r"\s", " ", page_module._short(value)) == text


def test_what_all_sentences_end_with_is_said_once():
    said = page_module._said_by_all(["One risk. It is so. Take care.", "Two risks. It is so. Take care."])
    assert said == "It is so. Take care."
    assert page_module._said_by_all(["Only one. Take care."]) == page_module._said_by_all([]) == ""
    assert page_module._said_by_all(["One care.", "Two care."]) == ""
    assert page_module._brief("One risk. Take care.", "Take care.") == "One risk. *"
    assert page_module._brief("One risk.", "Take care.") == "One risk."
    assert page_module._brief("One risk.", "") == "One risk."


def test_figures_of_a_page_have_their_form():
    filters = page_module.environment().filters
    assert [filters["two"](one) for one in (1.005, -2)] == ["1.00", "-2.00"]
    assert [filters["signed"](one) for one in (1.5, -2, 0)] == ["+1.50", "−2.00", "+0.00"]
    assert list(filters["zip"]([1, 2], "ab")) == [(1, "a"), (2, "b")]
    with pytest.raises(ValueError, match="zip"):
        list(filters["zip"]([1], "ab"))
    holds = page_module.environment().tests["holds"]
    assert (holds(["a"], "a"), holds(["a"], "b")) == (True, False)
