"""``protect --recode`` and ``hierarchy`` as typed, judged on the files alone."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
from collections import Counter

import pytest

from discreet.cli import main

FUELS = ("gas", "gas", "oil", "wood", "sun")
ROWS = [
    (
        f"{17 + (7 * place) % 74}",
        f"{1000 + 137 * (place % 50)}",
        FUELS[place % 5],
        f"{('101', '102', '205')[place % 3]}{place % 10}",
        f"{1950 + place % 40}-0{1 + place % 9}-15",
    )
    for place in range(120)
]
HEADER = ("age", "income", "fuel", "zip", "born")


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture
def folder(tmp_path):
    with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *ROWS])
    (tmp_path / "fuel.csv").write_text("gas;fossil;any\noil;fossil;any\nwood;new;any\nsun;new;any\n", encoding="utf-8")
    return tmp_path


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


SCALES = ("--keys", "age,income,fuel,zip,born", "--numeric", "age,income", "--nominal", "fuel,zip")


def test_recodings_alone_and_what_is_in_the_file(folder):
    run = discreet(
        "protect", "data.csv", "out.csv", *SCALES, "--recode", "age=<30,45,60,75+", "--recode", "income=nice:5/median",
        "--recode", "fuel=@fuel.csv:1", "--recode", "zip=prefix:3", "--recode", "born=decade", cwd=folder,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    released = cells(folder / "out.csv")
    incomes = {}
    for row, (age, income, fuel, code, born) in zip(released, ROWS, strict=True):
        number = int(age)
        expected = next(
            n for e, n in ((75, "75+"), (60, "60–74"), (45, "45–59"), (30, "30–44"), (-1, "<30")) if number >= e
        )
        assert row["age"] == expected
        assert row["fuel"] == {"gas": "fossil", "oil": "fossil"}.get(fuel, "new")
        assert row["zip"] == code[:3]
        assert row["born"] == f"{born[:3]}0s"
        incomes.setdefault(row["income"], []).append(int(income))
    assert len(incomes) <= 5
    for number, members in incomes.items():
        assert min(members) <= float(number) <= max(members)


def test_a_recoding_comes_before_the_main_method(folder):
    run = discreet(
        "protect", "data.csv", "-o", "out.csv", *SCALES, "--recode", "age=width:20", "--recode", "fuel=rare:30>rest",
        "--method", "local-suppression", "--k", 4, "--attributes", "age,fuel", "--json", cwd=folder,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["method"] == "banding + rare-levels + local-suppression"
    pairs = Counter((row["age"], row["fuel"]) for row in cells(folder / "out.csv"))
    assert min(pairs.values()) >= 4
    assert "rest" in {fuel for _, fuel in pairs}


def test_k_beside_a_recoding_still_means_groups(folder):
    run = discreet("protect", "data.csv", "out.csv", *SCALES, "--recode", "age=nice:4", "--k", 5, "--json", cwd=folder)
    assert json.loads(run.stdout)["method"] == "banding + mdav"


def test_a_map_renames_joins_and_names_missing_values(folder):
    (folder / "few.csv").write_text("fuel,n\ngas,1\nsun,2\n,3\nwood,4\n", encoding="utf-8")
    run = discreet("protect", "few.csv", "out.csv", "--keys", "fuel", "--nominal", "fuel",
                   "--recode", "fuel=sun>new,wood>new,>unknown", cwd=folder)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert [row["fuel"] for row in cells(folder / "out.csv")] == ["gas", "new", "unknown", "new"]


def test_the_script_that_is_shown_gives_the_same_file(folder):
    options = (
        *SCALES,
        "--recode",
        "age=0,30,60,60+",
        "--recode",
        "fuel=@fuel.csv:2",
        "-m",
        "mdav",
        "--k",
        4,
        "--seed",
        5,
    )
    shown = discreet("protect", "data.csv", "out.csv", *options, "--print-python", cwd=folder)
    assert "dc.Chain([dc.Banding(" in shown.stdout
    assert discreet("protect", "data.csv", "out.csv", *options, cwd=folder).returncode == 0
    with contextlib.chdir(folder):
        exec(shown.stdout.replace("out.csv", "again.csv"), {})  # noqa: S102 - our own script
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("age", "--recode must be COLUMN=HOW"),
        ("age=ten", "--recode age: 'ten' says no recoding"),
        ("age=30,20", "breaks of 'age' must ascend; break 2 of 2"),
        ("age=0,20", "numbers of column 'age' lie outside of its breaks"),
        ("age=0,5,200/refuse", "1 of 2 bands of column 'age' have no record"),
        ("fuel=@none.csv", "The hierarchy file 'none.csv' does not exist"),
        ("fuel=@short.csv", "attribute 'fuel': Hierarchy: 3 of 4 levels have no row"),
        ("fuel=@torn.csv", "attribute 'fuel': Hierarchy: 1 names of step 1 belong to two different broader names"),
        ("fuel=@cycle.csv", "1 of 4 rows of the hierarchy come back to a name"),
        ("fuel=@fuel.csv:3", "step must be at most 2 for 'fuel'; got 3"),
        ("fuel=coal>new", "maps has 1 levels for 'fuel' that it does not have"),
        ("fuel=rare:x", "'x' must be a whole number"),
        ("nobody=nice:3", "nobody"),
    ],
)
def test_bad_input_gets_its_sentence_and_no_file(folder, how, sentence):
    (folder / "short.csv").write_text("gas;fossil\n", encoding="utf-8")
    (folder / "torn.csv").write_text("gas;x;p\noil;x;q\nwood;y;p\nsun;y;p\n", encoding="utf-8")
    (folder / "cycle.csv").write_text("gas;x;gas\noil;y;z\nwood;y;z\nsun;y;z\n", encoding="utf-8")
    run = discreet("protect", "data.csv", "out.csv", *SCALES, "--recode", how, cwd=folder)
    assert run.returncode == 2, run.stderr
    assert sentence in run.stderr.replace("\n", " ")
    assert not (folder / "out.csv").exists()
    assert not any(income in run.stderr for _, income, *_ in ROWS)


def test_one_column_is_recoded_once_and_one_file_is_named(folder):
    twice = discreet(
        "protect", "data.csv", "out.csv", *SCALES, "--recode", "age=nice:3", "--recode", "age=nice:4", cwd=folder
    )
    assert "names 'age' twice" in twice.stderr
    both = discreet("protect", "data.csv", "out.csv", "-o", "other.csv", *SCALES, cwd=folder)
    assert both.returncode == 2
    assert "The masked file is named twice" in both.stderr
    over = discreet("protect", "data.csv", "fuel.csv", *SCALES, "--recode", "fuel=@fuel.csv", cwd=folder)
    assert over.returncode == 2, "a hierarchy is an input"
    assert (folder / "fuel.csv").read_text(encoding="utf-8").startswith("gas;fossil")


@pytest.mark.parametrize("ending", [".csv", ".toml", ".grc"])
def test_a_hierarchy_is_built_written_and_used(folder, ending):
    steps = "width:20" if ending != ".grc" else "<40,40+"
    if ending == ".grc":
        run = discreet("hierarchy", "data.csv", "zip", *SCALES, "--by", "frequency", "--steps", "9; 40",
                       "-o", "tree.grc", cwd=folder)  # fmt: skip
        column, recode = "zip", "zip=@tree.grc"
    else:
        run = discreet(
            "hierarchy", "data.csv", "age", *SCALES, "--steps", f"5; {steps}", "-o", f"tree{ending}", cwd=folder
        )
        column, recode = "age", f"age=@tree{ending}:2"
    assert run.returncode == 0, run.stderr
    used = discreet("protect", "data.csv", "out.csv", *SCALES, "--recode", recode, cwd=folder)
    assert used.returncode == 0, used.stderr
    released = [row[column] for row in cells(folder / "out.csv")]
    if column == "age":
        lows = [int(age) // 20 * 20 for age, *_ in ROWS]
        assert released == [f"{low}–{low + 19}" for low in lows]
    else:
        assert min(Counter(released).values()) >= 9


def test_a_hierarchy_by_frequency_has_no_counts_and_rows_in_the_order_of_levels(folder):
    run = discreet(
        "hierarchy", "data.csv", "fuel", *SCALES, "--by", "frequency", "--steps", "30", "-o", "t.csv", cwd=folder
    )
    assert run.returncode == 0, run.stderr
    assert "keep it with the data" in run.stderr.replace("\n", " ")
    text = (folder / "t.csv").read_text(encoding="utf-8")
    assert not any(character.isdigit() for character in text)
    leaves = [line.split(";")[0] for line in text.splitlines()]
    assert leaves == sorted(leaves), "as the levels are declared, not by how frequent they are"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("age", "--by", "order"), "a hierarchy by order is for one that is categorical"),
        (("fuel", "--by", "order"), "levels of 'fuel' have no order"),
        (("fuel", "--by", "magic"), "by must be one of"),
        (("age", "--steps", "7; 10"), "belong to two different broader names"),
        (("nobody",), "The data have no column 'nobody'"),
    ],
)
def test_what_cannot_be_built_is_refused(folder, arguments, sentence):
    run = discreet("hierarchy", "data.csv", *arguments, *SCALES, "-o", "t.csv", cwd=folder)
    assert run.returncode == 2
    assert sentence in run.stderr.replace("\n", " ")
    assert not (folder / "t.csv").exists()


def test_no_file_is_written_over(folder):
    run = discreet("hierarchy", "data.csv", "age", *SCALES, "-o", "fuel.csv", cwd=folder)
    assert run.returncode == 2
    assert "exists already" in run.stderr
    run = discreet("hierarchy", "data.csv", "age", *SCALES, "-o", "data.csv", "--force", cwd=folder)
    assert run.returncode == 2


def test_larger_files_are_recoded_in_batches(folder):
    import pyarrow.csv
    import pyarrow.parquet as pq

    pq.write_table(pyarrow.csv.read_csv(folder / "data.csv"), folder / "data.parquet", row_group_size=17)
    options = (
        "--keys",
        "age,fuel",
        "--numeric",
        "age",
        "--nominal",
        "fuel",
        "--recode",
        "age=count:4",
        "--recode",
        "fuel=@fuel.csv",
    )
    assert discreet("protect", "data.parquet", "one.parquet", *options, cwd=folder).returncode == 0
    run = discreet("protect", "data.parquet", "two.parquet", *options, "--engine", "streaming", cwd=folder)
    assert run.returncode == 0, run.stderr
    one, two = (
        pq.read_table(folder / name).select(["age", "fuel"]).to_pydict() for name in ("one.parquet", "two.parquet")
    )
    assert one == two


def test_a_map_with_semicolons_is_refused(folder):
    run = discreet("protect", "data.csv", "-o", "o.csv", "--recode", "fuel=wood>other;peat>other", *SCALES, cwd=folder)
    assert run.returncode == 2
    assert "told apart by commas" in run.stderr
    assert not (folder / "o.csv").exists()
