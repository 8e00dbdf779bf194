"""Several steps: the record of the chain says what the chain did, and no more."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import workflow
from discreet.contracts.stepwise import MaskingStage
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, ParameterError, SignatureError, UnknownNameError
from discreet.evaluation.objective import privacy_utility
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.recoding.coding import TopCoding
from discreet.masking.running.units import PerUnit
from discreet.release import chain as chain_module
from discreet.release.chain import Chain, masker_of, seed_of
from discreet.release.protocol_parts import Step


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "x": rng.normal(size=n),
            "y": rng.normal(size=n),
            "size": rng.choice(["s", "m", "l", "xl"], n),
            "fuel": [
                None if u < 0.1 else f for u, f in zip(rng.random(n), rng.choice(["gas", "oil", "sun"], n), strict=True)
            ],
        }
    )
    schema = Schema(
        [
            Attribute("id", Nominal(("",)), "identifier"),
            Attribute("x", Numeric(), "key"),
            Attribute("y", Numeric(), "key"),
            Attribute("size", Ordinal(["s", "m", "l", "xl"]), "key"),
            Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key"),
        ]
    )
    return Microdata(frame, schema)


def test_one_step_is_the_masker_itself():
    data = table()
    chained = Chain([Step("rank-swapping", {"p": 10})], seed=5).mask(data)
    alone = dc.RankSwapping(10, random_state=5).mask(data)
    assert chained.to_native().equals(alone.to_native())
    assert chained.provenance.to_dict(internal=True) == alone.provenance.to_dict(internal=True)


def test_several_steps_are_the_maskers_one_after_the_other():
    data = table()
    chained = Chain([Step("top-coding", {"p": 2, "attributes": ["size"]}), Step("mdav", {"k": 4})], seed=1).mask(data)
    first = dc.TopCoding(2, attributes=["size"]).mask(data)
    second = dc.MDAV(k=4).mask(first.microdata)
    assert chained.to_native().equals(second.to_native())
    known = chained.provenance
    assert known.method == "top-coding + mdav"
    assert [step.method for step in known.history] == ["top-coding", "mdav"]
    assert known.attributes == ("x", "y", "size")
    assert known.removed == ("id",)
    assert known.grouped == ("x", "y")
    assert np.bincount(known.labels).min() >= 4
    assert known.perturbative is True
    assert known.changed["size"] == first.provenance.changed["size"]
    assert "Keys that no step masked (1): fuel." in known.notes
    assert known.to_dict()["steps"][1]["method"] == "mdav"
    assert "seed" not in str(known.to_dict())


def test_a_chain_of_true_values_is_not_perturbative():
    known = (
        Chain([Step("global-recoding"), Step("local-suppression", {"attributes": ["fuel"]})]).mask(table()).provenance
    )
    assert known.perturbative is False


STEPS = [
    Step("global-recoding", {"p": 2}),
    Step("global-recoding", {"p": 2, "category": "rest", "attributes": ["fuel"]}),
    Step("top-coding", {"p": 2, "attributes": ["size"]}),
    Step("bottom-coding", {"p": 2, "attributes": ["size"]}),
    Step("local-suppression", {"k": 4, "attributes": ["size", "fuel"]}),
    Step("pram", {"theta": 0.3}),
    Step("rank-swapping", {"p": 20, "attributes": ["size"]}),
    Step("level-map", {"maps": {"size": {"s": "m"}}}),
]


@given(st.lists(st.sampled_from(STEPS), min_size=2, max_size=4), st.integers(0, 5))
def test_what_happened_is_possible_by_the_composed_transitions(steps, seed):
    """Slow twin: every record's level before and after must be a pair that the matrix allows, missing values too."""
    data = table(seed=seed)
    try:
        masked = Chain(steps, seed=seed).mask(data)
    except DiscreetError:
        return  # a step may find nothing left to mask
    for name, matrix in masked.provenance.transitions.items():
        before, after = data.encoded(name), masked.microdata.encoded(name)
        assert matrix.shape == (len(data.schema[name].scale) + 1, len(masked.microdata.schema[name].scale) + 1)
        assert matrix[before, after].all()


