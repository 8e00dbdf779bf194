"""Where somebody who attacks a file learns how it was masked."""

from __future__ import annotations

import json

import pytest

import discreet as dc
from discreet.datasets import housing
from discreet.errors import DataError, FileError, ParameterError
from discreet.release import masking_source
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


def test_steps_of_a_manifest_keep_their_units_and_what_is_none_is_left_out(tmp_path):
    said = {"method": "mdav", "parameters": {"k": 3, "p": None}, "unit": "HOME"}
    step = masking_source._step(tmp_path / "m.json", said)
    assert (step.method, step.parameters, step.unit) == ("mdav", {"k": 3}, "HOME")
    for listed in ({"method": "mdav"}, {"parameters": {}}, {"method": "mdav", "parameters": 3}, 3):
        with pytest.raises(FileError, match="'m.json' does not tell how the file was masked"):
            masking_source._step(tmp_path / "m.json", listed)


def test_the_protocol_in_a_manifest_is_believed_with_its_folder(tmp_path):
    target = tmp_path / "masked.csv"
    target.write_text("a\n1\n")
    text = '[[attribute]]\nname = "a"\nscale = "numeric"\nrole = "key"\n[[step]]\nmethod = "mdav"\nk = 4\n'
    write_manifest(tmp_path / "manifest.json", {"masked": target}, protocol=text)
    chain, source = masking_of(target)
    assert ([step.method for step in chain.steps], chain.folder, source) == (["mdav"], tmp_path, "from manifest.json")
    assert masking_of(target, methods=["rank-swapping p=4"], further={})[0].steps[0].p == 4


def test_a_manifest_that_does_not_fit_is_not_believed_and_a_person_is_told(released, monkeypatch):
    def unlike(*_):
        raise DataError("another file")

    monkeypatch.setattr(masking_source, "told", unlike)
    original = housing(60)
    assert masking_source.told_release(original, original, released) is None
    with pytest.raises(DataError, match="another file"):
        masking_source.told_release(original, original, released, methods=["mdav k=3"])
    monkeypatch.setattr(masking_source, "told", lambda first, second, chain: (first, second, chain.steps[0].method))
    assert masking_source.told_release(1, 2, released) == (1, 2, "rank-swapping")
    assert masking_source.told_release(1, 2, released.with_name("none.csv")) is None
