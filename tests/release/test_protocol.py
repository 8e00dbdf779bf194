"""The protocol file: what is written can be read, and what cannot be read is named with its line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.contracts.intruder import Intruder
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError, FileError, SchemaError
from discreet.evaluation.thresholds import check_thresholds
from discreet.release.chain import masker_of
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step

SCHEMA = Schema(
    [
        Attribute("ID", Nominal(("",)), "identifier"),
        Attribute("AGE", Numeric(), "key", missing=(-9,)),
        Attribute("FUEL", Nominal(["gas", "oil"]), "key"),
        Attribute("SIZE", Ordinal([1, 2, 3]), "confidential"),
    ]
)
TEXT = """\
seed = 1

[data]
file = "survey.csv"

[[attribute]]
name = "AGE"
role = "key"
scale = "numeric"

[[scenario]]
name = "neighbour"
known = ["AGE"]

[[step]]
method = "mdav"
k = 5

[thresholds]
risk_at_most = 10
"""


def test_a_protocol_is_read_back_as_it_was_written():
    protocol = Protocol(
        SCHEMA,
        [
            Step("level-map", {"maps": {"FUEL": {"gas": "a b", "oil": 'quo"ted'}}}),
            Step("global-recoding", {"p": 2, "attributes": ["FUEL"]}, unit="ID"),
            Step("mdav", {"k": 5, "attributes": ["AGE"], "blocks": [["AGE"]]}),
        ],
        [Intruder("neighbour", ("AGE", "FUEL")), Intruder("broker", ("AGE",), ("masking-aware",))],
        {"risk_at_most": 5.5, "smallest_group": 3, "il1s_at_most": 20},
        seed=7,
        source=Source("survey.csv", ";", "latin-1"),
        release={"masked": "out.sav", "internal": "in.html"},
    )
    assert Protocol.from_toml(protocol.to_toml()) == protocol


def test_comments_stand_beside_their_parts_and_change_nothing():
    protocol = Protocol(
        SCHEMA, [Step("mdav")], comments={"step:0": "why\nso", "attribute:AGE": "numbers", "end": "bye"}
    )
    text = protocol.to_toml()
    assert "# why\n# so\n[[step]]" in text
    assert '# numbers\n[[attribute]]\nname = "AGE"' in text
    assert Protocol.from_toml(text) == protocol
    assert "#" not in protocol.to_toml(comments={})


names = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=12)


@given(st.lists(names, min_size=2, max_size=4, unique=True), names, names, st.integers(0, 2**40))
def test_hostile_names_survive_the_file(columns, level, remark, seed):
    schema = Schema([Attribute(name, Nominal([level, level + "x"]), "key") for name in columns])
    protocol = Protocol(
        schema,
        [Step("level-map", {"maps": {columns[0]: {level: remark}}}, unit=columns[1])],
        [Intruder(remark, tuple(columns))],
        seed=seed,
        comments={f"attribute:{columns[0]}": remark, "protocol": f"{remark}\n[[step]]", "step:0": columns[1]},
    )
    assert Protocol.from_toml(protocol.to_toml()) == protocol


@pytest.mark.parametrize(
    ("old", "new", "line", "name"),
    [
        ("seed = 1", "sed = 1", "Line 1", "'seed'"),
        ('file = "survey.csv"', 'fil = "survey.csv"', "Line 4", "'file'"),
        ('role = "key"', 'rol = "key"', "Line 8", "'role'"),
        ("known =", "knwon =", "Line 13", "'known'"),
        ("[thresholds]", "[tresholds]", "Line 19", "'thresholds'"),
        ("risk_at_most", "risk_at_mots", "", "'risk_at_most'"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_name(old, new, line, name):
    with pytest.raises(SchemaError) as caught:
        Protocol.from_toml(TEXT.replace(old, new))
    assert line in caught.value.message
    assert f"Did you mean {name}?" in caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 1", "seed = -1", "seed must be"),
        ("seed = 1", "seed = true", "seed must be"),
        ("seed = 1", 'seed = "', "not valid TOML"),
        ('file = "survey.csv"', "file = 3", r"Line 4: \[data\]: file must be text"),
        ('file = "survey.csv"', 'encoding = "latin-1"', r"\[data\] must name the file"),
        ('method = "mdav"', "k2 = 5", r"Line 15: \[\[step\]\] number 1 must name its method"),
        ('known = ["AGE"]', 'known = ["AEG"]', "'AEG', which the protocol does not declare"),
        ('known = ["AGE"]', "known = []", "known must be a list of at least one name"),
        ('known = ["AGE"]', "", "must say what the intruder knows"),
        ("k = 5", 'attributes = ["WAGE"]', r"Line 15: Step 1 \(mdav\): attributes names 'WAGE'"),
        ("k = 5", 'unit = "HOUSE"', r"Step 1 \(mdav\): unit names 'HOUSE'"),
        ("risk_at_most = 10", 'risk_at_most = "ten"', "risk_at_most must be a finite number"),
        ("[[step]]", "[step]", r"Write \[\[step\]\] with double brackets"),
        ('role = "key"', 'role = "identifier"', "is an identifier and not released"),
    ],
)
def test_what_cannot_be_meant_is_refused(old, new, message):
    with pytest.raises(SchemaError, match=message):
        Protocol.from_toml(TEXT.replace(old, new, 1))


def test_two_scenarios_of_one_name_are_refused():
    with pytest.raises(SchemaError, match="Two scenarios are called 'a'"):
        Protocol(SCHEMA, scenarios=[Intruder("a", ("AGE",)), Intruder("a", ("FUEL",))])


def test_a_protocol_without_attributes_says_how_to_get_one():
    with pytest.raises(SchemaError) as caught:
        Protocol.from_toml("seed = 1")
    assert "discreet init" in caught.value.hint


def test_loading_and_saving(tmp_path):
    protocol = Protocol.from_toml(TEXT)
    protocol.save(tmp_path / "p.toml")
    assert Protocol.load(tmp_path / "p.toml") == protocol
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]
    with pytest.raises(FileError, match="does not exist"):
        Protocol.load(tmp_path / "q.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="UTF-8"):
        Protocol.load(tmp_path / "bytes.toml")
    with pytest.raises(FileError, match="The folder .* does not exist"):
        protocol.save(tmp_path / "no" / "p.toml")


def test_a_parameter_that_is_none_is_left_out_and_an_object_is_refused():
    assert "k =" not in Protocol(SCHEMA, [Step("mdav", {"k": None})]).to_toml()
    with pytest.raises(SchemaError, match="object cannot be written"):
        Protocol(SCHEMA, [Step("mdav", {"operator": object()})]).to_toml()


def test_the_script_is_python_that_compiles():
    script = Protocol.from_toml(TEXT).to_python()
    compile(script, "script", "exec")
    assert "dc.release.Step('mdav', {'k': 5})" in script


def test_the_example_of_the_module_is_a_protocol():
    import discreet.release.protocol as module

    text = module.__doc__.split("::\n", 1)[1].split("\nPython, the command", 1)[0]
    plain = "\n".join(line[4:] for line in text.splitlines())
    assert tomllib.loads(plain)["seed"] == 1
    assert Protocol.from_toml(plain).steps[0].method == "mdav"


def test_the_protocols_of_the_documentation_are_valid():
    page = (Path(__file__).parent.parent.parent / "docs" / "protocol.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for text in blocks:
        protocol = Protocol.from_toml(text)
        for place, step in enumerate(protocol.steps):
            masker_of(step, place, protocol.seed)
        check_thresholds(protocol.thresholds)


@given(st.data())
def test_whatever_stands_in_the_file_the_answer_is_a_protocol_or_a_sentence(data):
    """Lines are dropped, doubled, or get other values; nothing but our own errors may come of it."""
    lines = TEXT.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        key = lines[place].split("=")[0]
        values = ["3", "-1", "true", '"x"', "[]", "[1]", '["AGE"]', "{a = 1}", "[[1]]", "1979-05-27", "nan", '""', "{}"]
        lines[place] = data.draw(
            st.sampled_from([*(f"{key}= {value}" for value in values), "", "[x]", "[[x]]", "[[attribute]]", "[step]"])
            | st.text(max_size=12)
        )
    try:
        protocol = Protocol.from_toml("\n".join(lines))
    except DiscreetError as error:
        assert str(error)
    else:
        assert Protocol.from_toml(protocol.to_toml()) == protocol
        compile(protocol.to_python(), "script", "exec")


# ------------------------------------------------------------------------------------------------------- part by part


def test_the_whole_script():
    schema = Schema([Attribute("AGE", Numeric(), "key", label='quo"""ted \\ and more')])
    plan = Protocol(
        schema,
        [Step("mdav", {"k": 5, "standardise": None}, "AGE"), Step("rounding", {"base": 10})],
        [Intruder("tax", ("AGE",), ("distance",))],
        {"risk_at_most": 5},
        seed=0,
        source=Source("in.csv", delimiter=";", header=False),
        release={"masked": "out.csv"},
    )
    before, after = plan.to_python().split("\noriginal = ")
    names = {}
    exec(compile(before, "script", "exec"), names)  # noqa: S102 - our own script
    assert names["schema"] == schema
    assert ("original = " + after).splitlines() == [
        "original = dc.read('in.csv', schema, delimiter=';', header=False)", "",
        "steps = [", "    dc.release.Step('mdav', {'k': 5}, unit='AGE'),",
        "    dc.release.Step('rounding', {'base': 10}),", "]",
        "masked = dc.Chain(steps, seed=0).mask(original)", "dc.write(masked, 'out.csv')", "",
        "intruders = [", "    dc.Intruder('tax', ('AGE',), ('distance',)),", "]",
        "after = dc.assess(original, masked, intruders=intruders)",
        "for verdict in dc.release.verify(after, {'risk_at_most': 5}):", "    print(verdict.sentence)",
    ]  # fmt: skip
    bare = Protocol(SCHEMA).to_python().splitlines()
    assert "original = dc.read('data.csv', schema)" in bare
    assert "masked = dc.Chain(steps).mask(original)" in bare
    assert "dc.write(masked, 'masked.csv')" in bare