def test_transitions_are_the_product_of_those_of_the_steps():
    data = table()
    steps = [Step("level-map", {"maps": {"size": {"xl": "l"}}}), Step("level-map", {"maps": {"size": {"l": "m"}}})]
    matrix = Chain(steps).mask(data).provenance.transitions["size"]
    expected = np.zeros((5, 5), dtype=bool)
    expected[[0, 1, 2, 3, 4], [0, 1, 1, 1, 4]] = True
    assert (matrix == expected).all()


def test_an_attribute_that_a_step_says_nothing_about_has_no_transitions():
    known = Chain([Step("global-recoding"), Step("kmodes", {"k": 5}), Step("top-coding")]).mask(table()).provenance
    assert "transitions" not in known.to_dict()
    if "size" not in known.history[1].transitions:
        assert "size" not in known.transitions


def test_groups_that_a_later_step_changed_are_not_reported():
    data = table()
    steps = [Step("mdav", {"k": 4}), Step("additive-noise", {"attributes": ["x"]})]
    known = Chain(steps).mask(data).provenance
    assert known.labels is None
    assert any("groups of mdav are not reported" in note for note in known.notes)
    untouched = Chain([Step("mdav", {"k": 4}), Step("pram")]).mask(data).provenance
    assert untouched.grouped == ("x", "y")


def test_rows_are_composed_and_empty_groups_renumbered():
    data = table()
    steps = [
        Step("sampling", {"share": 0.5}),
        Step("mdav", {"k": 3}),
        Step("record-order"),
        Step("sampling", {"size": 7}),
    ]
    masked = Chain(steps, seed=3).mask(data)
    rows = masked.provenance.rows
    assert len(masked) == 7
    assert masked.provenance.n_records == 60
    before = data.take(rows)
    assert masked.microdata.encoded("size").tolist() == before.encoded("size").tolist()
    labels = masked.labels
    assert labels.shape == (7,)
    assert set(labels.tolist()) == set(range(labels.max() + 1))
    # Records of one group have one value, before and after the reordering.
    x = masked.microdata.encoded("x")
    assert all(len(set(x[labels == g])) == 1 for g in set(labels.tolist()))
    found = dc.assess(data, masked, intruders=())["all keys"]
    assert found.n_records == 7


def test_the_window_of_a_rank_swapping_holds_where_nothing_else_touched_the_attribute():
    data = table()
    swap = Step("rank-swapping", {"p": 10, "attributes": ["x", "y"]})
    alone = Chain([swap], seed=2).mask(data)
    chained = Chain([swap, Step("global-recoding")], seed=2).mask(data)
    assert chained.provenance.details["window"] == alone.provenance.details["window"]
    broken = Chain([swap, Step("additive-noise", {"attributes": ["x"]})], seed=2).mask(data)
    assert set(broken.provenance.details["window"]) == {"y"}
    linker = dc.MaskingAwareLinkage(attributes=["x", "y"])
    assert linker.link(data, chained).best.tolist() == linker.link(data, alone).best.tolist()


def test_the_masking_aware_intruder_of_a_chain_uses_the_groups_of_its_grouping_step_only():
    data = table()
    group = Step("mdav", {"k": 4, "attributes": ["x"]})
    alone = Chain([group]).mask(data)
    chained = Chain([Step("additive-noise", {"level": 0.5, "attributes": ["y"]}), group], seed=1).mask(data)
    linker = dc.MaskingAwareLinkage(attributes=["x"])
    assert linker.link(data, chained).best.tolist() == linker.link(data, alone).best.tolist()


def test_the_blocks_of_a_grouping_step_are_told_with_its_groups():
    data = table()
    group = Step("mdav", {"k": 4, "blocks": [["x"], ["y"]]})
    alone, chained = Chain([group]).mask(data), Chain([Step("pram"), group]).mask(data)
    assert chained.provenance.details["blocks"] == alone.provenance.details["blocks"]
    assert (chained.labels == alone.labels).all()
    linker = dc.MaskingAwareLinkage(attributes=["x", "y"])
    assert linker.link(data, chained).best.tolist() == linker.link(data, alone).best.tolist()


def test_identifiers_are_there_for_every_step_and_released_by_none():
    data = table()
    masked = Chain([Step("mdav"), Step("identifiers", {"renumber": ["id"]})], seed=1).mask(data)
    numbers = masked.to_native()["id"].to_list()
    assert sorted(map(int, numbers)) == list(range(1, 61))
    assert "id" not in Chain([Step("mdav"), Step("pram")]).mask(data).microdata.schema


