"""What every linker must do, run over the registry."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import sklearn.base
from tests.battery import SCHEMA, microdata, names_for, sample, with_nulls

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, MissingValueError, ParameterError, SchemaError

LINKERS = [c for c in catalogue.linkers().values() if c.needs_common_attributes]
EXAMPLES = [pytest.param(m, id=f"{m.name}-{i}") for c in LINKERS for i, m in enumerate(c.examples())]
ONE_TO_ONE = "one_to_one"


@pytest.fixture(params=EXAMPLES)
def linker(request):
    """A linker that looks at some keys of the battery's table that it can link."""
    copy = request.param.clone()
    return copy.set_params(attributes=names_for(copy.scales)[:6])


def assigns(linker):
    return getattr(linker, ONE_TO_ONE, False)


def perturbed(n=60, seed=0):
    """The battery's table with some cells taken from other records."""
    rng = np.random.default_rng(seed + 100)
    table = sample(n, seed)
    for name in table.column_names:
        rows = np.where(rng.random(n) < 0.2, rng.integers(0, n, n), np.arange(n))
        table = table.set_column(table.column_names.index(name), name, table.column(name).take(pa.array(rows)))
    return Microdata(table, SCHEMA)


def test_is_described(linker):
    assert linker.scales <= {"numeric", "ordinal", "nominal", "sequence"}
    assert "References" in type(linker).__doc__
    assert type(linker).__name__ in linker._repr_html_()
    assert set(linker.parameters) >= set(linker.get_params(deep=False)), "every parameter has a constraint"


def test_parameters_in_scikit_learn_manner(linker):
    for copy in (linker.clone(), sklearn.base.clone(linker), type(linker)(**linker.get_params(deep=False))):
        assert copy is not linker
        assert repr(copy) == repr(linker)
    with pytest.raises(ParameterError, match="no parameter 'nonsense'"):
        linker.clone().set_params(nonsense=1)


def test_init_checks_nothing_and_the_door_checks_everything(linker):
    for name in linker.get_params(deep=False):
        broken = linker.clone().set_params(**{name: object()})
        with pytest.raises(ParameterError, match=f"^{type(linker).__name__}: {name} must be "):
            broken.link(microdata(), microdata())


def test_different_records_are_linked_to_themselves(linker):
    data = microdata(60)
    rows = {}
    for i in range(60):
        rows.setdefault(tuple(data.column(name)[i].as_py() for name in linker.attributes), i)
    different = data.take(sorted(rows.values()))
    linked = linker.link(different, different).evaluate()
    assert linked.expected == pytest.approx(len(different))


def test_equal_records_are_linked_at_chance_level(linker):
    data = Microdata(sample().take([4] * 20), SCHEMA)
    links = linker.link(data, data)
    linked = links.evaluate()
    assert linked.expected == pytest.approx(1.0)
    assert linked.pessimistic == 0
    assert (links.ties == 20).all()


def test_the_shape_of_links(linker):
    a, b = microdata(60), perturbed(60)
    links = linker.link(a, b)
    assert (links.n_a, links.n_b) == (60, 60)
    assert links.attributes == tuple(linker.attributes)
    found = links.best >= 0
    assert found.mean() > 0.5
    assert (links.best < 60).all()
    assert (links.ties[found] >= 1).all()
    assert links.classes.shape == (60,)
    better = links.score >= links.second_score if links.higher_is_better else links.score <= links.second_score
    assert better.all()
    assert (links.second[links.second >= 0] != links.best[links.second >= 0]).all()
    assert links.to_frame().shape[0] == 60
    assert links.evaluate().expected > 10 * links.evaluate().chance


def test_a_single_candidate_has_no_second(linker):
    try:
        links = linker.link(microdata(1), perturbed(7))
    except DataError:
        return  # a model that cannot be estimated from so little
    assert set(links.best.tolist()) <= {0, -1}
    assert (links.second == -1).all()
    assert (links.ties[links.best == 0] == 1).all()
    assert ((links.best == 0).sum() <= 1) or not assigns(linker)