@pytest.mark.parametrize(
    ("public", "message"),
    [
        ({"domains": "FUEL"}, r"^\[public\]: domains must be a list of names"),
        ({"tell": [3]}, r"^\[public\]: tell must be a list of names"),
        ({"told": ["noise"]}, r"^\[public\]: unknown 'told'"),
        ({"domains": ["FUL"]}, r"^\[public\]: domains names 'FUL', which the protocol does not declare.*FUEL"),
        ({"domains": ["AGE"]}, r"^\[public\]: 'AGE' has no levels by which cells could be counted"),
        ({"domains": ["ID"]}, r"^\[public\]: 'ID' has no levels"),
        ({"tell": ["noise", "seed"]}, r"^\[public\]: tell knows noise, pram; got 'seed'"),
    ],
)
def test_what_data_users_cannot_be_told_is_said(public, message):
    with pytest.raises(SchemaError, match=message):
        Protocol(SCHEMA, public=public)


def test_what_data_users_are_told_and_what_the_release_is_for_come_back():
    plan = Protocol(SCHEMA, public={"domains": ["FUEL", "SIZE"], "tell": ["pram", "noise"]}, about={"title": "Homes"})
    assert plan.public == {"domains": ("FUEL", "SIZE"), "tell": ("pram", "noise")}
    assert plan.about.title == "Homes"
    assert Protocol.from_toml(plan.to_toml()) == plan
    heads = [line for line in plan.to_toml().splitlines() if line.startswith("[") and "attribute" not in line]
    assert heads == ["[about]", "[public]"]


