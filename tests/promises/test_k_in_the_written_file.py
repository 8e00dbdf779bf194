"""k holds in the written file: counted on its text, by somebody who knows no schema."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tests.promises import judge, releases, tables

import discreet as dc

GROUPING = [one for one in releases.CASES if dc.methods("masker")[one.values[0].method].groups]
DIVERSE = [name for name, cls in dc.methods("masker").items() if "l" in cls.parameter_names()]
METHODS = [name for name, cls in dc.methods("masker").items() if cls.groups]


def wildcard_sizes(keys):
    """Return for every record how many agree with it, what is not there agreeing with everything."""
    return [sum(all(not a or not b or a == b for a, b in zip(key, other, strict=True)) for other in keys)
            for key in keys]  # fmt: skip


@pytest.mark.parametrize("case", GROUPING)
def test_every_record_shares_its_text_with_k_minus_one_others(case):
    release = releases.released(case)
    if release.written is None:
        return
    masker = case.masker()
    for names in releases.promised_sets(release):
        if masker.get_params().get("missing") == "wildcard":
            # Asked for by name: what is missing counts as anything, as other programs have it.
            codes = tables.READINGS[case.reading]
            keys = [tuple("" if cell in codes else cell for cell in key)
                    for key in judge.combinations(release.after, names)]  # fmt: skip
            assert min(wildcard_sizes(keys)) >= masker.k
            continue
        assert judge.smallest_class(release.after, names) >= masker.k, names


@pytest.mark.parametrize("case", [one for one in GROUPING if one.values[0].households])
def test_with_households_every_class_holds_k_of_them(case):
    release = releases.released(case)
    if release.written is None or case.masker().get_params().get("missing") == "wildcard":
        return
    for names in releases.promised_sets(release):
        assert judge.distinct_in_classes(release.after, names, "hid") >= case.masker().k, names


@pytest.mark.parametrize("method", DIVERSE)
@pytest.mark.parametrize("reading", tables.READINGS)
def test_every_class_of_equal_text_holds_l_confidential_values(method, reading):
    original = releases.source("csv", reading, weights=False, households=False)
    masker = dc.methods("masker")[method](3, l=2)
    if "sensitive" in masker.get_params():
        masker.set_params(sensitive="illness")
    if "random_state" in masker.get_params():
        masker.set_params(random_state=4)
    target = releases.folder() / f"diverse-{method}-{reading}.csv"
    with releases.quiet():
        masked = masker.mask(dc.read(original, original.with_suffix(".toml")))
        dc.write(masked, target)
    after = judge.read_cells(target)
    for names in releases.promised_sets(releases.Release(original, original, target, masked, "", "")):
        assert judge.smallest_class(after, names) >= 3
        assert judge.distinct_in_classes(after, names, "illness") >= 2


@pytest.mark.parametrize("reading", ["blank", "two", "question"])
@pytest.mark.parametrize("method", METHODS)
def test_on_the_command_line(method, reading, tmp_path, capsys):
    original = releases.source("csv", reading, weights=True, households=False)
    target = tmp_path / "out.csv"
    options = ["--method", method, "--k", 4, "--json", "-o", target]
    names = dc.methods("masker")[method].parameter_names()
    options += ["--seed", 3] if "random_state" in names else []
    if "missing" in names and dc.methods("masker")[method].examples()[0].get_params()["missing"] == "refuse":
        options += ["--set", "missing=pattern"]
    if "budget" in names:
        options += ["--set", "budget=500"]
    capsys.readouterr()
    code = releases.discreet("protect", original, "-s", original.with_suffix(".toml"), *options)
    told = capsys.readouterr().out
    if code:
        assert not target.exists()
        return
    details = json.loads(told)["details"]
    sets = [json.loads(told)["attributes"]]
    if not details.get("joint", True):
        sets = [block["attributes"] if isinstance(block, dict) else block for block in details["blocks"]]
    for names in sets:
        assert judge.smallest_class(judge.read_cells(target), names) >= 4, names


# ------------------------------------------------------------------------------------------------- what check lets pass

PROTOCOL = """
seed = 340282366920938463463374607431768211

[data]
file = "survey.csv"

[release]
masked = "masked.csv"

[[attribute]]
name = "colour"
role = "key"
scale = "nominal"
levels = ["red", "green"]
missing = {missing}

[[attribute]]
name = "place"
role = "key"
scale = "nominal"
levels = ["p", "q"]

[[step]]
method = "{method}"
{parameters}

[thresholds]
smallest_group = {k}
"""


def colours(tmp_path, method, parameters, k, missing='["-8", "-9"]', codes=("-8", "-9")):
    """Write a small survey in which both codes are rarer than k, and together are not."""
    cells = ["red"] * 40 + ["green"] * 30 + [codes[0]] * 4 + [codes[-1]] * 4
    rows = "".join(f"{cell},{'p' if place % 2 else 'q'}\n" for place, cell in enumerate(cells))
    (tmp_path / "survey.csv").write_text("colour,place\n" + rows, encoding="utf-8")
    words = PROTOCOL.format(method=method, parameters=parameters, k=k, missing=missing)
    (tmp_path / "protocol.toml").write_text(words, encoding="utf-8")
    return tmp_path / "protocol.toml"


def test_check_counts_two_codes_as_two(tmp_path):
    """Nothing is masked; eight records lack a colour, in classes of two: no threshold of four is met."""
    protocol = colours(tmp_path, "top-coding", 'p = 1\nattributes = ["place"]', 4)
    (tmp_path / "masked.csv").write_bytes((tmp_path / "survey.csv").read_bytes())
    assert judge.smallest_class(judge.read_cells(tmp_path / "masked.csv"), ["colour", "place"]) == 2
    assert releases.discreet("check", protocol, tmp_path / "masked.csv", "--quiet") == 1


@pytest.mark.parametrize(("method", "missing", "codes"), [
    ("local-suppression", '["-8", "-9"]', ("-8", "-9")),
    ("local-suppression", '["?"]', ("?", "")),
    ("mixed-mdav", '["?"]', ("?", "")),
    ("kmodes", '["-8", "-9"]', ("-8", "-9")),
    ("mondrian", '["-8", "-9"]', ("-8", "-9")),
])  # fmt: skip
def test_run_puts_a_file_in_place_only_if_its_text_holds_k(method, missing, codes, tmp_path):
    protocol = colours(tmp_path, method, "k = 5", 5, missing, codes)
    folder = tmp_path / "release"
    code = releases.discreet("run", protocol, "-o", folder, "--quiet")
    assert code in {0, 1, 2}
    if code == 0:
        assert judge.smallest_class(judge.read_cells(folder / "masked.csv"), ["colour", "place"]) >= 5
        assert releases.discreet("check", protocol, folder / "masked.csv", "--quiet") == 0


def test_the_judge_can_count():
    table = (["a", "b"], [["1", "?"], ["1", ""], ["1", "?"], ["2", "x"]])
    assert judge.class_sizes(table, ["a", "b"]) == [2, 1, 2, 1]
    assert judge.smallest_class(table, ["a"]) == 1
    assert Counter(wildcard_sizes([("1", ""), ("1", "x"), ("2", "x")])) == Counter([2, 2, 1])
