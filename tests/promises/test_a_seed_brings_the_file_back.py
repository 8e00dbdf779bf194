"""A seed brings the file back, byte for byte; without one, nobody can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest
from tests.promises import judge, releases, tables

import discreet as dc

DRAWING = [
    name
    for name, cls in dc.methods("masker").items()
    if "random_state" in cls.parameter_names() and not cls.groups
    and all(one.get_params().get("how") is None for one in cls.examples()[:1]) and cls.examples()
    and name not in {"identifiers", "donut", "record-swapping"}  # which are told their columns
]  # fmt: skip


@pytest.mark.parametrize("case", releases.CASES)
def test_the_same_input_and_seed_give_the_same_bytes(case, tmp_path):
    release = releases.released(case)
    if release.written is None:
        return
    again = tmp_path / release.written.name
    with releases.quiet():
        dc.write(releases.mask(case, dc.read(release.original, release.schema)), again)
    assert again.read_bytes() == release.written.read_bytes()


@pytest.mark.parametrize("method", ["additive-noise", "kprototypes", "record-order"])
def test_whatever_the_threads_and_the_process(method, tmp_path):
    path = tables.write(tables.survey(200, weights=True), tmp_path / "survey.csv")
    written = []
    for threads in ("1", "2"):
        target = tmp_path / f"out{threads}.csv"
        command = ["protect", path, "-s", path.with_suffix(".toml"), "--method", method, "--seed", "7", "-o", target]
        environment = {**os.environ, "PYTHONHASHSEED": threads, "NUMBA_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-m", "discreet", *map(str, command)], env=environment, check=True,
                       capture_output=True)  # fmt: skip
        written.append(target.read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("method", DRAWING)
def test_without_a_seed_every_run_draws_its_own_and_tells_it_inside_only(method, tmp_path, capsys):
    path = tables.write(tables.survey(200), tmp_path / "survey.csv")
    written, seeds = [], []
    for run in range(2):
        target, public = tmp_path / f"out{run}.csv", tmp_path / f"public{run}.html"
        capsys.readouterr()
        options = ["-s", path.with_suffix(".toml"), "--method", method, "-o", target, "--json"]
        options += ["--external", public] if method == "additive-noise" else []
        assert releases.discreet("protect", path, *options) == 0
        seeds.append(json.loads(capsys.readouterr().out)["seed"])
        written.append(target.read_bytes())
        assert str(seeds[run]) not in written[run].decode()
        if public.exists():
            assert str(seeds[run]) not in public.read_text(encoding="utf-8")
    assert written[0] != written[1]
    assert seeds[0] != seeds[1]
    assert max(int(seed).bit_length() for seed in seeds) > 96, "a seed that nobody finds by trying"


def test_a_proposed_protocol_has_no_seed_that_others_have(tmp_path):
    path = tables.write(tables.survey(200), tmp_path / "survey.csv")
    seeds = []
    for run in range(2):
        protocol = tmp_path / f"protocol{run}.toml"
        assert releases.discreet("init", path, "-o", protocol, "--quiet") == 0
        seeds.append(tomllib.loads(protocol.read_text(encoding="utf-8")).get("seed"))
    assert seeds[0] is None or (int(seeds[0]) != int(seeds[1]) and max(int(s).bit_length() for s in seeds) > 96)


def test_another_seed_gives_another_file(tmp_path):
    path = tables.write(tables.survey(200), tmp_path / "survey.csv")
    files = []
    for seed in (1, 2):
        with releases.quiet():
            dc.write(dc.AdditiveNoise(random_state=seed).mask(dc.read(path, path.with_suffix(".toml"))),
                     tmp_path / f"{seed}.csv")  # fmt: skip
        files.append(judge.column(judge.read_cells(tmp_path / f"{seed}.csv"), "income"))
    assert all(a != b for a, b in zip(*files, strict=True))