def test_parts_stand_in_their_order_each_with_its_remark():
    notes = {name: f"of {name}" for name in ("protocol", "about", "data", "release", "public", "thresholds", "end")}
    notes |= {"attribute:AGE": "of AGE", "scenario:tax": "of tax", "step:0": "of the first", "step:1": "of the second"}
    plan = Protocol(
        SCHEMA, [Step("mdav"), Step("pram")], [Intruder("tax", ("AGE",))], {"risk_at_most": 5}, 3, Source("a.csv"),
        {"masked": "m.csv"}, public={"tell": ["pram"]}, about={"title": "t"}, comments=notes,
    )  # fmt: skip
    lines = plan.to_toml().splitlines()
    assert [line for line in lines if line.startswith(("#", "[", "seed"))] == [
        "# of protocol", "seed = 3", "# of about", "[about]", "# of data", "[data]", "# of release", "[release]",
        "# of public", "[public]", "[[attribute]]", "# of AGE", "[[attribute]]", "[[attribute]]", "[[attribute]]",
        "# of tax", "[[scenario]]", "# of the first", "[[step]]", "# of the second", "[[step]]",
        "# of thresholds", "[thresholds]", "# of end",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[data]\nfile = "a"\nheader = 3', r"^Line 3: \[data\]: header must be true or false"),
        ("[release]\nmasked = 3", r"^Line 2: \[release\]: masked must be text in quotes"),
        ("release = 3", r"^release must be a table: write \[release\] on a line of its own"),
        ("about = 3", r"^about must be a table"),
        ("thresholds = 3", r"^thresholds must be a table"),
        ('[data]\nencoding = "x"', r"^Line 1: \[data\] must name the file"),
        ("scenario = 3", r"^Write \[\[scenario\]\] with double brackets"),
        ("[public]\ntelling = []", r"^Line 2: \[public\] has an unknown key 'telling'"),
        ("[about]\ntitel = 't'", r"^Line 2: \[about\] has an unknown key 'titel'.*'title'"),
        ("[thresholds]\nrisk_at_most = inf", r"^\[thresholds\]: risk_at_most must be a finite number"),
        ("[thresholds]\nrisk_at_most = true", r"^\[thresholds\]: risk_at_most must be a finite number"),
        ("[thresholds]\nsmallest_groop = 3", r"^\[thresholds\]: unknown threshold 'smallest_groop'.*smallest_group"),
        ("[[table]]\nname = 'a'", "^The protocol is for several tables"),
    ],
)
def test_what_is_wrong_in_a_part_is_said_with_its_line(text, message):
    declared = '\n[[attribute]]\nname = "AGE"\nrole = "key"\nscale = "numeric"\n'
    with pytest.raises(SchemaError, match=message):
        Protocol.from_toml(text + declared)


def test_it_shows_its_steps_intruders_and_thresholds():
    shown = Protocol(
        SCHEMA, [Step("mdav", {"k": 5, "p": None}), Step("pram")], [Intruder("tax", ("AGE", "FUEL"), ("distance",))],
        {"risk_at_most": 5.5},
    )._repr_html_()  # fmt: skip
    cells = re.findall(r"<t[dh]\b[^>]*>([^<]*)<", shown)
    assert "Protocol for 4 attributes" in shown
    assert cells == [
        "step", "method", "parameters", "1", "mdav", "k = 5", "2", "pram", "", "intruder", "knows", "links by", "tax",
        "AGE, FUEL", "distance", "threshold", "limit", "risk at most", "5.5",
    ]  # fmt: skip
    assert "<table" not in Protocol(SCHEMA)._repr_html_()
