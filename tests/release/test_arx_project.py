"""What is read of a project of ARX, part by part."""

from __future__ import annotations

import io
import zipfile

import pytest

from discreet.errors import FileError
from discreet.release.arx_project import read_arx


def attribute(name="", kind="", **more):
    fields = {"name": name, "type": kind, **more}
    return "<assigment>" + "".join(f"<{tag}>{text}</{tag}>" for tag, text in fields.items()) + "</assigment>"


KEY, IDENTIFIER = "QUASI_IDENTIFYING_ATTRIBUTE", "IDENTIFYING_ATTRIBUTE"
SENSITIVE, INSENSITIVE = "SENSITIVE_ATTRIBUTE", "INSENSITIVE_ATTRIBUTE"
SEX = attribute("sex", KEY, ref="hierarchies/sex.csv")


def written(tmp_path, attributes=SEX, config="", **files):
    parts = {"input/definition.xml": f"<d>{attributes}</d>", "input/config.xml": f"<c>{config}</c>"}
    parts["input/hierarchies/sex.csv"] = "f;*\nm;*\n"
    parts |= {name.replace("__", "/").replace("_csv", ".csv"): text for name, text in files.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, text in parts.items():
            if text is not None:
                packed.writestr(name, text)
    path = tmp_path / "study.deid"
    path.write_bytes(buffer.getvalue())
    return path


def parameters(tmp_path, config, attributes=SEX):
    imported = read_arx(written(tmp_path, attributes, config))
    ((step, note),) = imported.steps
    assert step.method == "generalisation"
    assert note.startswith("ARX's search: full-domain generalisation.")
    return dict(step.parameters), [str(one) for one in imported.unread]


def criteria(*texts):
    return "".join(f"<criterion>{text}</criterion>" for text in texts)


def test_roles_scales_data_and_hierarchies(tmp_path):
    attributes = (
        attribute("id", IDENTIFIER, datatype="Integer")
        + attribute("age", KEY, datatype="Integer")
        + attribute("a b/ü", KEY, ref="hierarchies/sex.csv")
        + attribute("pay", SENSITIVE, datatype="Decimal")
        + attribute("note", INSENSITIVE, datatype="String")
    )
    imported = read_arx(written(tmp_path, attributes, criteria("3-anonymity"), data__input_csv="id;age\n"))
    assert imported.tool == "ARX"
    assert imported.columns == {
        "identifiers": ["id"], "numeric": ["id", "pay"], "keys": ["age", "a b/ü"], "confidential": ["pay"],
        "others": ["note"],
    }  # fmt: skip
    assert imported.data == "study.csv"
    assert imported.files == {"hierarchy_a-b-.csv": b"f;*\nm;*\n", "study.csv": b"id;age\n"}
    assert imported.unread == []
    assert dict(imported.steps[0][0].parameters) == {
        "attributes": ["age", "a b/ü"], "hierarchies": {"a b/ü": "hierarchy_a-b-.csv"}, "models": "k=3",
    }  # fmt: skip


def test_what_is_not_taken_over_is_listed(tmp_path):
    attributes = (
        attribute("x", "NEW_KIND")
        + attribute("", KEY)
        + attribute("y", KEY, ref="hierarchies/none.csv")
        + attribute("sex", KEY, ref="hierarchies/sex.csv", min="1", max="2", microAggregationFunction="mean")
        + attribute("z", KEY, ref="hierarchies/sex.csv", min="All", max="All")
    )
    imported = read_arx(written(tmp_path, attributes, criteria("3-anonymity")))
    assert [(one.where, one.what) for one in imported.unread] == [
        ("attribute 1", "NEW_KIND"),
        ("attribute 2", KEY),
        ("attribute 3", "hierarchy of 'y'"),
        ("attribute 4", "microaggregation of 'sex'"),
        ("attribute 4", "minimum step of 'sex'"),
        ("attribute 4", "maximum step of 'sex'"),
    ]
    assert imported.data == ""
    assert sorted(imported.files) == ["hierarchy_sex.csv", "hierarchy_z.csv"]
    untyped = read_arx(written(tmp_path, "<assigment><name>x</name></assigment>", criteria("3-anonymity")))
    assert [one.what for one in untyped.unread] == ["no type"]


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("5-anonymity", "k=5"),
        ("5.0-Anonymity", "k=5"),
        ("distinct-2-diversity for attribute 'ill'", "l-diversity=2 ill"),
        ("shannon-entropy-1.5-diversity for attribute 'ill'", "l-diversity=1.5 ill kind_of=entropy"),
        ("entropy-2.0-diversity for attribute 'ill'", "l-diversity=2 ill kind_of=entropy"),
        ("recursive-(4.0,3)-diversity for attribute 'ill'", "l-diversity=3 ill kind_of=recursive c=4"),
        ("0.2-closeness with equal ground distance for attribute 'ill'", "t-closeness=0.2 ill"),
        ("ordered-distance 0.2-closeness for attribute 'ill'", "t-closeness=0.2 ill"),
        ("enhanced-1e-1-likeness for attribute 'ill'", "beta-likeness=1e-1 ill enhanced=true"),
        ("enhanced-3.0-likeness for attribute 'ill'", "beta-likeness=3 ill enhanced=true"),
        ("basic-2-beta-likeness for attribute 'ill'", "beta-likeness=2 ill"),
        ("0.5-disclosure-privacy for attribute 'ill'", "delta-disclosure=0.5 ill"),
        ("distinct-2-diversity for attribute 'my illness'", "l-diversity=2 'my illness'"),
    ],
)
def test_models_by_their_names_there(tmp_path, text, model):
    asked, unread = parameters(tmp_path, criteria(text))
    assert asked["models"] == model
    assert "k" not in asked
    assert unread == []