def test_every_step_has_draws_of_its_own_and_a_seed_brings_them_back():
    data = table()
    noise = Step("additive-noise", {"attributes": ["x"]})
    twice = [noise, Step("additive-noise", {"attributes": ["y"]})]
    one, two = Chain(twice, seed=4).mask(data), Chain(twice, seed=4).mask(data)
    assert one.to_native().equals(two.to_native())
    assert not one.to_native().equals(Chain(twice, seed=5).mask(data).to_native())
    seeds = [step.seed for step in one.provenance.history]
    assert seeds[0] == 4
    assert seeds[1] != 4
    own = Chain([noise, Step("additive-noise", {"attributes": ["y"], "random_state": 9})], seed=4).mask(data)
    assert own.provenance.history[1].seed == 9


@pytest.mark.parametrize(
    ("step", "error", "message", "hint"),
    [
        (
            Step("mdaw", line=12),
            UnknownNameError,
            "Line 12: Step 2 (mdaw): there is no masker named 'mdaw'. Did you mean 'mdav'?",
            "mdav",
        ),
        (
            Step("mdav", {"K": 3}),
            ParameterError,
            "Step 2 (mdav): there is no parameter 'K'. Did you mean 'k'?",
            "",
        ),
        (Step("mdav", {"k": 1}), ParameterError, "Step 2 (mdav): MDAV: k must be an integer of at least 2; got 1.", ""),
        (Step("mdav", {"k": "five"}), ParameterError, "got 'five'", ""),
        (
            Step("pram", {"seed": 3}),
            ParameterError,
            "there is no parameter 'seed'. Did you mean 'random_state'?",
            "",
        ),
        (Step("level-map"), ParameterError, "maps must be given", ""),
        (Step("mdav", {"k": 3}, unit="gone"), ParameterError, "unit 'gone' is not in the table", ""),
    ],
)
def test_a_step_that_cannot_be_run_is_named(step, error, message, hint):
    with pytest.raises(error) as caught:
        Chain([Step("pram"), step]).mask(table())
    assert message in caught.value.message
    assert hint in caught.value.hint
    if "no parameter" in message:
        assert not caught.value.hint  # the nearest name says it all


def test_maskers_stand_in_a_chain_as_their_steps_do():
    data = table()
    maskers = [dc.MDAV(k=4), dc.RankSwapping(p=10, attributes=["size"])]
    steps = [Step("mdav", {"k": 4}), Step("rank-swapping", {"p": 10, "attributes": ["size"]})]
    one, two = Chain(maskers, seed=4).mask(data), Chain(steps, seed=4).mask(data)
    assert one.to_native().equals(two.to_native())
    assert one.provenance.method == two.provenance.method == "mdav + rank-swapping"
    assert maskers[1].random_state is None  # a chain changes nothing that it was given
    own = [dc.RankSwapping(p=10, attributes=["size"], random_state=9)]
    assert Chain(own, seed=4).mask(data).to_native().equals(Chain(own, seed=5).mask(data).to_native())


def test_no_steps_are_no_release():
    with pytest.raises(ParameterError, match="at least one step"):
        Chain([]).mask(table())


def test_text_is_read_as_on_the_command_line_and_hierarchies_inline_or_beside_the_protocol(tmp_path):
    (tmp_path / "fuel.csv").write_text("gas;fossil\noil;fossil\nsun;renewable\n")
    beside = Step("hierarchy-recoding", {"hierarchies": {"fuel": "fuel.csv"}})
    inline = Step(
        "hierarchy-recoding", {"hierarchies": {"fuel": [["gas", "fossil"], ["oil", "fossil"], ["sun", "new"]]}}
    )
    assert set(Chain([beside], folder=tmp_path).mask(table()).to_native()["fuel"].drop_nulls()) == {
        "fossil",
        "renewable",
    }
    assert set(Chain([inline]).mask(table()).to_native()["fuel"].drop_nulls()) == {"fossil", "new"}
    assert masker_of(Step("mdav", {"k": "4", "attributes": "x,y"})).attributes == ["x", "y"]


