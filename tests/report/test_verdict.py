"""The report to sign: the verdict first, what was decided, and nothing of it for data users but the name."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.assessment import Assessment, Score, Verdict
from discreet.contracts.masked import Provenance
from discreet.datasets import business
from discreet.errors import ParameterError
from discreet.report.contents import Contents
from discreet.report.verdict import verdict_of

ABOUT = {
    "title": "Firms <2026>", "release_type": "scientific use file", "date": "2026-11-30", "purpose": "Purpose-word",
    "legal_basis": "Basis-word", "recipients": ["Recipient-word"], "decided_by": "Decider-word",
    "decision": "Decision-word", "reasons": "Reason-word", "exceptions": ["Exception-word"],
    "review_date": "2028-01-01",
}  # fmt: skip
INSIDE = [f"{word}-word" for word in ("Purpose", "Basis", "Recipient", "Decider", "Decision", "Reason", "Exception")]


def contents(*verdicts, risk=12.0, loss=0.01, incomplete=()):
    score = Score("worst-case", 0.0, loss, risk, "", intruder="tax office", worst_column="AGE", incomplete=incomplete)
    unmasked = Score("worst-case", 50.0, 0.0, 99.0, "")
    assessment = Assessment(10, ("AGE",), (), score, unmasked=unmasked)
    provenance = Provenance("mdav", {}, ("AGE",), 10)
    return Contents(provenance, assessment, business(5).schema, verdicts=verdicts)


def verdict(*, met):
    return Verdict("risk_at_most", 1.0, 2.0, met, "So.")


def test_three_sentences_say_whether_how_risky_and_what_it_cost():
    assert verdict_of(contents(verdict(met=True), verdict(met=True))) == (
        "All 2 thresholds are met.",
        (
            "The intruder who finds most, “tax office”, re-identifies 12.0 % of the records, "
            "and 99.0 % in the unmasked file."
        ),
        "For that, a cell lost less than 0.1 % of its information on average, most in AGE.",
    )
    assert verdict_of(contents(verdict(met=False), verdict(met=True)))[0] == (
        "1 of 2 thresholds is not met: not to be released like this."
    )
    assert verdict_of(contents())[0].startswith("No threshold was set")
    assert "at least 12.0 %" in verdict_of(contents(incomplete=("x",)))[1]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signed")
    table = business(80)
    workflow.write(table, folder / "firms.csv")
    intruder = dc.Intruder("tax office", ("TURNOVER", "EMPLOYEES"), in_words="Who reads the tax returns.")
    step = dc.release.Step("mdav", {"k": 4})
    files = {"masked": "masked.csv", "internal": "internal.html", "external": "external.html", "json": "internal.json"}
    protocol = dc.Protocol(table.schema, [step], [intruder], {"smallest_group": 3}, 1,
                           dc.release.Source("firms.csv"), files, about=ABOUT)  # fmt: skip
    protocol.save(folder / "protocol.toml")
    workflow.run(folder / "protocol.toml").write(folder / "out")
    return folder


def test_the_report_has_all_that_is_signed(release):
    page = (release / "out" / "internal.html").read_text(encoding="utf-8")
    expected = ("Firms &lt;2026&gt;", "2028-01-01", "Who reads the tax returns.", "Signature", "Place and date",
                "ISO/IEC 20889: randomisation: microaggregation", "How large groups are")  # fmt: skip
    for word in (*INSIDE, *expected):
        assert word in page
    assert page.index("The threshold is met.") < page.index('id="thresholds"') < page.index('id="decision"')
    assert page.index('id="decision"') < page.index('id="risk"')
    told = json.loads((release / "out" / "internal.json").read_text(encoding="utf-8"))
    hashes = {file["name"]: file["sha256"] for file in told["files"]}
    assert set(hashes) == {"firms.csv", "masked.csv", "masked.toml"}
    import hashlib

    assert hashes["masked.csv"] == hashlib.sha256((release / "out" / "masked.csv").read_bytes()).hexdigest()
    assert hashes["masked.csv"] in page
    assert hashes["firms.csv"] in page
    after = told["group_sizes"]["after"]
    assert sum(one["records"] for one in after) == 80
    assert after[0]["records"] == 0  # nobody is alone in the release


def test_data_users_are_told_the_name_and_the_file_and_nothing_of_the_decision(release):
    page = (release / "out" / "external.html").read_text(encoding="utf-8")
    internal = json.loads((release / "out" / "internal.json").read_text(encoding="utf-8"))
    hashes = {file["name"]: file["sha256"] for file in internal["files"]}
    assert "Firms &lt;2026&gt;" in page
    assert hashes["masked.csv"] in page
    assert hashes["firms.csv"] not in page  # whoever guesses the original could confirm it
    for word in (*INSIDE, "2028-01-01", "tax office", "Who reads", "firms.csv"):
        assert word not in page


def test_the_same_protocol_gives_the_same_bytes(release):
    workflow.run(release / "protocol.toml").write(release / "again")
    for name in ("internal.html", "external.html", "internal.json"):
        assert (release / "again" / name).read_bytes() == (release / "out" / name).read_bytes()


def test_blanks_are_left_for_what_is_not_decided(tmp_path):
    table = business(60)
    masked = dc.protect(table, "mdav", k=4)
    dc.write_report(table, masked, dc.assess(table, masked), html=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count('<span class="blank" aria-label="to be filled in">') == 5
    assert "No threshold was set" in page


def test_a_page_that_is_asked_for_as_pdf_is_one_or_refused(tmp_path, monkeypatch):
    from discreet.report import pdf

    table = business(60)
    masked = dc.protect(table, "mdav", k=4)
    assessment = dc.assess(table, masked)
    monkeypatch.setattr(pdf, "render_pdf", lambda page: b"%PDF-" + str(page.count("<h1")).encode())
    dc.write_report(table, masked, assessment, html=tmp_path / "r.PDF")
    assert (tmp_path / "r.PDF").read_bytes() == b"%PDF-1"
    with pytest.raises(ParameterError, match="two files"):
        dc.write_report(table, masked, assessment, html=tmp_path / "a.pdf", pdf=tmp_path / "b.pdf")
    monkeypatch.undo()
    monkeypatch.setitem(__import__("sys").modules, "weasyprint", None)
    with pytest.raises(dc.errors.MissingExtraError, match=r"discreet\[pdf\]"):
        dc.write_report(table, masked, assessment, html=tmp_path / "c.pdf")
    assert not (tmp_path / "c.pdf").exists()