def test_models_that_are_not_known_are_told_without_numbers_and_names(tmp_path):
    asked, unread = parameters(tmp_path, criteria("(0.3,2)-presence of 'ill' in one two three four", "4-anonymity", ""))
    assert asked["models"] == "k=4"
    assert unread == [
        "config: a privacy model: no equivalent is known of -presence of in one two three",
        "config: a privacy model: no equivalent is known of an empty one",
    ]
    asked, unread = parameters(tmp_path, "")
    assert asked == {"attributes": ["sex"], "hierarchies": {"sex": "hierarchy_sex.csv"}, "k": 5}
    assert unread == ["config: privacy models: none is set that is known here; k = 5 stands in"]


@pytest.mark.parametrize(
    ("limit", "suppression"), [("0.05", 0.05), ("0.0", 0.0), ("1.5", 1.0), ("-1", 0.0), ("", None)]
)
def test_the_share_of_records_that_may_go(tmp_path, limit, suppression):
    asked, _ = parameters(tmp_path, criteria("2-anonymity") + f"<relativeMaxOutliers>{limit}</relativeMaxOutliers>")
    assert asked.get("suppression") == suppression


@pytest.mark.parametrize(
    ("metric", "objective"),
    [
        ("Loss", "loss"), ("Non-uniform Entropy", "entropy"), ("Precision", "precision"),
        ("Discernability", "discernibility"), ("Average equivalence class size", "class-size"),
        ("Ambiguity", "ambiguity"), ("Normalized KL Divergence", "kl"), ("", None),
    ],
)  # fmt: skip
def test_objectives(tmp_path, metric, objective):
    asked, unread = parameters(tmp_path, criteria("2-anonymity") + f"<metric>{metric}</metric>")
    assert asked.get("objective") == objective
    assert unread == []


def test_an_objective_that_is_not_known_is_listed(tmp_path):
    asked, unread = parameters(tmp_path, criteria("2-anonymity") + "<metric>Publisher payout</metric>")
    assert "objective" not in asked
    assert unread == ["config: the utility measure: no objective of that name; loss is made least"]


def weight(name, number):
    return f"<attributeWeight><attribute>{name}</attribute><weight>{number}</weight></attributeWeight>"


@pytest.mark.parametrize(
    ("weights", "importance"),
    [
        (weight("sex", 0.5) + weight("age", 1), {"sex": 0.5, "age": 1.0}),
        (weight("sex", 0.5) + weight("age", 0.5), None),  # all alike say nothing
        (weight("sex", 0.5) + weight("age", 0), None),
        (weight("sex", 0.5) + weight("other", 1), None),
        (weight("sex", ""), None),
        ("", None),
    ],
)
def test_weights_of_attributes(tmp_path, weights, importance):
    asked, _ = parameters(tmp_path, criteria("2-anonymity") + weights, SEX + attribute("age", KEY))
    assert asked.get("importance") == importance