def test_an_error_of_a_step_shows_no_value():
    data = table()
    bad = Microdata(data.to_native(), data.schema.replacing(Attribute("fuel", Nominal(["gas"]), "key")))
    with pytest.raises(DataError) as caught:
        Chain([Step("mdav"), Step("pram")]).mask(bad)
    assert "Step 2 (pram): Column 'fuel'" in caught.value.message
    assert "oil" not in str(caught.value)


# ------------------------------------------------------------------------------------------- what reaches the file

SPELT = """\
ID,HID,RENT,AGE,REGION
p1,h1,700.50,31.0,n
p2,h1,700.50,33.0,n
p3,h2,812.10,60.0,s
p4,h3,655.00,18.0,s
p5,h3,655.00,21.0,s
p6,h4,901.40,44.0,n
p7,h5,720.30,52.0,s
p8,h6,688.80,39.0,n
"""
"""Numbers whose text a plain number would not give back: the writer remembers it for columns that were not masked."""


@pytest.mark.parametrize(
    "steps",
    [
        [Step("mdav", {"k": 4, "attributes": ["RENT"]}), Step("pram", {"attributes": ["REGION"]})],
        [Step("mdav", {"k": 4, "attributes": ["RENT"]}), Step("record-order")],
        [Step("sampling", {"share": 0.75}), Step("mdav", {"k": 3}), Step("record-order")],
        [Step("mdav", {"k": 2, "attributes": ["RENT"]}, "HID"), Step("mdav", {"k": 4, "attributes": ["AGE"]})],
        [Step("mdav", {"k": 2, "attributes": ["RENT"]}, "HID"), Step("identifiers", {"renumber": ["HID"]})],
        [Step("identifiers", {"renumber": ["HID"]}), Step("mdav", {"k": 4}), Step("pram", {"attributes": ["REGION"]})],
    ],
    ids=lambda steps: " ".join(step.method for step in steps),
)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_file_holds_what_was_masked_and_assessed(tmp_path, steps, ending):
    (tmp_path / "data.csv").write_text(SPELT, encoding="utf-8")
    schema = Schema(
        [
            Attribute("ID", Nominal([""]), "identifier"),
            Attribute("HID", Nominal([""]), "identifier"),
            Attribute("RENT", Numeric(), "key"),
            Attribute("AGE", Numeric(), "key"),
            Attribute("REGION", Nominal(["n", "s"]), "key"),
        ]
    )
    original = workflow.read(tmp_path / "data.csv", schema)
    masked = workflow.Chain(steps, seed=1).mask(original)
    workflow.write(masked, tmp_path / f"masked{ending}")
    found = workflow.read(tmp_path / f"masked{ending}", masked.microdata.schema)
    for name in ("RENT", "AGE"):
        assert found.encoded(name).tolist() == masked.microdata.encoded(name).tolist(), name
        if name in masked.provenance.attributes:
            rows = masked.provenance.rows
            before = original if rows is None else original.take(rows)
            assert found.encoded(name).tolist() != before.encoded(name).tolist()


def test_steps_with_other_objects_are_other_steps():
    """Releases of equal beginnings are used again: what only looks alike must not be taken for the same."""

    class Tool:
        def __repr__(self):
            return "Tool"

    def keys(tool):
        masker = dc.MDAV(k=3)
        masker.operator = tool
        return Chain([masker]).step_keys()

    one, other = Tool(), Tool()
    assert keys(one) == keys(one)
    assert keys(one) != keys(other)
    assert Chain([dc.MDAV(k=3)]).step_keys() == Chain([dc.MDAV(k=3)]).step_keys() != Chain([dc.MDAV(k=4)]).step_keys()


def frame():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"x": rng.normal(size=40).round(2), "y": rng.normal(size=40).round(2)})


def test_a_chain_is_a_transformer():
    steps = [TopCoding(share=0.1), MDAV(k=4)]
    table = frame()
    released = Chain(steps, seed=1).fit_transform(table)
    pd.testing.assert_frame_equal(released, Chain(steps, seed=1).mask(table).microdata.to_pandas())
    assert Chain(steps).fit(table).get_feature_names_out().tolist() == ["x", "y"]
    assert isinstance(Chain(steps, seed=1).set_output(transform="polars").fit_transform(table), pl.DataFrame)
    assert isinstance(Chain(steps, seed=1).fit_transform(table.to_numpy()), np.ndarray)
    with pytest.raises(DataError, match="other records cannot be released"):
        Chain(steps).fit(table).transform(table)


