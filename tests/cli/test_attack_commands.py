"""``discreet attack`` with every linker's parameters, and ``discreet link``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import app
from discreet.errors import DiscreetError, ParameterError, SchemaError, UnknownNameError

FACTS = ["--attributes", "BUILT,DEGREE,METRO,TRAN1"]
LEVELS = json.dumps([f"{i}x" for i in range(7)])


@pytest.fixture
def files(tmp_path):
    data = tmp_path / "h.csv"
    assert CliRunner().invoke(app, ["datasets", "housing", "--n", "80", "-o", str(data)]).exit_code == 0
    part = tmp_path / "part.csv"
    pl.read_csv(data, infer_schema=False).head(30).write_csv(part)
    return data, part, tmp_path / "h.toml"


def test_attack_takes_parameters(files):
    data, _, schema = files
    arguments = [
        "attack",
        str(data),
        str(data),
        "-s",
        str(schema),
        *FACTS,
        "--linker",
        "probabilistic",
        "--set",
        "m=em",
    ]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["rate"] > 0.8


def test_attack_tells_those_apart_whom_the_intruder_knew(files, tmp_path):
    data, _, schema = files
    masked = tmp_path / "m.csv"
    protect = ["protect", str(data), "-s", str(schema), "--method", "rank-swapping", "--set", "p=20", "--seed", "3"]
    assert CliRunner().invoke(app, [*protect, "-o", str(masked), "--quiet"]).exit_code == 0
    pairs = [[i, i] for i in range(12)]
    typed = "; ".join(f"{a}, {b}" for a, b in pairs)
    attack = ["attack", str(data), str(masked), "-s", str(schema), "--linker", "learned-distance"]
    result = CliRunner().invoke(app, [*attack, "--set", f"known={typed}", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    before = dc.read(data, schema=schema)
    truth = np.arange(80)
    truth[:12] = -1
    others = dc.LearnedDistanceLinkage(pairs).link(before, dc.read(masked, schema=schema)).evaluate(truth)
    assert (told["known_links"], told["others"]) == (12, 68)
    assert told["expected_of_others"] == pytest.approx(others.expected)
    assert told["expected_of_others"] < told["expected"] < 80
    printed = CliRunner().invoke(app, [*attack, "--set", f"known={json.dumps(pairs)}", "--quiet"]).stdout
    assert "He knew 12 of these links before; of the other 68 records he finds" in " ".join(printed.split())


def test_link_two_files_of_different_size(files, tmp_path):
    data, part, schema = files
    target = tmp_path / "links.csv"
    result = CliRunner().invoke(
        app, ["link", str(data), str(part), "-s", str(schema), *FACTS, "-o", str(target), "--json"]
    )
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["n_a"], told["n_b"], told["with_a_candidate"]) == (80, 30, 30)
    links = pl.read_csv(target)
    assert links.height == 30
    assert (links["best"] == links["record"]).sum() > 20


@pytest.mark.parametrize("linker", ["distance", "probabilistic"])
def test_files_without_common_attributes_are_refused_by_who_needs_them(tmp_path, linker):
    first, second, target = (tmp_path / name for name in ("a.csv", "b.csv", "links.csv"))
    first.write_text("tax,rent\n" + "".join(f"{i}.5,{i * i}\n" for i in range(30)))
    second.write_text("income,savings\n" + "".join(f"{3 * i},{i * i}.25\n" for i in range(30)))
    result = CliRunner().invoke(app, ["link", str(first), str(second), "--linker", linker, "-o", str(target)])
    assert isinstance(result.exception, SchemaError)
    assert "the two files have no attribute in common" in str(result.exception)
    assert '"structural"' in str(result.exception)
    assert not target.exists()
    # Files that share some columns and lack others are told so, as before.
    second.write_text("tax,savings\n" + "".join(f"{3 * i},{i * i}.25\n" for i in range(30)))
    result = CliRunner().invoke(app, ["link", str(first), str(second), "--linker", linker, "-o", str(target)])
    assert "'rent'" in str(result.exception)


def test_link_never_writes_over_an_input(files):
    data, part, schema = files
    result = CliRunner().invoke(app, ["link", str(data), str(part), "-s", str(schema), "-o", str(part)])
    assert result.exit_code != 0
    assert pl.read_csv(part).height == 30


def test_an_attack_says_how_many_of_the_keys_it_can_use(tmp_path):
    names = [f"q{j}" for j in range(23)]
    pl.DataFrame({name: [f"{(i * (j + 3)) % 7}x" for i in range(30)] for j, name in enumerate(names)}).write_csv(
        tmp_path / "d.csv"
    )
    lines = [f'[[attribute]]\nname = "{name}"\nrole = "key"\nscale = "nominal"\nlevels = {LEVELS}\n' for name in names]
    (tmp_path / "d.toml").write_text("\n".join(lines))
    data = str(tmp_path / "d.csv")
    arguments = ["attack", data, data, "-s", str(tmp_path / "d.toml"), "--linker", "probabilistic"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "used 20 of 23 keys" in " ".join(result.output.split())
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert (len(told["known"]), len(told["left_out"])) == (20, 3)
    assert {*told["known"], *told["left_out"]} == set(names)
    refused = CliRunner().invoke(app, [*arguments, "--attributes", ",".join(names)])
    assert refused.exit_code != 0


@pytest.fixture
def swapped(files):
    data, _, schema = files
    masked = data.with_name("swapped.csv")
    typed = ["protect", str(data), "-s", str(schema), "--method", "rank-swapping", "--set", "p=12", "-o", str(masked)]
    assert CliRunner().invoke(app, typed).exit_code == 0
    return ["attack", str(data), str(masked), "-s", str(schema)]


def expected(arguments):
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["expected"]


def test_who_is_told_the_masking_finds_more_and_who_is_not_is_refused(swapped):
    aware = [*swapped, "--linker", "masking-aware"]
    with pytest.raises(ParameterError, match="nothing is known of how the release was masked"):
        CliRunner().invoke(app, aware, catch_exceptions=False)
    told = expected([*aware, "--method", "rank-swapping p=12"])
    assert told == expected([*aware, "--method", "rank-swapping", "--set", "p=12"])
    assert told > 1.1 * expected([*swapped, "--linker", "distance"])
    said = CliRunner().invoke(app, [*aware, "--method", "rank-swapping p=12"]).output
    assert "The intruder is told how the file was masked (as said)" in said


def test_a_manifest_beside_the_file_is_read(swapped):
    aware = [*swapped, "--linker", "masking-aware"]
    typed = ["protect", *swapped[1:2], *swapped[3:], "--method", "rank-swapping", "--set", "p=12", "--force"]
    manifest = swapped[2].replace("swapped.csv", "swapped-manifest.json")
    assert CliRunner().invoke(app, [*typed, "-o", swapped[2], "--manifest", manifest]).exit_code == 0
    assert "random_state" not in Path(manifest).read_text(encoding="utf-8")
    assert "from swapped-manifest.json" in CliRunner().invoke(app, aware).output


def test_linkers_together(swapped):
    joint = expected([*swapped, "--linker", "combined"])
    assert joint == expected([*swapped, "--linker", "distance,probabilistic"])
    assert joint >= expected([*swapped, "--linker", "distance"])
    told = CliRunner().invoke(app, [*swapped, "--linker", "combined", "--method", "rank-swapping p=12"]).output
    assert "at least one linker" in told
    assert "masking-aware" in told


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--linker", "distance", "--method", "rank-swapping p=12"], "has no use for how the file was masked"),
        (["--linker", "combined", "--set", "m=em"], "is for one linker"),
        (["--linker", "masking-aware", "--method", "rank-swaping p=12"], "rank-swapping"),
        (["--linker", "masking-aware", "--method", "rank-swapping q=12"], "there is no parameter 'q'"),
    ],
)
def test_a_wrong_word_about_the_masking_is_told(swapped, more, said):
    with pytest.raises(DiscreetError, match=said):
        CliRunner().invoke(app, [*swapped, *more], catch_exceptions=False)


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_assess_is_told_how_a_file_was_masked(tmp_path):
    assert run("datasets", "housing", "--n", 150, "-o", tmp_path / "s.csv").exit_code == 0
    call = ("protect", tmp_path / "s.csv", "-s", tmp_path / "s.toml", "--method", "rank-swapping", "--set", "p=8")
    report = tmp_path / "report.json"
    call += ("--seed", 4, "-o", tmp_path / "m.csv", "--report", report)
    assert run(*call, "--manifest", tmp_path / "manifest.json").exit_code == 0
    inside = json.loads(report.read_text(encoding="utf-8"))["assessment"]["score"]["risk"]

    def risk(*options):
        told = run("assess", tmp_path / "s.csv", tmp_path / "m.csv", "-s", tmp_path / "s.toml", "--json", *options)
        assert told.exit_code == 0, told.output
        score = json.loads(told.stdout)["score"]
        return score["risk"], score["sentence"]

    known, sentence = risk()
    assert known == pytest.approx(inside)
    assert "masking-aware" in sentence
    (tmp_path / "manifest.json").unlink()
    unknown, sentence = risk()
    assert unknown < known
    assert "nobody was played who knows it" in sentence
    assert risk("--method", "rank-swapping p=8")[0] == pytest.approx(inside)


def test_columns_are_matched_whatever_they_are_called(tmp_path):
    rng = np.random.default_rng(2)
    table = rng.gamma([1.0, 4.0], size=(80, 2)) * [1, 30]
    for name, header, rows in (("a", "age,size", table[:40]), ("b", "x,y", table[40:, ::-1])):
        lines = [header, *(f"{row[0]:.2f},{row[1]:.2f}" for row in rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    result = CliRunner().invoke(app, ["match", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["pairs"] == [["age", "y"], ["size", "x"]]
    plain = CliRunner().invoke(app, ["match", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "-q"])
    assert plain.stdout == "age is taken for y\nsize is taken for x\n"
    refused = CliRunner().invoke(app, ["match", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--by", "magic"])
    assert isinstance(refused.exception, DiscreetError)


def test_attack_leaves_a_key_out_that_was_wiped_out_and_says_so(files, tmp_path):
    data, _, schema = files
    release = tmp_path / "wiped.csv"
    frame = pl.read_csv(data, infer_schema=False)
    frame.with_columns(pl.lit(None, pl.String).alias("DEGREE")).write_csv(release)
    for linker in ("distance", "probabilistic", "combined", "distance,probabilistic"):
        arguments = ["attack", str(data), str(release), "-s", str(schema), *FACTS, "--linker", linker]
        told = CliRunner().invoke(app, arguments)
        assert told.exit_code == 0, told.output
        words = " ".join(told.output.split())
        assert "Left out, for want of any value in the second file: DEGREE." in words
        assert "agree by chance" not in words
        fields = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
        assert fields["left_out"] == ["DEGREE"]


def test_a_misspelt_linker_is_answered_with_all_names_that_attack_takes(files):
    data, _, schema = files
    refused = CliRunner().invoke(app, ["attack", str(data), str(data), "-s", str(schema), "--linker", "combinedd"])
    assert isinstance(refused.exception, UnknownNameError)
    assert "Did you mean 'combined'?" in str(refused.exception)
    assert "blocked, combined, distance," in str(refused.exception)
    refused = CliRunner().invoke(app, ["attack", str(data), str(data), "-s", str(schema), "--linker", "distanc"])
    assert "Did you mean 'distance'?" in str(refused.exception)
