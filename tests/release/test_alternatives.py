"""Alternatives in a protocol and in Python: what they stand for, and what is said of those that cannot be."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.data.toml_text import Places
from discreet.errors import DiscreetError, ParameterError, SchemaError
from discreet.release import alternatives
from discreet.release.alternatives import OpenProtocol, chains, open_chains, parse_chains, read_alternatives

HEAD = """
[[attribute]]
name = "AGE"
role = "key"
scale = "numeric"

[[attribute]]
name = "PAY"
role = "key"
scale = "numeric"
"""


def labels(steps, **options):
    return [chain.label() for chain in OpenProtocol.from_toml(HEAD + steps).chains(**options)]


def test_lists_options_and_alternatives_multiply_and_the_first_stay_longest():
    found = labels("""
[[step]]
method = "top-coding"
share = [0.01, 0.1]
optional = true

[[step]]
attributes = ["AGE"]
any_of = [
    {method = "mdav", k = [3, 5]},
    [{method = "rank-swapping", p = 5}, {method = "rounding", base = 5.0}],
    [],
]
""")
    assert len(found) == 3 * 4 - 1  # neither step is no release
    assert found[0] == "top-coding(p=1, share=0.01) → mdav(k=3) on AGE"
    assert found[2].endswith("→ rank-swapping(p=5) on AGE → rounding(base=5.0) on AGE")
    assert found[3] == "top-coding(p=1, share=0.01)"
    assert found[-1].startswith("rank-swapping")


def test_a_list_that_the_parameter_takes_is_one_value_and_any_of_says_otherwise():
    assert labels('[[step]]\nmethod = "mdav"\nattributes = ["AGE", "PAY"]') == ["mdav(k=3) on AGE, PAY"]
    either = labels('[[step]]\nmethod = "mdav"\nattributes = {any_of = [["AGE"], ["AGE", "PAY"]]}')
    assert either == ["mdav(k=3) on AGE", "mdav(k=3) on AGE, PAY"]


def test_a_plain_protocol_is_one_chain_that_masks_as_it_does():
    text = HEAD + '[[step]]\nmethod = "mdav"\nk = 4\n'
    (chain,) = OpenProtocol.from_toml(text).chains()
    assert chain.steps == dc.Protocol.from_toml(text).steps


def test_what_is_said_twice_is_one_chain():
    assert labels('[[step]]\nany_of = [{method = "mdav", k = 3}, {method = "mdav", k = [3, 5]}]') == [
        "mdav(k=3)",
        "mdav(k=5)",
    ]


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ("", "no \\[\\[step\\]\\]"),
        ("[[step]]\nany_of = []", "any_of must be a list of steps"),
        ("[[step]]\nany_of = [3]", "an entry of any_of must be a step"),
        ("[[step]]\nany_of = [{k = 3}]", "must name its method"),
        ('[[step]]\nmethod = "mdav"\nk = []', "k must list one value"),
        ('[[step]]\nmethod = "mdav"\nk = [1, 3]', "Line 11: Step 1 .mdav.*k must be"),
        ('[[step]]\nmethod = "mdaw"', "mdaw"),
        ('[[step]]\nmethod = "mdav"\noptional = "yes"', "optional must be true or false"),
        ("[[step]]\nany_of = [[]]", "no step at all"),
        ('[[step]]\nany_of = [{method = "mdav", attributes = ["AGGE"]}]', "'AGGE'.*AGE"),
        ('[[step]]\nmethod = "mdav"\nspare = [1, 2]', "no parameter 'spare'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(steps, sentence):
    with pytest.raises(DiscreetError, match=sentence):
        labels(steps)


def test_too_many_are_counted_and_a_limit_can_be_raised():
    steps = f'[[step]]\nmethod = "mdav"\nk = {[*range(2, 42)]}\n'
    steps += f'[[step]]\nmethod = "rank-swapping"\np = {[*range(1, 31)]}\n'
    with pytest.raises(ParameterError, match=r"1,200 combinations, more than 1,000.*--limit"):
        labels(steps)
    assert len(labels(steps, limit=1200)) == 1200
    huge = "".join(f"{name} = {list(range(1, 401))}\n" for name in ("p", "share", "threshold"))
    with pytest.raises(ParameterError, match=r"64,000,000 combinations"):
        labels(f'[[step]]\nmethod = "top-coding"\n{huge}')


def test_running_what_is_open_says_how_to_close_it():
    for line in ("optional = true", "any_of = []"):
        with pytest.raises(SchemaError, match="leaves something open.*discreet tune"):
            dc.Protocol.from_toml(HEAD + f'[[step]]\nmethod = "mdav"\n{line}\n')


def test_chains_in_python():
    found = chains([dc.TopCoding(share=0.1), None], dc.grid("mdav", k=[3, 5]))
    assert [chain.label() for chain in found][::3] == ["top-coding(p=1, share=0.1) → mdav(k=3)", "mdav(k=5)"]
    with pytest.raises(ParameterError, match="4 combinations, more than 3"):
        chains([dc.MDAV(), None], [dc.MDAV(), None], limit=3)
    with pytest.raises(DiscreetError, match="must be a masker or None"):
        chains([3])
    with pytest.raises(ParameterError, match="no step at all"):
        chains([None])


def test_chains_as_typed():
    (one, *rest) = parse_chains(["mdav k=3", "rounding base=5 + mdav k=3,4"])
    assert isinstance(one, dc.MDAV)
    assert [len(chain.steps) for chain in rest] == [2, 2]


def test_an_open_protocol_counts_its_combinations_and_keeps_seed_and_folder(tmp_path):
    text = f'seed = 7\n{HEAD}[[step]]\nmethod = "mdav"\nk = [3, 5]\n[[step]]\nmethod = "top-coding"\noptional = true\n'
    (tmp_path / "open.toml").write_text(text)
    plan = OpenProtocol.load(tmp_path / "open.toml")
    assert (plan.count, repr(plan)) == (4, "OpenProtocol(4 combinations of 2 steps)")
    assert {(chain.seed, chain.folder) for chain in plan.chains(4)} == {(7, tmp_path)}
    assert OpenProtocol.from_toml(text).folder is None
    with pytest.raises(ParameterError, match="make 4 combinations, more than 3"):
        plan.chains(3)


def test_steps_alone_make_chains_and_none_is_said():
    found = open_chains('[[step]]\nmethod = "mdav"\nk = [3, 5]\noptional = true\n[[step]]\nmethod = "pram"\n')
    assert [[step.method for step in chain.steps] for chain in found] == [["mdav", "pram"], ["mdav", "pram"], ["pram"]]
    assert [chain.steps[0].parameters.get("k") for chain in found] == [3, 5, None]
    for text in ("", "step = 3"):
        with pytest.raises(SchemaError, match=r"There is no \[\[step\]\] in the text"):
            open_chains(text)
        with pytest.raises(SchemaError, match=r"The protocol has no \[\[step\]\]"):
            OpenProtocol.from_toml(f"{text}\n{HEAD}")
    with pytest.raises(ParameterError, match="2 combinations, more than 1"):
        open_chains('[[step]]\nmethod = "mdav"\nk = [3, 5]', 1)
    with pytest.raises(SchemaError, match=r"\[\[step\]\] number 2 must be a table"):
        read_alternatives(3, 1, Places(""))
    with pytest.raises(SchemaError, match="for several tables, and candidates are for one"):
        OpenProtocol.from_toml("[[table]]\nname = 'a'\n")


def test_what_is_said_beside_any_of_holds_where_nothing_else_is_said():
    (found,) = open_chains('[[step]]\nk = 4\nunit = "home"\nany_of = [[{method = "mdav"}, {method = "mdav", k = 9}]]')
    assert [(step.parameters, step.unit) for step in found.steps] == [({"k": 4}, "home"), ({"k": 9}, "home")]
    nothing = read_alternatives({"optional": True, "any_of": [[], {"method": "mdav"}]}, 0, Places(""))
    assert [len(steps) for steps in nothing] == [0, 1]
    with pytest.raises(SchemaError, match="k must list one value at least"):
        open_chains('[[step]]\nmethod = "mdav"\nk = {any_of = 3}')


def test_as_many_settings_of_a_step_as_are_written_down(monkeypatch):
    monkeypatch.setattr(alternatives, "_MOST_OF_A_STEP", 3)
    assert len(open_chains('[[step]]\nmethod = "mdav"\nk = [3, 4, 5]')) == 3
    with pytest.raises(ParameterError, match=r"\[\[step\]\] number 1: its lists make 4 combinations, more than 3"):
        open_chains('[[step]]\nmethod = "mdav"\nk = [3, 4, 5, 6]')


def test_chains_in_python_at_their_limit():
    assert len(chains([dc.MDAV(), None], [dc.MDAV(), None], limit=4)) == 3
    (single,) = chains(dc.MDAV(k=4), None)
    assert [one.k for one in single.steps] == [4]
    assert isinstance(chains(dc.PerUnit(dc.MDAV(), "home"))[0].steps[0], dc.PerUnit)
    with pytest.raises(ParameterError, match="a place must have one alternative at least"):
        chains(dc.MDAV(), [])
    with pytest.raises(DiscreetError, match="must be a masker or None"):
        chains("mdav")