def test_a_chain_stands_in_a_pipeline_and_is_searched_over():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    table, every = frame(), np.arange(40)
    chain = Chain([Step("top-coding", {"share": 0.1}), MDAV(k=4)], seed=1)
    pipeline = make_pipeline(chain)
    assert sklearn.base.clone(pipeline).fit_transform(table).equals(chain.fit_transform(table))
    for estimator, prefix in ((chain, ""), (pipeline, "chain__")):
        grid = {f"{prefix}step_2__k": [3, 12], f"{prefix}step_1__share": [0.1]}
        search = GridSearchCV(estimator, grid, scoring=privacy_utility, cv=[(every, every)], refit=False).fit(table)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert len(set(search.cv_results_["mean_test_score"])) == 2


def test_parameters_of_a_chain_are_changed_by_their_names():
    chain = Chain([Step("mdav", {"k": 4}), MDAV(k=5)], seed=1)
    given = chain.steps
    chain.set_params(seed=2, step_1__k=6, step_2__k=7)
    assert [masker.k for masker in chain.maskers] == [6, 7]
    assert (chain.seed, given[0].parameters["k"], given[1].k) == (2, 4, 5)
    for wrong in ({"step_3__k": 1}, {"step_1": 1}, {"sed": 1}, {"step_1__kk": 2}, {"step_2__kk": 2}):
        with pytest.raises(SignatureError, match="there is no parameter"):
            chain.set_params(**wrong)


def test_a_chain_says_its_steps_and_all_its_parameters():
    chain = Chain(
        [Step("top-coding", {"share": 0.1, "attributes": ["a", "b", "c", "d"]}), PerUnit(MDAV(k=5), "home"),
         MDAV(k=3, attributes=["a", "b", "c"]), Step("mdav", {"k": 2, "attributes": ["a"]}, unit="id")],
        3, folder="f",
    )  # fmt: skip
    assert repr(chain) == "Chain(top-coding + mdav + mdav + mdav)"
    assert chain.name == "top-coding + mdav + mdav + mdav"
    assert chain.label().split(" → ") == [
        "top-coding(p=1, share=0.1) on a, b, c and 1 more", "mdav(k=5) by home", "mdav(k=3) on a, b, c",
        "mdav(k=2) on a by id",
    ]  # fmt: skip
    shallow = chain.get_params(deep=False)
    assert shallow == {"steps": chain.steps, "seed": 3, "folder": "f"}
    deep = chain.get_params()
    assert (deep["step_1__share"], deep["step_2__k"], deep["step_3__k"], deep["step_4__k"]) == (0.1, 5, 3, 2)
    assert {name.partition("__")[0] for name in deep} == {*shallow, "step_1", "step_2", "step_3", "step_4"}
    twin = chain.clone()
    assert twin is not chain
    assert (twin.steps, twin.seed, twin.folder) == (chain.steps, 3, "f")
    other = chain.seeded(9)
    assert (other.steps, other.seed, other.folder, chain.seed) == (chain.steps, 9, "f", 3)
    told = json.loads(chain.description())
    assert [(name, parameters.get("k"), unit) for name, parameters, unit in told] == [
        ("top-coding", None, None), ("mdav", 5, "home"), ("mdav", 3, None), ("mdav", 2, "id"),
    ]  # fmt: skip
    keys = chain.step_keys()
    assert [(name, unit, folder) for name, _, unit, folder in keys] == [
        ("top-coding", None, "f"), ("mdav", "home", "f"), ("mdav", None, "f"), ("mdav", "id", "f"),
    ]  # fmt: skip


def test_steps_draw_from_the_seed_of_the_chain_and_their_place_unless_they_have_their_own():
    steps = [Step("pram", {"theta": 0.5}), PRAM(theta=0.5), PerUnit(PRAM(theta=0.5, random_state=4), "id"), MDAV(k=3)]
    seeds = [masker.random_state for masker in Chain(steps, 20).prepare(table())]
    assert seeds == [20, seed_of(20, 1), 4, seed_of(20, 3)]
    assert seed_of(20, 0) == 20
    assert len({seed_of(20, place) for place in range(5)} | {seed_of(21, 1)}) == 6
    assert [masker.get_params(deep=False).get("random_state") for masker in Chain(steps, 20).maskers][:3] == [
        None,
        None,
        4,
    ]
    own = Step("pram", {"theta": 0.5, "random_state": 7})
    assert masker_of(own, 1, 20).random_state == 7
    assert [Chain([step]).draws for step in (steps[0], steps[2], own)] == [True, False, False]
    assert steps[1].random_state is None, "what was given stays as it is"


