"""Where somebody who attacks a file learns how it was masked."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.datasets import housing
from discreet.errors import ParameterError
from discreet.release.manifest import write_manifest
from discreet.release.masking_source import masking_of


@pytest.fixture
def released(tmp_path):
    masked = dc.RankSwapping(p=9, random_state=1).mask(housing(60))
    target = tmp_path / "masked.csv"
    dc.write(masked, target)
    write_manifest(tmp_path / "masked-manifest.json", {"masked": target}, steps=[masked.provenance])
    return target


def test_a_manifest_beside_the_file_tells_it(released):
    chain, source = masking_of(released)
    assert (chain.steps[0].method, chain.steps[0].parameters["p"], source) == (
        "rank-swapping",
        9,
        "from masked-manifest.json",
    )
    assert "random_state" not in chain.steps[0].parameters
    assert len(chain.mask(housing(60))) == 60


def test_a_manifest_of_other_bytes_or_other_files_tells_nothing(released):
    with released.open("a", encoding="utf-8") as file:
        file.write("\n")
    assert masking_of(released) is None
    other = released.with_name("other.csv")
    other.write_text("x\n1\n", encoding="utf-8")
    assert masking_of(other) is None
    released.with_name("manifest.json").write_text("[1, 2]", encoding="utf-8")
    assert masking_of(other) is None


def test_an_external_manifest_keeps_it_to_itself(released, tmp_path):
    path = tmp_path / "public-manifest.json"
    masked = dc.RankSwapping(p=9).mask(housing(60))
    write_manifest(path, {"masked": released}, steps=[masked.provenance], audience="external")
    assert "steps" not in json.loads(path.read_text(encoding="utf-8"))


def test_a_person_goes_before_a_manifest(released, tmp_path):
    chain, source = masking_of(released, methods=["mdav k=7"])
    assert (chain.steps[0].label(), source) == ("mdav(k=7)", "as said")
    protocol = tmp_path / "p.toml"
    protocol.write_text(
        'seed = 1\n[data]\nfile = "h.csv"\n[[attribute]]\nname = "a"\nscale = "numeric"\nrole = "key"\n'
        '[[step]]\nmethod = "mdav"\nk = 4\n',
        encoding="utf-8",
    )
    chain, source = masking_of(released, protocol=protocol)
    assert (chain.steps[0].method, chain.steps[0].parameters["k"], source) == ("mdav", 4, "from p.toml")
    with pytest.raises(ParameterError, match="said twice"):
        masking_of(released, methods=["mdav"], protocol=protocol)
