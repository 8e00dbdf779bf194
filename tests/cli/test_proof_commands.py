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
