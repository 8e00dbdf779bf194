"""What stands in the way of a broken promise: the count before a file is put in place, and chains that drop claims."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.cli.main import _code
from discreet.contracts.masked import Masked
from discreet.data.guarantees import Guarantee, Recount, still_true
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import BrokenGuaranteeError, DiscreetError
from discreet.io.atomic import looked_at, whole_file, write_text
from discreet.io.recount import count_written
from discreet.release.protocol_parts import Step

WORDS = Schema(
    [
        Attribute("x", Nominal(("red", "green")), "key", missing=("?", "NA")),
        Attribute("y", Nominal(("p", "q")), "key"),
        Attribute("wage", Numeric(), "key", missing=(-8, -9)),
    ]
)


def words(n: int = 120) -> pa.Table:
    rng = np.random.default_rng(1)
    wage = rng.normal(50, 9, n).round(1)
    wage[rng.random(n) < 0.2] = -8
    wage[rng.random(n) < 0.2] = -9
    return pa.table(
        {
            "x": [None if v == "" else v for v in rng.choice(["red", "green", "?", "NA", ""], n).tolist()],
            "y": rng.choice(["p", "q"], n).tolist(),
            "wage": wage,
        }
    )


_REPLACING = Microdata.replacing


def keeping_codes(self, encoded, *attributes, **_):
    """As columns were exchanged before methods with groups wrote all missing values alike."""
    return _REPLACING(self, encoded, *attributes)


def tally(promise: Guarantee, *frames: pl.DataFrame):
    count = Recount(promise)
    for frame in frames:
        count.add(frame)
    return count.tally()


def written(path, names) -> Counter:
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    return Counter(tuple(row[header.index(name)] for name in names) for row in rows)


# -------------------------------------------------------------------------------------------------------- counting


def test_counts_whatever_is_told_apart():
    frame = pl.DataFrame({"x": ["a", "a", "?", "NA", None, ""], "y": [1, 1, 1, 1, 1, 1]})
    assert tally(Guarantee("m", ("x", "y"), 2), frame) == (1, 4)
    assert tally(Guarantee("m", ("y",), 6), frame) == (6, 0)


def test_counts_over_several_tables_as_over_one():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"x": rng.integers(0, 9, 500), "y": rng.choice(["a", "b", None], 500).tolist()})
    promise = Guarantee("m", ("x", "y"), 20)
    sizes = Counter(frame.rows())
    expected = (min(sizes.values()), sum(size for size in sizes.values() if size < 20))
    assert tally(promise, frame) == expected
    assert tally(promise, frame[:100], frame[100:130], frame[130:]) == expected


def test_counts_sensitive_values_and_strata():
    frame = pl.DataFrame({"x": ["a"] * 4 + ["b"] * 4, "s": list("uuvvuuvv"), "z": [1, 2, 1, 2, 1, 1, 1, 1]})
    assert tally(Guarantee("m", ("x",), 4, l=2, sensitive="z"), frame) == (4, 4)
    assert tally(Guarantee("m", ("x",), 3, strata=("s",)), frame) == (2, 8)


def test_counts_units_once_and_records_where_no_unit_is_released():
    frame = pl.DataFrame({"x": ["a"] * 5, "home": ["1", "1", "2", None, "?"]})
    promise = Guarantee("m", ("x",), 5, unit="home", missing={"home": ("?",)})
    assert tally(promise, frame) == (4, 5)
    assert tally(promise, frame.drop("home")) == (5, 0)


@pytest.mark.parametrize("seed", range(5))
def test_wildcards_are_counted_as_a_plain_loop_does(seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "x": rng.choice(["a", "b", "?", None], 60).tolist(),
            "y": [None if v == 2 else int(v) for v in rng.integers(0, 4, 60)],
            "s": rng.choice(["u", "v"], 60).tolist(),
            "z": rng.integers(0, 3, 60),
        }
    )
    for strata, l in (((), None), (("s",), None), (("s",), 3)):  # noqa: E741
        promise = Guarantee("m", ("x", "y"), 12, strata=strata, wildcard=True, missing={"x": ("?",)}, l=l,
                            sensitive=None if l is None else "z")  # fmt: skip
        rows = [(None if x == "?" else x, y, s, z) for x, y, s, z in frame.rows()]
        matched = [
            [o for o in rows if all(a is None or b is None or a == b for a, b in zip(r[:2], o[:2], strict=True))
             and (not strata or r[2] == o[2])]
            for r in rows
        ]  # fmt: skip
        short = sum(len(m) < 12 or (l is not None and len({o[3] for o in m}) < l) for m in matched)
        for found in (tally(promise, frame), tally(promise, frame[:25], frame[25:])):
            assert found.short == short
            assert found.smallest == min(map(len, matched)) if short else found.smallest >= 12


def test_what_is_not_released_tells_nobody_apart():
    frame = pl.DataFrame({"y": [1, 1]})
    assert tally(Guarantee("m", ("x", "y"), 2), frame) == (2, 0)
    assert tally(Guarantee("m", ("x",), 2), frame) is None
    assert still_true([Guarantee("m", ("x",), 2)], frame) == ([Guarantee("m", ("x",), 2)], [])


# ------------------------------------------------------------------------------------------ before it is put in place


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".sav", ".dta", ".xpt"])
def test_a_file_that_breaks_its_promise_is_not_put_in_place(ending, tmp_path):
    masked = dc.LocalSuppression(k=5, attributes=["x", "y"]).mask(Microdata(words(), WORDS))
    spoilt = masked.microdata.to_arrow().to_pydict()
    spoilt["x"][0] = "green" if spoilt["x"][0] == "red" else "red"
    spoilt["y"][0] = "p"
    promise = replace(masked.provenance.guarantees[0], k=60)
    broken = Masked(Microdata(pa.table(spoilt), WORDS), replace(masked.provenance, guarantees=(promise,)))
    path = tmp_path / f"out{ending}"
    with pytest.raises(BrokenGuaranteeError, match=r"records do not share their x, y as promised \(k = 60\)") as error:
        dc.write(broken, path)
    assert list(tmp_path.iterdir()) == []
    assert "red" not in str(error.value)
    assert "green" not in str(error.value)


def test_two_codes_written_apart_are_caught(tmp_path, monkeypatch):
    """The count does not lean on the way missing values are written: undo that, and it finds the file."""
    monkeypatch.setattr(Microdata, "replacing", keeping_codes)
    masked = dc.LocalSuppression(k=40, attributes=["x", "y"]).mask(Microdata(words(), WORDS))
    with pytest.raises(BrokenGuaranteeError):
        dc.write(masked, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_stays_as_it_was(tmp_path):
    masked = dc.LocalSuppression(k=5, attributes=["x", "y"]).mask(Microdata(words(), WORDS))
    path = tmp_path / "out.csv"
    path.write_text("as it was")
    promise = replace(masked.provenance.guarantees[0], k=999)
    with pytest.raises(BrokenGuaranteeError):
        dc.write(Masked(masked.microdata, replace(masked.provenance, guarantees=(promise,))), path)
    assert path.read_text() == "as it was"


def test_the_command_line_ends_with_the_code_of_a_defect(tmp_path, monkeypatch, capsys):
    pl.DataFrame(words()).write_csv(tmp_path / "o.csv")
    (tmp_path / "o.toml").write_text(WORDS.to_toml())
    monkeypatch.setattr(Microdata, "replacing", keeping_codes)
    arguments = ["protect", str(tmp_path / "o.csv"), "--schema", str(tmp_path / "o.toml"), "--method", "kmodes"]
    code = _code([*arguments, "--k", "30", "--attributes", "x,y", "-o", str(tmp_path / "out.csv")])
    told = capsys.readouterr().err
    assert code == 3
    assert "kmodes: in the written file" in told
    assert not (tmp_path / "out.csv").exists()


def test_nothing_is_put_in_place_unseen(tmp_path):
    seen = []
    with looked_at(seen.append):
        write_text(tmp_path / "a.txt", "a")
    assert len(seen) == 1
    with pytest.raises(RuntimeError, match="without being looked at"), looked_at(seen.append):
        pass
    with whole_file(tmp_path / "b.txt") as temporary:
        temporary.write_text("b")
    assert len(seen) == 1


def test_a_column_that_is_not_found_again_is_no_column_that_was_not_released(tmp_path):
    path = tmp_path / "a.part"
    path.write_text("y\n1\n1\n")
    promise = Guarantee("m", ("x",), 2)
    count_written(path, ".csv", [promise], columns=["y"])
    with pytest.raises(BrokenGuaranteeError, match="Column 'x' was written and is not found"):
        count_written(path, ".csv", [promise], columns=["x", "y"])


def test_the_public_report_promises_what_the_file_keeps(tmp_path):
    group = Step("mdav", {"k": 4, "attributes": ["wage"], "missing": "fill"})
    for steps, promises in (([group], True), ([group, Step("additive-noise", {"attributes": ["wage"]})], False)):
        original = Microdata(words(), WORDS)
        masked = dc.Chain(steps, seed=3).mask(original)
        assessment = dc.assess(original, masked, measures=["il1s", "distance-linkage"])
        dc.write_report(original, masked, assessment, json=tmp_path / "public.json", audience="external")
        told = json.loads((tmp_path / "public.json").read_text())["steps"][0]
        assert ("smallest_group" in told) == promises
        assert bool(told["guarantees"]) == promises


def test_records_that_are_read_back_are_as_many_as_were_written(tmp_path):
    path = tmp_path / "a.part"
    path.write_text("x\n1\n1\n")
    promise = Guarantee("m", ("x",), 2)
    count_written(path, ".csv", [promise], records=2)
    with pytest.raises(BrokenGuaranteeError, match="3 records were written, and 2 are read back"):
        count_written(path, ".csv", [promise], records=3)


@pytest.mark.parametrize("dialect", [
    {"delimiter": ";", "encoding": "latin-1"}, {"delimiter": ",", "encoding": "utf-16"},
    {"delimiter": "|", "bom": True, "newline": "\r\n"}, {"delimiter": "\t", "quote_all": True},
])  # fmt: skip
def test_text_of_any_dialect_is_read_back(dialect, tmp_path):
    levels = ("naïve", 'with "quotes"', "semi;colon", "two\nlines")
    names = ["=x", "ünder, score"]
    frame = pa.table({name: [levels[i // 6] if i < 24 else None for i in range(30)] for name in names})
    schema = Schema([Attribute(name, Nominal(levels), "key") for name in names])
    masked = dc.LocalSuppression(k=6).mask(Microdata(frame, schema, origin={"dialect": dialect}))
    dc.write(masked, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").stat().st_size


def test_a_single_column_whose_cells_are_missing(tmp_path):
    schema = Schema([Attribute("x", Nominal(("a", "b")), "key")])
    masked = dc.LocalSuppression(k=3).mask(pa.table({"x": ["a", None, "a", None, "a", "b", None]}), schema)
    dc.write(masked, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split("\n")[1:-1] == ["a", "", "a", "", "a", "", ""]


# --------------------------------------------------------------------------------------------------- steps and units


def promised(steps, data=None, schema=WORDS):
    masked = dc.Chain(steps, seed=3).mask(Microdata(words() if data is None else data, schema))
    return masked, [(promise.attributes, promise.k) for promise in masked.provenance.guarantees]


def test_noise_after_groups_is_not_promised(tmp_path):
    first = Step("mdav", {"k": 4, "attributes": ["wage"], "missing": "pattern"})
    masked, found = promised([first, Step("rounding", {"base": 5.0, "attributes": ["wage"]})])
    assert found == [(("wage",), 4)], "rounding joins classes and parts none"
    dc.write(masked, tmp_path / "kept.csv")
    assert min(written(tmp_path / "kept.csv", ["wage"]).values()) >= 4
    for step in (
        Step("additive-noise", {"attributes": ["wage"]}),
        Step("multiplicative-noise", {"attributes": ["wage"]}),
    ):
        masked, found = promised([replace(first, parameters={**first.parameters, "missing": "fill"}), step])
        assert found == []
        assert any(note.startswith("Not promised any more") for note in masked.provenance.notes)
        assert all("guarantees" not in one for one in masked.provenance.to_dict()["steps"])
        dc.write(masked, tmp_path / "noise.csv")
        assert min(written(tmp_path / "noise.csv", ["wage"]).values()) < 4


def test_what_a_later_step_suppresses_is_counted(tmp_path):
    steps = [Step("kmodes", {"k": 5, "attributes": ["x"]}),
             Step("local-suppression", {"k": 20, "attributes": ["x", "y"]})]  # fmt: skip
    masked, found = promised(steps)
    assert found[-1] == (("x", "y"), 20)
    dc.write(masked, tmp_path / "out.csv")
    for names, k in found:
        assert min(written(tmp_path / "out.csv", names).values()) >= k


def test_steps_on_other_columns_leave_a_promise_alone(tmp_path):
    masked, found = promised(
        [Step("kmodes", {"k": 5, "attributes": ["x"]}),
         Step("mdav", {"k": 3, "attributes": ["wage"], "missing": "fill"}), Step("record-order", {})]
    )  # fmt: skip
    assert found == [(("x",), 5), (("wage",), 3)]
    dc.write(masked, tmp_path / "out.csv")
    assert min(written(tmp_path / "out.csv", ["x"]).values()) >= 5
    assert min(written(tmp_path / "out.csv", ["wage"]).values()) >= 3


def test_a_sample_promises_only_what_it_keeps(tmp_path):
    steps = [Step("mdav", {"k": 3, "attributes": ["wage"], "missing": "fill"}), Step("sampling", {"share": 0.4})]
    masked, found = promised(steps)
    assert found == []
    dc.write(masked, tmp_path / "out.csv")
    assert min(written(tmp_path / "out.csv", ["wage"]).values()) < 3


def household_data():
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 5, 60)
    home = np.repeat(np.arange(60), sizes)
    heat = [None if v == "" else v for v in rng.choice(["gas", "oil", "?", "NA", ""], 60).tolist()]
    table = pa.table(
        {
            "home": [f"h{i}" for i in home],
            "heat": [heat[i] for i in home],
            "age": rng.integers(1, 90, home.size).astype(float),
        }
    )
    schema = Schema(
        [
            Attribute("home", Nominal(("",)), "identifier"),
            Attribute("heat", Nominal(("gas", "oil")), "key", missing=("?", "NA")),
            Attribute("age", Numeric(), "key"),
        ]
    )
    return table, schema


@pytest.mark.parametrize("renumber", [True, False])
@pytest.mark.parametrize("method", ["local-suppression", "kmodes", "mixed-mdav"])
def test_households_are_counted_as_households(method, renumber, tmp_path):
    table, schema = household_data()
    masked = dc.release.protect_households(
        table, household="home", household_attributes=["heat"], household_step=Step(method, {"k": 6}),
        person_step=Step("mdav", {"k": 3}), renumber=renumber, schema=schema, seed=1,
    )  # fmt: skip
    first, second = masked.provenance.guarantees
    assert (first.unit, first.k, second.unit, second.k) == ("home", 6, None, 3)
    assert "units of home" in first.sentence
    dc.write(masked, tmp_path / "out.csv")
    assert min(written(tmp_path / "out.csv", ["heat"]).values()) >= 6
    assert min(written(tmp_path / "out.csv", ["age"]).values()) >= 3
    if renumber:
        homes = Counter(heat for heat, _ in written(tmp_path / "out.csv", ["heat", "home"]))
        assert min(homes.values()) >= 6


def test_strata_of_households_are_written_alike(tmp_path):
    table, schema = household_data()
    rng = np.random.default_rng(0)
    homes = sorted(set(table["home"].to_pylist()))
    area = dict(zip(homes, rng.choice(["n", "?", "NA"], 60).tolist(), strict=True))
    table = table.append_column("area", pa.array([area[home] for home in table["home"].to_pylist()]))
    schema = Schema([*schema, Attribute("area", Nominal(("n",)), "stratum", missing=("?", "NA"))])
    step = Step("kmodes", {"k": 7, "attributes": ["heat"], "strata": ["area"]}, unit="home")
    masked = dc.Chain([step], seed=1).mask(Microdata(table, schema))
    dc.write(masked, tmp_path / "out.csv")
    assert {area for (area,) in written(tmp_path / "out.csv", ["area"])} == {"n", "?"}
    assert min(written(tmp_path / "out.csv", ["area", "heat"]).values()) >= 7
    assert "area" not in masked.provenance.changed


def test_a_stratum_that_is_changed_later_weakens_the_promise(tmp_path):
    first = Step("kmodes", {"k": 8, "attributes": ["x"], "strata": ["y"]})
    masked, _ = promised([first, Step("pram", {"attributes": ["y"], "theta": 0.9})])
    dc.write(masked, tmp_path / "out.csv")
    for promise in masked.provenance.guarantees:
        assert min(written(tmp_path / "out.csv", [*promise.strata, *promise.attributes]).values()) >= 8
    assert [promise.attributes for promise in masked.provenance.guarantees] == [("x",)]


def test_letters_of_stata_do_not_come_back_with_the_members_of_a_household(tmp_path):
    table, schema = household_data()
    numbers = Schema([schema["home"], Attribute("heat", Numeric(), "key"), schema["age"]])
    heat = [None if v in ("?", "NA", None) else float(len(v)) for v in table["heat"].to_pylist()]
    letters = pa.chunked_array([["a" if v == "?" else "b" if v == "NA" else None for v in table["heat"].to_pylist()]])
    data = Microdata(
        table.set_column(1, "heat", pa.array(heat)), numbers, origin={"verbatim_missing": {"heat": letters}}
    )
    masked = dc.release.protect_households(
        data, household="home", household_attributes=["heat"], seed=1,
        household_step=Step("local-suppression", {"k": 20}),
    )  # fmt: skip
    dc.write(masked, tmp_path / "out.dta")


# ------------------------------------------------------------------------------------------------------- out of core


@pytest.mark.parametrize("output", ["out.parquet", "out"])
@pytest.mark.parametrize(
    ("method", "names", "more"),
    [
        ("local-suppression", ["x", "y", "wage"], {}),
        ("local-suppression", ["x", "y"], {"missing": "wildcard"}),
        ("kmodes", ["x", "y"], {}),
        ("mixed-mdav", ["x", "y", "wage"], {}),
        ("mondrian", ["x", "wage"], {}),
        ("mdav", ["wage"], {"missing": "fill"}),
        ("mdav", ["wage"], {"missing": "pattern"}),
    ],
)
def test_out_of_core(method, names, more, output, tmp_path):
    pq.write_table(words(400), tmp_path / "o.parquet")
    provenance, _ = dc.protect(
        dc.scan(tmp_path / "o.parquet", WORDS), method, output=tmp_path / output, block_size=64, k=4,
        attributes=names, **more,
    )  # fmt: skip
    assert [(promise.k, set(promise.attributes)) for promise in provenance.guarantees] == [(4, set(names))]
    table = pq.read_table(tmp_path / output)
    rows = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    if more.get("missing") == "wildcard":
        known = [tuple(None if v in ("?", "NA") else v for v in row) for row in rows]
        matched = [
            sum(all(a is None or b is None or a == b for a, b in zip(r, o, strict=True)) for o in known) for r in known
        ]
        assert min(matched) >= 4
    else:
        assert min(Counter(rows).values()) >= 4
    if "wage" in names:
        assert not {-9.0, None} & set(table.column("wage").to_pylist())


def test_out_of_core_is_not_put_in_place_either(tmp_path, monkeypatch):
    pq.write_table(words(400), tmp_path / "o.parquet")
    monkeypatch.setattr(Microdata, "replacing", keeping_codes)
    for output in ("out.parquet", "out"):
        with pytest.raises(DiscreetError, match="in the written file"):
            dc.protect(
                dc.scan(tmp_path / "o.parquet", WORDS), "local-suppression", output=tmp_path / output, k=40,
                attributes=["x", "y"],
            )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["o.parquet"]


# --------------------------------------------------------------------------------------------------------- sequences


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
@pytest.mark.parametrize("method", ["sequence-mdav", "kshc"])
@pytest.mark.parametrize("lists", [True, False])
def test_sequences(method, ending, lists, tmp_path):
    rng = np.random.default_rng(0)
    visits = [[("gate", "lake", "shop")[i] for i in rng.integers(0, 3, rng.integers(1, 4))] for _ in range(40)]
    schema = Schema([Attribute("visits", Sequence(("gate", "lake", "shop")), "key")])
    frame = pa.table({"visits": visits if lists else [" ".join(visit) for visit in visits]})
    masked = dc.protect(Microdata(frame, schema), method, k=5)
    dc.write(masked, tmp_path / f"out{ending}")
    assert [promise.attributes for promise in masked.provenance.guarantees] == [("visits",)]
    if ending == ".csv":
        assert min(written(tmp_path / "out.csv", ["visits"]).values()) >= 5