def test_the_number_of_threads_does_not_matter(linker):
    a, b = microdata(90), perturbed(90)
    first = linker.link(a, b, engine=MemoryEngine(workers=1))
    second = linker.link(a, b, engine=MemoryEngine(workers=3))
    for name in ("best", "second", "score", "second_score", "ties", "tied", "tied_offsets", "classes"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name


def test_the_order_of_records_does_not_matter(linker):
    if assigns(linker):
        pytest.skip("among assignments of equal cost any is right")
    if "known" in linker.get_params():
        pytest.skip("who is known is said by position")
    a, b = microdata(80, seed=2), perturbed(80, seed=2)
    shuffle = np.random.default_rng(0).permutation(80)
    plain = linker.link(a, b).evaluate()
    position = np.argsort(shuffle)
    moved_a = linker.link(a.take(shuffle), b).evaluate(position)
    moved_b = linker.link(a, b.take(shuffle)).evaluate(shuffle)
    assert moved_a.expected == pytest.approx(plain.expected)
    assert moved_b.expected == pytest.approx(plain.expected)


def test_files_of_different_size(linker):
    a, b = microdata(80, seed=2), perturbed(80, seed=2)
    few = np.arange(10, 30)
    truth = np.full(80, -1)
    truth[few] = np.arange(20)
    small_a = linker.link(a.take(few), b)
    assert (small_a.n_a, small_a.n_b) == (20, 80)
    assert 0 < small_a.evaluate(truth).expected <= 20
    small_b = linker.link(a, b.take(few))
    if "known" in linker.get_params():  # what is known is by position, and these are other records
        return
    assert small_b.evaluate(few).expected > 5
    one = linker.link(a.take([3]), b.take([3]))
    assert (one.n_a, one.n_b) == (1, 1)
    assert one.second[0] == -1


def test_never_touches_the_input(linker):
    table = sample()
    before = pa.table(table.to_pydict())
    linker.link(Microdata(table, SCHEMA), perturbed())
    assert table.to_pydict() == before.to_pydict()


def test_bad_input_is_refused_by_name(linker):
    owner = type(linker).__name__
    keys = linker.attributes
    other = Schema([Attribute("elsewhere", SCHEMA[keys[0]].scale, "key")])
    strange = Microdata(sample().select([keys[0]]).rename_columns(["elsewhere"]), other)
    with pytest.raises(SchemaError, match=f"{owner}: the two files have no attribute in common"):
        linker.clone().set_params(attributes=None).link(microdata(), strange)
    with pytest.raises(SchemaError, match="'person' is an identifier"):
        linker.clone().set_params(attributes=["person"]).link(microdata(), microdata())
    kinds = {"numeric": "size", "ordinal": "fuel", "nominal": "grade", "sequence": "fuel"}
    name = keys[0]
    wrong = SCHEMA[kinds[SCHEMA[name].scale.kind]]
    table = sample()
    table = table.set_column(table.column_names.index(name), name, table.column(wrong.name))
    changed = SCHEMA.replacing(Attribute(name, wrong.scale, "key"))
    with pytest.raises(SchemaError, match=f"attribute '{name}' has different scales"):
        linker.link(microdata(), Microdata(table, changed))
    with pytest.raises(DataError, match="the second file has no records"):
        linker.link(microdata(), microdata().take([]))


def test_missing_values_have_a_rule_or_are_refused(linker):
    name = linker.attributes[0]
    some = Microdata(with_nulls(sample(), name, [3, 17]), SCHEMA)
    try:
        links = linker.link(some, some)
    except MissingValueError as error:
        assert f"'{name}'" in str(error)
    else:
        assert links.evaluate().expected > 30
    empty = Microdata(with_nulls(sample(), name, list(range(60))), SCHEMA)
    try:
        links = linker.link(microdata(), empty)
    except DiscreetError as error:
        assert f"'{name}'" in str(error)
    else:
        assert links.n_b == 60


def test_results_print_no_values(linker):
    table = sample()
    secret = "SECRET-VALUE-4711"  # noqa: S105 - not a password
    name = linker.attributes[0]
    broken = table.set_column(table.column_names.index(name), name, pa.array([secret] * 60))
    with pytest.raises(DiscreetError) as caught:
        linker.link(Microdata(broken, SCHEMA), microdata())
    assert secret not in str(caught.value)
    assert name in str(caught.value)
    assert repr(linker.link(microdata(), microdata())).startswith("Links(60 records of B to 60 of A")


KNOWN = [[i, i] for i in range(10)]
WRITTEN_OUT = {
    "blocked": [{"by": ["fuel"]}, {"by": ["owner", "size"]}],
    "distance": [
        {"metric": "euclidean"},
        {"metric": "mahalanobis"},
        {"metric": "manhattan"},
        {"metric": "max"},
        {"one_to_one": True},
    ],
    "first-component": [{"random_state": 0}],
    "learned-distance": [{"known": KNOWN[:8]}, {"known": KNOWN[:8], "metric": "manhattan", "one_to_one": True}],
    "masking-aware": [{"p": 100}, {"p": 100, "one_to_one": True}],
    "probabilistic": [
        {},
        {"m": "em", "missing": "disagree"},
        {"m": "free", "missing": "agree"},
        {"dependence": "pairs"},
        {"ordinal_bins": 3},
        {"term_frequency": True, "bins": None},
        {"one_to_one": True},
        {"numbers": "prorated", "m": "em"},
    ],
    "representatives": [
        {"random_state": 0},
        {"operators": "sugeno:power", "normalise": "ranging", "metric": "root", "hubness": 5, "random_state": 0},
        {
            "operators": "owa:sigmoid",
            "normalise": "rank_gauss",
            "metric": "manhattan",
            "one_to_one": True,
            "random_state": 0,
        },
    ],
    "sequence-distance": [{}, {"quantifier": "power:2"}, {"distance": "levenshtein"}],
    "structural": [
        {"random_state": 0},
        {"one_to_one": False, "random_state": 0},
        {"normalise": "standard", "metric": "root", "start": "representatives", "random_state": 0},
    ],
    "sum-of-scores": [{"random_state": 0}],
    "supervised": [
        {"known": KNOWN, "random_state": 0},
        {"known": KNOWN, "distance": "weighted", "improve": False, "random_state": 0},
        {"known": KNOWN, "distance": "choquet", "one_to_one": False, "random_state": 0},
    ],
}
"""The examples of every linker: what batteries and records of links try."""


def test_examples_are_these():
    linkers = catalogue.linkers()
    assert linkers.keys() == WRITTEN_OUT.keys()
    for name, cls in linkers.items():
        assert [repr(one) for one in cls.examples()] == [repr(cls(**some)) for some in WRITTEN_OUT[name]]
