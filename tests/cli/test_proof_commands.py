"""``discreet certify`` as a user types it."""

import json

import pytest
from tests.cli.test_cli import discreet, refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("certify")
    assert discreet("datasets", "business", "--n", 60, "-o", "business.csv", cwd=path).returncode == 0
    run = discreet("protect", "business.csv", "-s", "business.toml", "--k", 3, "-o", "masked.csv", "-q", cwd=path)
    assert run.returncode == 0, run.stderr
    return path


FILES = ("business.csv", "masked.csv", "-s", "business.toml")


def test_a_certificate_in_words_and_for_machines(folder):
    run = discreet("certify", *FILES, "--k", 3, "--budget", "300ms", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "above the least possible for k = 3" in run.stdout.replace("\n", " ")
    run = discreet("certify", *FILES, "--budget", "0.005min", "--json", cwd=folder)
    proof = json.loads(run.stdout)
    assert proof["k"] == 3
    assert 0 < proof["lower_bound"] < proof["information_loss"]


def test_a_gap_above_the_threshold_ends_with_one(folder):
    refused(
        discreet("certify", *FILES, "--budget", "200ms", "--max-gap", 0.001, cwd=folder), "above the threshold", code=1
    )
    assert discreet("certify", *FILES, "--budget", "200ms", "--max-gap", 1000, cwd=folder).returncode == 0


def test_bad_input(folder):
    refused(discreet("certify", *FILES, "--budget", "soon", cwd=folder), "a time must look like")
    refused(discreet("certify", *FILES, "--k", 50, cwd=folder), "fewer than k = 50")
    refused(discreet("certify", *FILES, "--k", 1, cwd=folder), "k must be")
    refused(discreet("certify", *FILES, "--attributes", "NOTHING", cwd=folder), "no attribute named 'NOTHING'")


def test_missing_values_are_certified_as_they_are_read(tmp_path):
    """One missing value is enough where it matches everything, two where it is a value of its own."""
    (tmp_path / "people.csv").write_text("town,job\na,x\na,x\nb,y\nb,z\n")
    (tmp_path / "strict.csv").write_text("town,job\na,x\na,x\nb,\nb,\n")
    (tmp_path / "loose.csv").write_text("town,job\na,x\na,x\nb,\nb,z\n")
    keys = ("--attributes", "town,job", "--budget", "600s")
    run = discreet("certify", "people.csv", "strict.csv", *keys, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    said = " ".join(run.stdout.split())
    assert "2 missing values cost 2, never below 2" in said
    assert "no release that keeps k = 2 has fewer; a missing value counts as a value of its own" in said
    run = discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "wildcard", "--json", cwd=tmp_path)
    proof = json.loads(run.stdout)
    assert (proof["cells"], proof["lower_bound"], proof["gap_percent"], proof["missing"]) == (1, 1, 0, "wildcard")
    assert proof["blank_records_would_take"] == 2
    run = discreet("certify", "people.csv", "strict.csv", *keys, "--missing", "wildcard", "--max-gap", 5, cwd=tmp_path)
    refused(run, "above the threshold", code=1)
    refused(
        discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "category", "--k", 2, cwd=tmp_path), "fewer"
    )
    refused(discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "anything", cwd=tmp_path), "missing")
