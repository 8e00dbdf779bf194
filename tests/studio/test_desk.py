"""The work behind the pages, without any page."""

from __future__ import annotations

import json
import pickle
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace as Namespace
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from tests.stand_ins import instead

import discreet as dc
from discreet import catalogue, workflow
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, MissingValueError, SchemaError
from discreet.evaluation import ranking
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.progress import listening
from discreet.report import charts
from discreet.studio import desk as desk_module
from discreet.studio.desk import Desk
from discreet.studio.map_points import study_map
from discreet.studio.session_values import Answer, Attacked, Given, History, adopt, read_protocol
from discreet.workflow import Intruder, Protocol, Step


@pytest.fixture
def desk():
    return Desk()


BUSINESS = Given("sample", "business", "sample: business", n=120)


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "data.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"p{i},{rng.integers(1, 9)},{rng.choice(['low', 'mid', 'high'])},{1000 * rng.random():.1f}" for i in range(90)
    ]
    rows[3] = "p3,-9,?,5.0"
    path.write_text("person_id,rooms,heat,rent\n" + "\n".join(rows) + "\n")
    return Given("file", str(path), "survey.csv")


def test_opening_tells_types_counts_and_reasons(desk, survey):
    opened = desk.open(survey)
    assert opened.n_records == 90
    assert opened.schema["person_id"].role == "identifier"
    assert opened.schema["heat"].missing == ("?",)
    assert opened.missing["heat"] == 1
    assert set(opened.reasons) == set(opened.types) == {"person_id", "rooms", "heat", "rent"}
    assert len(opened.rows) == 20
    assert "p3" not in repr(opened), "rows are for who asks"
    pickle.dumps(opened)


def test_answers_become_a_declaration(desk, survey):
    schema = desk.open(survey).schema
    levels = schema["heat"].scale.levels
    order = tuple(levels.index(word) for word in ("low", "mid", "high"))
    answers = {
        "heat": Answer("confidential", "ordinal", ("?",), order, "heating"),
        "rooms": Answer("key", "ordinal", ("-9",)),
    }
    declared = desk.declare(survey, schema, answers)
    assert declared.schema["heat"].scale.levels == ("low", "mid", "high")
    assert declared.schema["heat"].scale.kind == "ordinal"
    assert declared.schema["heat"].label == "heating"
    assert -9 not in declared.schema["rooms"].scale.levels
    assert declared.missing["rooms"] == 1
    assert declared.schema["rent"] == schema["rent"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [(Answer("king", "nominal"), "there is no role"),
     (Answer("key", "nominal", ("?",), (0, 0, 1)), "in the order once"),
     (Answer("key", "sequence", ("?",)), "cannot be made sequence"), (Answer("key", "numeric", ("?",)), "heat")],
)  # fmt: skip
def test_wrong_answers_are_refused(desk, survey, answer, message):
    schema = desk.open(survey).schema
    with pytest.raises((SchemaError, DataError), match=message):
        desk.declare(survey, schema, {"heat": answer})


def test_the_risk_of_an_unprotected_file(desk):
    given = Given("sample", "housing", "sample: housing", n=150)
    schema = desk.open(given).schema
    risk = desk.risk(given, schema, [Intruder("neighbour", ("BUILT", "RENT"))])
    assert {m.name for m in risk.measurements} >= {
        "uniques",
        "k-anonymity",
        "distance-linkage",
        "probabilistic-linkage",
    }
    assert {c.name for c in risk.contributions} == set(schema.keys)
    without = [c.expected_without for c in risk.contributions]
    assert without == sorted(without)
    assert all(c.expected_without <= c.expected_now + 1e-9 for c in risk.contributions)
    assert risk.scenarios["neighbour"]
    pickle.dumps(risk)


def test_steps_are_the_same_as_those_of_the_library(desk):
    schema = desk.open(BUSINESS).schema
    steps = [Step("mdav", {"k": 4}), Step("rank-swapping", {"p": 5.0})]
    first = desk.protect(BUSINESS, schema, steps, 7)
    again = Desk().protect(BUSINESS, schema, steps, 7)
    assert first.assessment == again.assessment, "an empty desk gives the same"
    from discreet.datasets import business

    masked = workflow.Chain(steps, 7).mask(business(120, 0))
    assert workflow.assess(business(120, 0), masked).score == first.assessment.score
    assert all(svg.startswith("<svg") for _, svg in first.charts)
    assert len(first.charts) >= 3