@pytest.mark.parametrize(
    ("steps", "seed", "message"),
    [
        ("mdav", None, "steps must be a list of maskers"), (5, None, "steps must be a list of maskers"),
        ([MDAV(k=3), "mdav"], None, "every step must be a masker"), ([MDAV(k=3)], "7", "seed must be an integer"),
        ([], None, "at least one step"),
    ],
)  # fmt: skip
def test_what_is_no_chain_is_refused(steps, seed, message):
    with pytest.raises(DiscreetError, match=message):
        Chain(steps, seed)


def test_a_chain_without_a_seed_is_not_finished_by_hand():
    chain = Chain([MDAV(k=3), TopCoding(share=0.1)])
    stage = MaskingStage(table(), table())
    for place, masker in enumerate(chain.prepare(table())):
        stage = chain.advance(stage, place, masker, MemoryEngine())
    with pytest.raises(ParameterError, match="without a seed"):
        chain.finish(stage)
    assert len(chain.seeded(3).finish(stage).provenance.history) == 2


def test_a_step_in_files_is_given_the_block_size_and_a_default_for_units(monkeypatch):
    asked = []
    monkeypatch.setattr(chain_module, "mask_counted", lambda *given: asked.append(("whole", given[1:])))
    monkeypatch.setattr(PerUnit, "mask_into", lambda self, *given: asked.append((self.unit, given)))
    data = table()
    for unit, size in ((None, 7), (None, None), ("id", 7), ("id", None)):
        chain_module._step_written(Step("mdav", {"k": 3}, unit=unit), MDAV(k=3), data, "to", "engine", size)
    assert asked == [
        ("whole", (data, "to", "engine", 7)), ("whole", (data, "to", "engine", None)),
        ("id", (data, "to", "engine", 7)), ("id", (data, "to", "engine", chain_module.BLOCK)),
    ]  # fmt: skip
    with pytest.raises(ParameterError, match="unit 'gone' is not in the table any more"):
        chain_module._step_written(Step("mdav", {}, unit="gone"), MDAV(k=3), data, "to", "engine", None)


def test_identifiers_stand_by_until_they_are_removed():
    original = table(4)
    current = original.select(["x", "y"])
    assert chain_module._with_identifiers(current, original, None, {"id"}) is current
    assert chain_module._with_identifiers(original, original, None, set()) is original
    joined = chain_module._with_identifiers(current.take(np.array([2, 0])), original, np.array([2, 0]), set())
    assert joined.column("id").to_pylist() == ["p2", "p0"]
    assert joined.column("x").to_pylist() == original.column("x").take([2, 0]).to_pylist()
    assert set(joined.names) == {"id", "x", "y"}
    whole = chain_module._with_identifiers(current, original, None, set())
    assert whole.column("id").to_pylist() == ["p0", "p1", "p2", "p3"]


def test_what_is_masked_once_a_unit_is_not_masked_again_record_by_record():
    unit = Step("mdav", {"k": 3, "attributes": ["x"]}, unit="id", line=4)
    data = table()
    for later in (Step("mdav", {"k": 3, "attributes": ["y"]}), Step("mdav", {"k": 3, "attributes": ["x"]}, unit="id"),
                  Step("record-order")):  # fmt: skip
        Chain([unit, later], 1).prepare(data)
    with pytest.raises(
        ParameterError, match=r"Step 2 \(mdav\) would mask 'x' record by record.*once for each 'id'"
    ) as caught:
        Chain([unit, Step("mdav", {"k": 3, "attributes": ["y", "x"]})], 1).prepare(data)
    assert caught.value.hint == "Name the others: attributes = ['y']."
    with pytest.raises(ParameterError, match=r"Line 9: Step 3 \(mdav\)") as caught:
        Chain([unit, Step("record-order"), Step("mdav", {"k": 3, "attributes": ["x"]}, line=9)], 1).prepare(data)
    assert caught.value.hint == "Leave the step out, or give it the unit."