def test_a_project_without_keys_names_none(tmp_path):
    asked, _ = parameters(tmp_path, criteria("2-anonymity"), attribute("ill", SENSITIVE, ref="hierarchies/sex.csv"))
    assert asked == {"hierarchies": {"ill": "hierarchy_ill.csv"}, "models": "k=2"}
    both = SEX + attribute("ill", SENSITIVE, ref="hierarchies/sex.csv")
    assert parameters(tmp_path, criteria("2-anonymity"), both)[0]["hierarchies"] == {"sex": "hierarchy_sex.csv"}


@pytest.mark.parametrize("part", ["definition", "config"])
def test_files_that_are_no_projects_are_refused(tmp_path, part):
    for text, message in [
        (None, f"'study.deid' holds no 'input/{part}.xml'"),
        ("<!DOCTYPE d><d/>", "declares entities"),
        ("<!ENTITY a 'b'><d/>", "declares entities"),
        ("<d>", "is no project of ARX that can be read"),
        (b" " * ((1 << 26) + 1), "is too large to be what its name says"),
    ]:
        with pytest.raises(FileError, match=message):
            read_arx(written(tmp_path, **{f"input__{part}.xml": text}))
    (tmp_path / "no.deid").write_bytes(b"PK")
    for name in ("no.deid", "gone.deid"):
        with pytest.raises(FileError, match=f"'{name}' is no project of ARX"):
            read_arx(tmp_path / name)


def test_hierarchies_of_names_that_are_written_alike_are_kept_apart(tmp_path):
    attributes = "".join(attribute(name, KEY, ref=f"hierarchies/{place}.csv") for place, name in enumerate(("ä", "ö")))
    parts = {"input__hierarchies__0_csv": "x;one\n", "input__hierarchies__1_csv": "x;two\n"}
    imported = read_arx(written(tmp_path, attributes, criteria("2-anonymity"), **parts))
    hierarchies = imported.steps[0][0].parameters["hierarchies"]
    assert [imported.files[hierarchies[name]] for name in ("ä", "ö")] == [b"x;one\n", b"x;two\n"]


@pytest.mark.parametrize("text", ["many", "NaN", "inf"])
def test_numbers_that_are_none_are_listed(tmp_path, text):
    weight = f"<attributeWeight><attribute>sex</attribute><weight>{text}</weight></attributeWeight>"
    config = criteria("2-anonymity") + f"<relativeMaxOutliers>{text}</relativeMaxOutliers>{weight}"
    asked, unread = parameters(tmp_path, config)
    assert asked["suppression"] == 0.0
    assert unread == [
        "config: the share of records that may be suppressed: it is no number; none may be",
        "config: the weight of 'sex': it is no number",
    ]


@pytest.mark.parametrize(
    "text",
    ["2.5-anonymity", "0-anonymity", "distinct-2.5-diversity for attribute 'ill'",
     "recursive-(4.0,2.5)-diversity for attribute 'ill'", "1.2.3-closeness for attribute 'ill'"],
)  # fmt: skip
def test_models_of_numbers_that_they_cannot_have_are_listed(tmp_path, text):
    asked, unread = parameters(tmp_path, criteria(text, "4-anonymity"))
    assert asked["models"] == "k=4"
    assert [one.partition(": its number")[0] for one in unread] == ["config: a privacy model"]


def test_what_else_a_configuration_says_is_listed(tmp_path):
    config = (
        criteria("2-anonymity") + "<relativeMaxOutliers>0.1</relativeMaxOutliers>"
        "<relativeMaxOutliers>0.9</relativeMaxOutliers><practicalMonotonicity>true</practicalMonotonicity>"
        "<suppressedAttributeTypes><type>SENSITIVE_ATTRIBUTE</type></suppressedAttributeTypes>"
    )
    asked, unread = parameters(tmp_path, config)
    assert asked["suppression"] == 0.1
    assert [one.split(": ")[1] for one in unread] == [
        "the share of records that may be suppressed", "suppressedAttributeTypes", "practicalMonotonicity",
    ]  # fmt: skip
    quiet = criteria("2-anonymity") + "<practicalMonotonicity>false</practicalMonotonicity>"
    assert parameters(tmp_path, quiet)[1] == []