def test_a_study_is_told_as_it_goes(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    told, labels = [], set()
    desk.tell = told.append
    with listening(lambda label, *_: labels.add(label)):
        study = desk.compare(BUSINESS, schema, [MDAV(k=3), MDAV(k=9)], 1, 0, str(tmp_path / "rows.jsonl"))
    assert [len(one.points) for one in told] == [0, 1, 2]
    assert "experiments" in labels
    assert (study.done, study.total) == (2, 2)
    assert adopt(MDAV(k=9)) == Step("mdav", {"k": 9})
    lines = {p.label: p for p in study.points}
    low, high = lines["mdav(k=9)"], lines["mdav(k=3)"]
    assert low.risk < high.risk
    assert low.x < high.x
    assert low.loss > high.loss
    assert low.y < high.y, "more loss is further up, and a picture counts from its top"


def test_a_map_of_nothing():
    assert study_map([], 5).points == ()


def test_an_attack_with_the_original_a_register_and_no_common_name(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    steps = [Step("mdav", {"k": 3})]
    own = desk.attack(BUSINESS, schema, steps, 1, "distance", {})
    assert own.rate == pytest.approx(100 * own.expected / 120)
    assert own.chance == 1.0
    assert own.chance_rate == pytest.approx(100 / 120)
    workflow.write_dataset("business", tmp_path / "register.csv", n=120)
    held = Given("file", str(tmp_path / "register.csv"), "register.csv")
    by_column = desk.attack(BUSINESS, schema, steps, 1, "distance", {}, held, schema.of_role("identifier")[0])
    assert by_column.rate == pytest.approx(own.rate)
    unknown = desk.attack(BUSINESS, schema, steps, 1, "distance", {}, held)
    assert unknown.rate is None
    assert unknown.with_candidate == 120
    apart = desk.attack(BUSINESS, schema, steps, 1, "structural", {}, held, "order")
    assert apart.rate is not None
    (tmp_path / "short.csv").write_text("EMPLOYEES\n1\n2\n3\n")
    short = Given("file", str(tmp_path / "short.csv"), "short.csv")
    with pytest.raises(DataError, match="cannot say who is who"):
        desk.attack(BUSINESS, schema, steps, 1, "distance", {"attributes": ["EMPLOYEES"]}, short, "order")
    (tmp_path / "other.csv").write_text("x,y\n1,2\n2,3\n3,5\n")
    with pytest.raises(SchemaError, match="no column name in common"):
        desk.attack(BUSINESS, schema, steps, 1, "distance", {}, Given("file", str(tmp_path / "other.csv"), "o.csv"))


def test_a_release_is_complete_and_repeats(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    steps = [Step("rank-swapping", {"p": 5.0})]
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        released = desk.release(BUSINESS, schema, steps, 3, (), {"risk_at_most": 100.0}, str(tmp_path / place))
    assert [v.met for v in released.verdicts] == [True]
    for file in released.files:
        one, two = (tmp_path / place / file.name for place in ("first", "second"))
        assert one.read_bytes() == two.read_bytes(), file.name
    assert (tmp_path / "first" / "release.zip").read_bytes() == (tmp_path / "second" / "release.zip").read_bytes()
    public = json.loads((tmp_path / "first" / "manifest-external.json").read_text())
    assert "protocol" not in public
    again = workflow.run(tmp_path / "first" / "protocol.toml")
    workflow.write(again.masked, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first" / "masked.csv").read_bytes()
    assert "import discreet" in (tmp_path / "first" / "release.py").read_text()


def test_history_forgets_what_was_taken_back_only_for_a_new_step():
    history = History().add(Step("a")).add(Step("b")).add(Step("c"))
    assert not history.can_go_forward
    back = history.back().back()
    assert [step.method for step in back.steps] == ["a"]
    assert back.forward().forward() == history
    assert back.go(99) == history
    assert not back.go(-5).can_go_back
    assert [step.method for step in back.add(Step("d")).all_steps] == ["a", "d"]


def test_a_protocol_is_read_back(desk):
    schema = desk.open(BUSINESS).schema
    text = Protocol(schema, [Step("mdav", {"k": 4})], seed=5).to_toml()
    assert read_protocol(text).steps == (Step("mdav", {"k": 4}),)


# ------------------------------------------------------------------------------------------- parts of the work


def table(**columns):
    return dc.microdata(columns)


def test_values_are_shown_as_text():
    assert [desk_module._cell_text(value) for value in (["a", 3], [], None, 2.5, "x", 0)] == [
        "a > 3", "", "", "2.5", "x", "0",
    ]  # fmt: skip


def test_rows_that_were_not_written_whole_are_passed_over(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"header": 1}\n{"a": 1}\n{"b": \n[2]\n{"c"')
    assert desk_module._stored(str(path)) == [{"a": 1}, [2]]
    path.write_bytes(b'{"header": 1}\n')
    assert desk_module.stored_study(path, 5) is None
    assert desk_module.stored_study(tmp_path / "absent.jsonl", 5) is None


def test_a_file_is_known_by_size_time_and_content(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"abc")
    assert desk_module.file_identity(path) == {
        "size": 3,
        "changed": path.stat().st_mtime_ns,
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }


def test_an_archive_is_the_same_for_the_same_files(tmp_path):
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        for name in ("b.txt", "a.txt"):
            (tmp_path / place / name).write_text(name * 100)
        desk_module._pack(tmp_path / place, [tmp_path / place / "b.txt", tmp_path / place / "a.txt"])
    one, two = ((tmp_path / place / "release.zip").read_bytes() for place in ("one", "two"))
    assert one == two
    with zipfile.ZipFile(tmp_path / "one" / "release.zip") as archive:
        assert archive.namelist() == ["b.txt", "a.txt"]
        assert archive.read("a.txt") == b"a.txt" * 100
        assert {(entry.date_time, entry.compress_type) for entry in archive.infolist()} == {((1980, 1, 1, 0, 0, 0), 8)}


@pytest.mark.parametrize(
    ("truth", "expected"),
    [("", None), ("order", [0, 1, 2]), ("name", [2, -1, 1])],
)
def test_who_is_who_is_told_by_order_or_by_a_column(truth, expected):
    original = table(name=["a", "b", "c"], age=[1, 2, 3])
    intruder = table(name=["x", "c", "a"], age=[1, 2, 3])
    found = desk_module._positions(original, intruder, truth)
    assert (found if found is None else found.tolist()) == expected


def test_of_two_with_one_name_the_first_counts_and_what_cannot_tell_is_refused():
    original = table(name=["a", "b"], age=[1, 2])
    assert desk_module._positions(original, table(name=["b", "a", "a"]), "name").tolist() == [1, 0]
    with pytest.raises(DataError, match="The files have 2 and 3 records, so their order cannot say who is who"):
        desk_module._positions(original, table(name=["b", "a", "a"]), "order")
    with pytest.raises(SchemaError, match="The intruder's file has no column 'age' that says who is who"):
        desk_module._positions(original, table(name=["b", "a", "a"]), "age")
    with pytest.raises(SchemaError, match="The original has no column 'town' that says who is who"):
        desk_module._positions(original, table(town=["b", "a"]), "town")


@pytest.mark.parametrize(
    ("values", "lacks_all", "lacks_any"),
    [
        ([1.5, 2.5, 3.25, 9.0], False, False),
        ([1.5, None, 3.25, 9.0], False, True),
        ([None, None, None, None], True, True),
        (["a", None, "a", "b"], False, False),
    ],
)
def test_numbers_may_lack_nothing_and_levels_not_everything(values, lacks_all, lacks_any):
    data = table(x=pl.Series(values, dtype=pl.Float64 if values[0] is None else None), y=[1, 2, 3, 4])
    assert desk_module._lacks(data, "x", 1.0) is lacks_all
    assert desk_module._lacks(data, "x", 0.0) is lacks_any


class Linking:
    """A linker that has no rule for some attributes; what it was asked for is remembered."""

    asked: ClassVar[list] = []
    refuses: ClassVar[set] = set()
    uses: ClassVar[tuple | None] = None

    def __init__(self, **parameters):
        self.parameters = parameters

    def link(self, first, second, *, engine):
        assert (second.microdata, isinstance(engine, MemoryEngine)) == (first, True)
        type(self).asked.append(self.parameters)
        names = self.parameters.get("attributes") or list(first.schema.keys)
        if self.refuses & set(names):
            raise MissingValueError("Values are missing.")
        return Namespace(attributes=tuple(self.uses if self.uses is not None else names))


@pytest.mark.parametrize(
    ("refuses", "uses", "parameters", "known", "left_out", "asked"),
    [
        # It has a rule for everything, and leaves out what it does not need.
        ((), None, {}, ("gap", "full", "empty"), (), [{}]),
        ((), ("full",), {"k": 1}, ("full",), ("gap", "empty"), [{"k": 1}]),
        ((), ("full",), {"attributes": ["gap", "full"]}, ("full",), (), [{"attributes": ["gap", "full"]}]),
        ((), (), {}, (), (), [{}]),
        # First what has no value at all is left out, then numbers with any gap.
        (("empty",), None, {}, ("gap", "full"), ("empty",), [{}, {"attributes": ["gap", "full"]}]),
        (("empty", "gap"), None, {"k": 1}, ("full",), ("gap", "empty"),
         [{"k": 1}, {"k": 1, "attributes": ["gap", "full"]}, {"k": 1, "attributes": ["full"]}]),
        (("gap",), None, {"attributes": ["gap", "full"]}, ("full",), ("gap",),
         [{"attributes": ["gap", "full"]}, {"attributes": ["full"]}]),
    ],
)  # fmt: skip
def test_what_a_linker_has_no_rule_for_is_left_out(monkeypatch, refuses, uses, parameters, known, left_out, asked):
    monkeypatch.setattr(Linking, "asked", [])
    monkeypatch.setattr(Linking, "refuses", set(refuses))
    monkeypatch.setattr(Linking, "uses", uses)
    links, unused = desk_module._linked(Linking, parameters, GAPS, Namespace(microdata=GAPS))
    assert (links.attributes, unused, Linking.asked) == (known, left_out, asked)


GAPS = dc.microdata(
    {"gap": [1.5, None, 3.0], "full": [1.5, 2.0, 4.0], "empty": pl.Series([None] * 3, dtype=pl.Float64)},
    dc.Schema(dc.Attribute(name, dc.Numeric(), role="key") for name in ("gap", "full", "empty")),
)


@pytest.mark.parametrize("parameters", [{}, {"attributes": ["gap"]}, {"attributes": ["full"]}])
def test_where_nothing_is_left_another_linker_is_named(monkeypatch, parameters):
    monkeypatch.setattr(Linking, "refuses", {"gap", "full", "empty"})
    with pytest.raises(MissingValueError) as told:
        desk_module._linked(Linking, parameters, GAPS, Namespace(microdata=GAPS))
    assert str(told.value) == (
        "Values are missing. Hint: Choose probabilistic linkage, for which a missing value says nothing."
    )


@pytest.mark.parametrize("known", [False, True])
def test_an_attack_is_counted_and_judged_where_it_is_known_who_is_who(known):
    asked = []
    result = Namespace(chance=1.5, expected=2.5, optimistic=3, pessimistic=2, rate=0.25, interval=lambda: (0.1, 0.5))
    links = Namespace(
        attributes=("age",), n_a=4, n_b=10, best=np.array([0, -1, 3]), ties=np.array([1, 0, 2]),
        evaluate=lambda truth: asked.append(truth) or result,
    )  # fmt: skip
    counts = Attacked("distance", ("age",), 4, 10, 2, 1, 2.5)
    if known:
        counts = replace(counts, chance=1.5, expected=2.5, optimistic=3, pessimistic=2, rate=25.0, low=10.0, high=50.0)
    assert desk_module._attacked("distance", links, "truth" if known else None) == counts
    assert asked == (["truth"] if known else [])


@pytest.mark.parametrize(
    ("applies", "error", "told"),
    [(False, None, {}), (True, DataError("Too many keys."), {}), (True, None, {"age": 5.0})],
)
def test_key_by_key_nothing_is_said_where_there_are_too_many(desk, monkeypatch, applies, error, told):
    def measure(original, released, *, engine):
        assert (original.schema, released, isinstance(engine, MemoryEngine)) == ("schema", "released", True)
        if error is not None:
            raise error
        return Namespace(per_attribute={"age": 5.0})

    suda = Namespace(applies_to=lambda schema: applies and schema == "schema", measure=measure)
    monkeypatch.setattr(desk_module.catalogue, "method", lambda *name: {("measure", "suda2"): lambda: suda}[name])
    assert desk._contributions(Namespace(schema="schema"), "released") == told


def test_a_hierarchy_with_ranges_is_filled_by_the_columns_own_values(desk, survey):
    schema = desk.open(survey).schema
    rows = desk.read_tree(survey, schema, "rooms", "few: -4\nmany: 5-", ".grc")
    bands = {row[0]: row[1:] for row in rows}
    assert {str(number): bands[str(number)] for number in (1, 4, 5, 8)} == {
        "1": ["few"], "4": ["few"], "5": ["many"], "8": ["many"],
    }  # fmt: skip
    assert all(isinstance(row, list) for row in rows)


# ------------------------------------------------------------------------------------ what is put together

TEN = Given("sample", "business", "sample: business", n=10)


@pytest.fixture
def ten(desk):
    """A desk with ten records, and their schema."""
    return desk, desk.open(TEN).schema


@dataclass(frozen=True)
class Run:
    """A protocol that was run."""

    verdicts: tuple
    assessment: str
    text: str = ""

    def write(self, folder):
        names = {"masked": "masked.csv", "schema": "masked.toml", "internal": "internal-report.html",
                 "external": "external-report.html", "json": "internal-report.json"}  # fmt: skip
        for key, name in names.items():
            (Path(folder) / name).write_text(f"{key}\n")
        return {key: Path(folder) / name for key, name in names.items()}


@pytest.mark.parametrize("kind", ["sample", "file"])
def test_a_release_is_listed_by_whom_it_is_for(desk, tmp_path, monkeypatch, kind):
    given = TEN
    if kind == "file":
        desk._original(TEN, desk.open(TEN).schema).to_polars().write_csv(tmp_path / "d.csv")
        given = Given("file", str(tmp_path / "d.csv"), "survey.csv")
    schema = desk.open(given).schema
    target = tmp_path / "release"
    target.mkdir()
    asked = []
    verdicts = (Namespace(name="risk_at_most", met=False),)
    monkeypatch.setattr(
        desk_module, "run_protocol", lambda *values, **options: asked.append((values, options)) or Run(verdicts, "made")
    )
    steps, who = [Step("mdav", {"k": 3})], (Intruder("who", schema.keys[:2]),)
    released = desk.release(given, schema, steps, 7, who, {"risk_at_most": 5.0}, str(target), ".parquet")
    (((protocol,), options),) = asked
    assert (protocol.schema, protocol.steps, protocol.scenarios, protocol.seed) == (schema, tuple(steps), who, 7)
    assert dict(protocol.thresholds) == {"risk_at_most": 5.0}
    assert protocol.release == {
        "masked": "masked.parquet", "internal": "internal-report.html", "external": "external-report.html",
        "json": "internal-report.json",
    }  # fmt: skip
    assert (options["folder"], len(options["original"])) == (str(target), 10)
    assert (released.folder, released.verdicts, released.assessment) == (str(target), verdicts, "made")
    sample = ["original"] if kind == "sample" else []
    keys = [file.key for file in released.files]
    assert keys == [
        "masked", "schema", "external", "public-manifest", "internal", "json", "protocol", "script", *sample,
        "manifest",
    ]  # fmt: skip
    assert [file.audience for file in released.files] == ["data users"] * 4 + ["the house"] * (len(keys) - 4)
    for file in released.files:
        assert file.size == (target / file.name).stat().st_size
        assert len(file.sha256) == (0 if file.key == "manifest" else 64)
    assert 'manifest = "manifest.json"' in (target / "protocol.toml").read_text()
    public = json.loads((target / "manifest-external.json").read_text())
    assert sorted(entry["role"] for entry in public["files"]) == ["external", "masked", "schema"]
    whole = json.loads((target / "manifest.json").read_text())
    assert sorted(entry["role"] for entry in whole["files"]) == sorted(set(keys) - {"manifest"})
    assert ("d.csv" in json.dumps(whole.get("inputs", []))) is (kind == "file")
    with zipfile.ZipFile(target / "release.zip") as archive:
        assert archive.namelist() == [file.name for file in sorted(released.files, key=lambda file: file.key)]
    assert (target / "business.csv").exists() is (kind == "sample")


def test_keys_are_told_with_what_each_adds(ten, monkeypatch):
    desk, schema = ten
    first, second = schema.keys[:2]
    asked = []
    measured = [Namespace(name=name) for name in ("uniques", "not shown at first", "k-anonymity")]
    assessment = Namespace(measurements=measured)
    ranked = [Namespace(name=second, now=3.0, without=1.0), Namespace(name=first, now=3.0, without=2.0)]
    monkeypatch.setattr(ranking, "rank_keys", lambda *values: asked.append(values[1:]) or ranked)
    monkeypatch.setattr(
        desk_module, "_violations", lambda _original, _released, names, k: asked.append((names, k)) or 10.0 * k
    )
    monkeypatch.setattr(desk, "_assess_now", lambda *_: assessment)
    monkeypatch.setattr(desk, "_contributions", lambda *_: {first: 40.0})
    risk = desk.risk(TEN, schema)
    others = [[key for key in schema.keys if key != name] for name in (second, first)]
    assert asked == [(schema.keys, None), ([second], 2), (others[0], 3), ([first], 2), (others[1], 3)]
    assert [(c.name, c.alone, c.without, c.share, c.expected_now, c.expected_without) for c in risk.contributions] == [
        (second, 20.0, 30.0, None, 30.0, 10.0),
        (first, 20.0, 30.0, 40.0, 30.0, 20.0),
    ]
    assert [one.name for one in risk.measurements] == [
        n for n in desk_module._first_look() if n in {"uniques", "k-anonymity"}
    ]
    assert (risk.n_records, risk.scenarios, risk.assessment) == (10, {}, assessment)


@pytest.mark.parametrize("scenarios", [(), ("who",)])
@pytest.mark.parametrize("rows", [None, [1, 2]])
def test_pictures_of_columns_are_drawn_where_the_records_are_the_same(ten, monkeypatch, rows, scenarios):
    desk, schema = ten
    risk = [Namespace(name="uniques"), Namespace(name="not shown at first")]
    worst = Namespace(of_kind=lambda kind: risk if kind == "risk" else [])
    masked = Namespace(
        microdata="after", provenance=Namespace(rows=rows, to_dict=lambda *, internal: {"all": internal})
    )
    monkeypatch.setattr(desk, "_released", lambda *_: masked)
    monkeypatch.setattr(desk_module, "assess_intruders", lambda *_: {"a": worst, "n": worst})
    monkeypatch.setattr(desk_module, "worst_of", lambda found: ("a", found["a"]))
    pictures = [Namespace(name=f"c{i}", edges=[0, 1] if i else []) for i in range(9)]
    monkeypatch.setattr(desk_module, "profile", lambda _, after: pictures if after == "after" else [])
    monkeypatch.setattr(charts, "risk_chart", lambda _: "<svg>risk")
    monkeypatch.setattr(charts, "loss_chart", lambda _: "")
    monkeypatch.setattr(charts, "distribution_chart", lambda one: f"<svg>{one.name}")
    made = desk.protect(TEN, schema, [], 1, scenarios)
    drawn = [(f"c{i}, before and after", f"<svg>c{i}") for i in range(1, 7)] if rows is None else []
    assert made.charts == (("Risk", "<svg>risk"), *drawn), "a picture that is none is left out"
    assert (made.provenance, made.assessment) == ({"all": True}, worst)
    assert made.scenarios == ({"a": (risk[0],), "n": (risk[0],)} if scenarios else {})


@pytest.mark.parametrize(("rows", "truth", "positions"), [
    (None, "", list(range(10))), (np.array([4, 2]), "", [4, 2]), (None, "order", list(range(10))),
])  # fmt: skip
def test_an_attack_with_the_original_knows_who_is_who(ten, monkeypatch, rows, truth, positions):
    desk, schema = ten
    masked = Namespace(provenance=Namespace(rows=rows))
    asked = []
    monkeypatch.setattr(desk, "_released", lambda *values: asked.append(values) or masked)
    monkeypatch.setattr(desk_module, "_linked", lambda *values: asked.append(values) or ("links", ("WAGES",)))
    plain = Attacked("distance", (), 1, 1, 1, 0, 1.0)
    monkeypatch.setattr(
        desk_module, "_attacked", lambda linker, links, known: asked.append((linker, links, list(known))) or plain
    )
    steps = [Step("mdav", {"k": 3})]
    found = desk.attack(TEN, schema, steps, 5, "distance", {"x": 1}, None, truth)
    assert found == replace(plain, left_out=("WAGES",))
    assert asked[0] == (TEN, schema, steps, 5)
    method, parameters, table, release = asked[1]
    assert (method, parameters, len(table), release) == (catalogue.method("linker", "distance"), {"x": 1}, 10, masked)
    assert asked[2] == ("distance", "links", positions)


def test_the_file_of_an_intruder_is_read_by_what_is_declared_of_the_original(ten, tmp_path):
    desk, schema = ten
    identifier, key = schema.of_role("identifier")[0], schema.keys[0]
    (tmp_path / "i.csv").write_text(f"{identifier},{key},own\na,1,x\nb,2,y\nc,3,x\n")
    held = Given("file", str(tmp_path / "i.csv"), "i.csv")
    shared = desk._intruder_table(held, schema, shared=True)
    assert shared.schema[key] == schema[key]
    alone = desk._intruder_table(held, schema, shared=False)
    assert shared.schema["own"] == alone.schema["own"]
    assert list(shared.names) == list(alone.names) == [identifier, key, "own"]
    (tmp_path / "n.csv").write_text(f"{identifier},own\na,x\nb,y\nc,x\n")
    nothing = Given("file", str(tmp_path / "n.csv"), "n.csv")
    with pytest.raises(SchemaError, match="no column name in common"):
        desk._intruder_table(nothing, schema, shared=True)  # an identifier is not compared


def test_a_lattice_is_counted_level_by_level(ten, monkeypatch):
    desk, schema = ten
    lattice = Namespace(
        steps=np.array([[0, 0], [1, 0], [0, 1], [2, 1]]), satisfied=np.array([False, True, False, True]),
        to_dict=lambda: {"k": 3}, rows=lambda most: ["row"] * most,
    )  # fmt: skip
    asked = []
    masker = Namespace(explore=lambda table: asked.append(len(table)) or lattice)
    monkeypatch.setattr(
        desk_module, "catalogue", instead(catalogue, build=lambda *values: asked.append(values) or masker)
    )
    found = desk.explore(TEN, schema, {"k": 3}, 2)
    assert found == {"k": 3, "rows": ["row", "row"], "levels": [(1, 0), (2, 1), (0, 0), (1, 1)]}
    assert asked == [("masker", "generalisation", {"k": 3}), 10]


def test_what_was_masked_or_measured_last_is_kept(ten, monkeypatch):
    desk, schema = ten
    made = []
    chain = lambda steps, seed: Namespace(mask=lambda _table: made.append((len(steps), seed)) or object())  # noqa: E731
    monkeypatch.setattr(desk_module, "Chain", chain)
    steps = [Step("mdav", {"k": 3})]
    first = desk._released(TEN, schema, steps, 1)
    assert desk._released(TEN, schema, list(steps), 1) is first
    assert desk._released(TEN, schema, steps, 2) is not first
    assert desk._released(TEN, schema, steps, 1) is not first, "only the last is kept"
    assert made == [(1, 1), (1, 2), (1, 1)]
    unmasked = desk._released(TEN, schema, [], 1)
    assert len(made) == 3
    assert not set(schema.of_role("identifier")) & set(unmasked.microdata.names)
    monkeypatch.setattr(desk_module, "assess", lambda *values: made.append(len(values)) or object())
    now = desk._assess_now(TEN, schema)
    assert desk._assess_now(TEN, schema) is now
    assert made[3:] == [2]
    desk.open(TEN)
    assert desk._assess_now(TEN, schema) is not now, "a file at the same place may have changed"


def test_a_study_of_no_keys_has_no_unmasked_file(ten, monkeypatch, tmp_path):
    desk, schema = ten
    asked = []
    study = Namespace(rows=[{"x": 1}])
    monkeypatch.setattr(desk_module, "compare", lambda *values, **options: asked.append((values, options)) or study)
    monkeypatch.setattr(desk_module, "unmasked_files", lambda _table, sets, _scoring: {"all keys": sets})
    monkeypatch.setattr(desk_module, "study_map", lambda *values: values)
    store = str(tmp_path / "rows.jsonl")
    assert desk.compare(TEN, schema, ["m"], 2, 5, store) == ([{"x": 1}], 1, {"all keys": schema.keys})
    ((table, candidates), options), *_ = asked
    assert (len(table), candidates) == (10, ["m"])
    assert options == {"repetitions": 2, "random_state": 5, "store": store, "scenarios": (), "resume": True}
    nobody = schema.with_roles(**dict.fromkeys(schema.keys, "other"))
    assert desk.compare(TEN, nobody, ["m"], 2, 5, store) == ([{"x": 1}], 1, None)
