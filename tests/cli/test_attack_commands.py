"""``discreet attack`` with every linker's parameters, and ``discreet link``."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace as Namespace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet import workflow
from discreet.cli import attack_commands, console, main
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


# --------------------------------------------------------------------------------------- what is shown, whole


@pytest.fixture
def wide(monkeypatch):
    """Lines that are not broken, however long."""
    monkeypatch.setattr(console.out, "_width", 300)


def result(**others):
    """What an attack on twenty of forty records found."""
    values = {"n": 20, "expected": 5.25, "optimistic": 7, "pessimistic": 4, "second": 3, "chance": 0.5, "rate": 0.2625}
    return Namespace(**{**values, **others}, interval=lambda: (0.125, 0.5), probability=[1.0, 0.25] + [0.0] * 18)


def stood_in(monkeypatch, found, *, records=40, masking=None, attributes=("age", "sex")):
    """Let an attack meet no file; return what was asked of whom."""
    asked = []

    def recorded(name, answer):
        def call(*values, **options):
            asked.append((name, *values, options))
            return answer

        return call

    @contextlib.contextmanager
    def opened(name, *values, **options):
        asked.append((name, *values, options))
        yield "where"

    class Schema(dict):
        """Keys are all that is asked about."""

        keys = ("age", "sex", "town", "wiped")

    class Before(list):
        """The original, so many records."""

        schema = Schema.fromkeys(Schema.keys)

    before, file = Before([0] * records), Namespace(schema=Before.schema)
    links = Namespace(evaluate=lambda: found, attributes=attributes)
    for name, answer in (("read", before), ("read_release", file), ("attack", links), ("told", "told"),
                         ("scan", before), ("scan_release", file), ("masking_of", masking),
                         ("attack_together", found)):  # fmt: skip
        monkeypatch.setattr(workflow, name, recorded(name, answer))
    monkeypatch.setattr(workflow, "engine_named", lambda *values: opened("engine", *values))
    monkeypatch.setattr(workflow, "emptied", lambda _, names: [name for name in names if name == "wiped"])
    monkeypatch.setattr(attack_commands, "progress", lambda **options: opened("bars", **options))
    monkeypatch.setattr(attack_commands, "tell_inferred", lambda *_, **options: asked.append(("inferred", options)))
    return asked


SAID = [
    "5.2 of 20 records linked correctly (26.25 %, 95 % interval 12.50 to 50.00 %); guessing finds 0.5.",
    "Compared: a sample of 20 of 40 records, each with everybody.",
    "Ties all for the intruder: 7; all against: 4.",
    "The true record is the second nearest for 3 more.",
    "The intruder is assumed to know: age, sex.",
    "Left out, for want of any value in the second file: wiped.",
    (
        "The linker used 2 of 3 keys, those on which fewest pairs agree by chance: who uses the others too may find "
        "more. Left out: town."
    ),
]
TOLD = {
    "linker": "distance", "known": ["age", "sex"], "left_out": ["town", "wiped"], "n": 20, "n_records": 40,
    "expected": 5.25, "optimistic": 7, "pessimistic": 4, "second": 3, "chance": 0.5, "rate": 0.2625,
    "interval": [0.125, 0.5],
}  # fmt: skip


def test_an_attack_is_shown_and_told_whole(wide, monkeypatch, capsys):
    asked = stood_in(monkeypatch, result())
    assert main._code(["attack", "a.csv", "m.csv"]) == 0
    assert capsys.readouterr().out.splitlines() == SAID
    assert [entry[0] for entry in asked] == ["bars", "engine", "read", "read_release", "inferred", "attack"]
    assert asked[0] == ("bars", {"quiet": False, "verbose": False})
    assert asked[1] == ("engine", "memory", None, {})
    assert asked[-2] == ("inferred", {"quiet": False})
    assert asked[-1][3:] == ("distance", {"engine": "where"})
    assert main._code(["attack", "a.csv", "m.csv", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == SAID[:1]
    assert main._code(["attack", "a.csv", "m.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told, list(told)) == (TOLD, list(TOLD))
    assert [entry[1]["quiet"] for entry in asked if entry[0] == "bars"] == [False, True, True]


def test_what_there_is_nothing_to_say_of_is_not_said(wide, monkeypatch, capsys):
    stood_in(monkeypatch, result(second=None), records=20, attributes=("age", "sex", "town", "wiped"))
    assert main._code(["attack", "a.csv", "m.csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        SAID[0], SAID[2], "The intruder is assumed to know: age, sex, town, wiped.",
    ]  # fmt: skip
    assert main._code(["attack", "a.csv", "m.csv", "--json"]) == 0
    told = {**TOLD, "known": ["age", "sex", "town", "wiped"], "left_out": []}
    assert json.loads(capsys.readouterr().out) == {k: v for k, v in told.items() if k not in {"second", "n_records"}}


def test_what_was_asked_for_and_not_used_is_left_out(wide, monkeypatch, capsys):
    asked = stood_in(monkeypatch, result(), attributes=())
    assert main._code(["attack", "a.csv", "m.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == [], "a linker that uses no keys leaves none out"
    asked = stood_in(monkeypatch, result(), attributes=("age",))
    assert main._code(["attack", "a.csv", "m.csv", "--json", "--attributes", "town,age"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == ["town"]
    assert asked[-1][-1]["attributes"] == ["town", "age"]


def test_who_is_told_the_masking_says_so(wide, monkeypatch, capsys):
    asked = stood_in(monkeypatch, result(), masking=("swap", "by its manifest"))
    command = ["attack", "a.csv", "m.csv", "--linker", "masking-aware"]
    assert main._code([*command, "--method", "rank-swapping", "--set", "p=10"]) == 0
    said = "The intruder is told how the file was masked (by its manifest): 'swap'."
    assert capsys.readouterr().out.splitlines() == [*SAID[:5], said, *SAID[5:]]
    (of_masking,) = [entry for entry in asked if entry[0] == "masking_of"]
    assert of_masking == (
        "masking_of", Path("m.csv"), {"methods": ["rank-swapping"], "further": {"p": "10"}, "protocol": None},
    )  # fmt: skip
    (told,) = [entry for entry in asked if entry[0] == "told"]
    assert (len(told[1]), told[3]) == (40, "swap")
    assert asked[-1][2] == "told"
    assert main._code([*command, "--json"]) == 0
    first = {"linker": "masking-aware", "masking": "'swap'", "masking_known": "by its manifest"}
    assert json.loads(capsys.readouterr().out) == {**TOLD, **first}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ((), {}),
        ([(0, 1)], {"known_links": 1, "others": 19, "expected_of_others": 5.0, "rate_of_others": 5 / 19}),
        ([(3, 0), (1, 1)], {"known_links": 2, "others": 18, "expected_of_others": 4.0, "rate_of_others": 4 / 18}),
        ([(i, i) for i in range(20)], {"known_links": 20, "others": 0, "expected_of_others": 4.0, "rate_of_others": 0}),
    ],
)
def test_those_whom_he_knew_are_taken_off(known, expected):
    assert attack_commands._of_others(result(), {"known": known} if known else {}) == expected


def test_of_those_whom_he_did_not_know_it_is_said_how_many_he_finds(wide, monkeypatch, capsys):
    stood_in(monkeypatch, result())
    monkeypatch.setattr(attack_commands, "_linker_parameters", lambda *_: {"known": [(0, 1)]})
    line = "He knew 1 of these links before; of the other 19 records he finds 5.0 (26.32 %)."
    assert main._code(["attack", "a.csv", "m.csv", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == [SAID[0], line]
    assert main._code(["attack", "a.csv", "m.csv", "--json"]) == 0
    others = {"known_links": 1, "others": 19, "expected_of_others": 5.0, "rate_of_others": 5 / 19}
    assert json.loads(capsys.readouterr().out) == {**TOLD, **others}


JOINT = Namespace(
    n=20, expected=6.5, both=2.0, chance=1.25, rate=0.325, each={"distance": 5.25, "probabilistic": 4.0},
    attributes={"distance": ["age"], "probabilistic": ["age", "wiped"]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("linker", "names", "typed"),
    [("distance,probabilistic", ["distance", "probabilistic"], None), ("combined", None, "age,wiped")],
)
def test_several_linkers_are_shown_and_told_whole(wide, monkeypatch, capsys, linker, names, typed):
    masking = ("swap", "as you said") if names is None else None
    asked = stood_in(monkeypatch, JOINT, masking=masking)
    command = ["attack", "a.csv", "m.csv", "--linker", linker, *(["--attributes", typed] if typed else [])]
    assert main._code(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "6.5 of 20 records linked correctly by at least one linker (32.50 %); as many guesses find 1.2.",
        "Each alone: distance 5.2, probabilistic 4.0; all of them: 2.0. Which is right he is not told: see `assess`.",
        *(["The intruder is told how the file was masked (as you said): 'swap'."] if masking else []),
        "Left out, for want of any value in the second file: wiped.",
    ]
    assert asked[-1][3:] == (names, {"attributes": typed and typed.split(","), "engine": "where"})
    assert main._code([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "linker": linker, **({"masking": "'swap'", "masking_known": "as you said"} if masking else {}),
        "left_out": ["wiped"], "n": 20, "expected": 6.5, "each": {"distance": 5.25, "probabilistic": 4.0},
        "all_of_them": 2.0, "chance": 1.25, "rate": 0.325,
    }  # fmt: skip
    assert main._code([*command, "--set", "k=3"]) == 2
    assert "--set k is for one linker, and there are several." in capsys.readouterr().err
    used = Namespace(**{**vars(JOINT), "attributes": {"distance": ["age", "wiped"], "probabilistic": ["wiped"]}})
    attack_commands._show_together(used, linker, None, ["wiped"], json=True)
    assert "left_out" not in json.loads(capsys.readouterr().out)


def test_files_that_are_streamed_are_scanned(wide, monkeypatch, capsys):
    asked = stood_in(monkeypatch, result())
    monkeypatch.setattr(
        attack_commands, "engine_of", lambda *values, **options: asked.append(("of", *values, options)) or "streaming"
    )
    monkeypatch.setattr(attack_commands, "refuse_streamed", lambda **options: asked.append(("refused", options)))
    monkeypatch.setattr(
        attack_commands, "streamed_layout", lambda *values, **_: asked.append(("layout", *values)) or {"sep": ";"}
    )
    assert main._code(["attack", "a.csv", "m.csv", "--engine", "e", "--master", "m"]) == 0
    assert capsys.readouterr().out.splitlines() == SAID
    assert asked[:6] == [
        ("of", Path("a.csv"), "e", "m", {"quiet": False}),
        ("refused", {"sequence": None}),
        ("layout", Path("a.csv")),
        ("bars", {"quiet": False, "verbose": False}),
        ("engine", "streaming", "m", {}),
        ("scan", Path("a.csv"), None, {"sep": ";"}),
    ]
    assert (asked[6][0], asked[6][1], asked[6][3]) == ("scan_release", Path("m.csv"), {"sep": ";"})


@pytest.mark.parametrize(
    ("methods", "of_method", "of_linker"),
    [
        ([], {}, {"p": "10", "k": "3", "attributes": "a"}),
        (["rank-swapping"], {"p": "10"}, {"k": "3", "attributes": "a"}),
        (["rank-swapping p=5"], {}, {"p": "10", "k": "3", "attributes": "a"}),
        (["rank-swapping", "pram"], {}, {"p": "10", "k": "3", "attributes": "a"}),
        ([" mdav "], {"k": "3"}, {"p": "10", "attributes": "a"}),
    ],
)
def test_what_is_set_goes_to_the_method_that_has_it_and_else_to_the_linker(methods, of_method, of_linker):
    typed = {"p": "10", "k": "3", "attributes": "a"}
    assert attack_commands._shared_out(typed, methods) == (of_method, of_linker)


@pytest.mark.parametrize("sure", [False, True])
def test_links_are_counted_and_said(wide, monkeypatch, capsys, tmp_path, sure):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("age,wiped\n1,\n")
    monkeypatch.chdir(tmp_path)
    links = Namespace(
        best=np.array([0, -1, 3, 2]), ties=np.array([1, 0, 2, 3]), n_a=9, n_b=4, attributes=("age",),
        decision=np.array([2, 0, 2, 1]) if sure else None,
    )  # fmt: skip
    written = []
    monkeypatch.setattr(workflow, "link", lambda _, __, name, **options: written.append((name, options)) or links)
    monkeypatch.setattr(workflow, "write_links", lambda one, path, inputs: written.append((one is links, path, inputs)))
    command = ["link", "a.csv", "b.csv", "-o", "links.csv", "--attributes", "age,wiped"]
    assert main._code(command) == 0
    above = ", 2 of them above the threshold of a link" if sure else ""
    assert capsys.readouterr().out.splitlines() == [
        f"3 of 4 records have a best candidate among 9{above}; 2 are tied.",
        "Linked on: age. Written to links.csv.",
        "Left out, for want of any value in the second file: wiped.",
    ]
    assert written == [
        ("probabilistic", {"attributes": ["age", "wiped"]}),
        (True, Path("links.csv"), [Path("a.csv"), Path("b.csv")]),
    ]
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main._code([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "linker": "probabilistic", "on": ["age"], "left_out": ["wiped"], "n_a": 9, "n_b": 4, "with_a_candidate": 3,
        "tied": 2, **({"decided": 2} if sure else {}),
    }  # fmt: skip


def test_columns_without_a_counterpart_are_said_by_file(wide, monkeypatch, capsys):
    matched = Namespace(pairs=[("age", "years"), ("pay", "wage")], first=["age", "pay", "tax"],
                        second=["wage", "years", "rent", "debt"], cost=1.5)  # fmt: skip
    asked = []
    monkeypatch.setattr(
        workflow, "read", lambda path, schema, **_: asked.append((path, schema)) or Namespace(schema=path)
    )
    monkeypatch.setattr(
        workflow,
        "match_variables",
        lambda first, second, **options: asked.append((first.schema, second.schema, options)) or matched,
    )
    monkeypatch.setattr(attack_commands, "tell_inferred", lambda *values, **options: asked.append((*values, options)))
    command = ["match", "a.csv", "b.csv", "--schema-b", "b.toml", "--by", "owa", "--seed", "7"]
    assert main._code(command) == 0
    pairs = ["age is taken for years", "pay is taken for wage"]
    assert capsys.readouterr().out.splitlines() == [
        *pairs,
        "Without a counterpart in the first file: tax.",
        "Without a counterpart in the second file: rent, debt.",
        "No pair is certain: of files that share nothing, columns are matched all the same.",
    ]
    assert asked == [
        (Path("a.csv"), None),
        (Path("b.csv"), Path("b.toml")),
        (Path("a.csv"), Path("b.csv"), {"method": "owa", "random_state": 7}),
        (Path("a.csv"), {"quiet": False}),
    ]
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == pairs
    assert main._code([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "by": "owa", "pairs": [["age", "years"], ["pay", "wage"]], "only_in_a": ["tax"], "only_in_b": ["rent", "debt"],
        "cost": 1.5,
    }  # fmt: skip
