"""What every measure must do, run over the registry."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sklearn.base
from tests.battery import microdata, names_for, sample, schema_for

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, ParameterError, SchemaError

EXAMPLES = [
    pytest.param(m, id=f"{m.name}-{i}") for c in catalogue.measures().values() for i, m in enumerate(c.examples())
]


@pytest.fixture(params=EXAMPLES)
def measure(request):
    return request.param


def shuffled(data, names, seed=0):
    """The table with every one of these columns permuted by itself."""
    rng = np.random.default_rng(seed)
    table = data.to_arrow()
    for name in names:
        column = table.column(name).take(rng.permutation(len(data)))
        table = table.set_column(table.column_names.index(name), name, column)
    return Microdata(table, data.schema)


def test_is_described(measure):
    assert measure.kind in ("loss", "risk")
    assert measure.title
    assert measure.formula
    assert measure.reference
    assert measure.low < measure.high
    assert "References" in type(measure).__doc__
    assert type(measure).__name__ in measure._repr_html_()
    assert set(measure.parameters) >= set(measure.get_params(deep=False)), "every parameter has a constraint"


def test_parameters_in_scikit_learn_manner(measure):
    for copy in (measure.clone(), sklearn.base.clone(measure)):
        assert repr(copy) == repr(measure)
    for name in measure.get_params(deep=False):
        with pytest.raises(ParameterError, match=f"^{type(measure).__name__}: {name} must be "):
            measure.clone().set_params(**{name: object()}).measure(
                microdata(scales=measure.scales), microdata(scales=measure.scales)
            )


def test_result_is_on_the_range_and_says_what_it_means(measure):
    original = microdata(scales=measure.scales)
    for masked in (original, shuffled(original, names_for(measure.scales))):
        result = measure.measure(original, masked)
        assert measure.low <= result.value <= measure.high
        assert result.name == measure.name
        assert result.sentence.endswith(".")
        json.dumps(result.to_dict(), allow_nan=False)
        assert set(result.per_attribute) <= set(original.names)


def test_a_handful_of_records_is_measured_or_refused(measure):
    for n in (1, 2, 3):
        original = microdata(n, scales=measure.scales)
        try:
            result = measure.measure(original, shuffled(original, names_for(measure.scales)))
        except DiscreetError:
            continue
        assert measure.low <= result.value <= measure.high
        assert result.sentence.endswith(".")
        json.dumps(result.to_dict(), allow_nan=False)
        assert set(result.per_attribute) <= set(original.names)


def test_an_unmasked_file_loses_nothing(measure):
    if measure.kind != "loss":
        pytest.skip("a risk")
    assert measure.measure(microdata(scales=measure.scales), microdata(scales=measure.scales)).value == pytest.approx(
        0, abs=1e-9
    )
    after = measure.measure(
        microdata(scales=measure.scales), shuffled(microdata(scales=measure.scales), names_for(measure.scales))
    ).value
    if measure.sees_shuffling:
        assert after > 0
    else:
        assert after == pytest.approx(0, abs=1e-9), "distributions alone are compared, and they are the same"


def test_the_same_records_in_another_order_give_the_same_number(measure):
    original = microdata(scales=measure.scales)
    masked = shuffled(original, names_for(measure.scales))
    order = np.random.default_rng(5).permutation(len(original))
    first = measure.measure(original, masked).value
    second = measure.measure(original.take(order), masked.take(order)).value
    assert second == pytest.approx(first)


def test_the_number_of_threads_does_not_matter(measure):
    original = microdata(90, scales=measure.scales)
    masked = shuffled(original, names_for(measure.scales))
    values = [measure.measure(original, masked, engine=MemoryEngine(workers=w)).value for w in (1, 2)]
    assert values[0] == values[1]


def test_tables_that_do_not_belong_together_are_refused(measure):
    with pytest.raises(DataError, match="60 records and the masked table 61"):
        measure.measure(microdata(60, scales=measure.scales), microdata(61, scales=measure.scales))
    column = names_for(measure.scales)[0]
    with pytest.raises(DataError, match=f"lacks 1 columns of the original, the first '{column}'"):
        measure.measure(microdata(scales=measure.scales), sample(scales=measure.scales).drop_columns([column]))


def test_a_schema_without_anything_to_look_at_is_refused(measure):
    # A measure that has a rule for columns that are not released, or for any masked cell, looks at all but identifiers.
    all_roles = measure.sees_removed or measure.name == "reconstruction"
    role = "other" if measure.keys_only else "identifier" if all_roles else "stratum"
    nothing = Schema(type(a)(a.name, a.scale, role) for a in schema_for(measure.scales))
    data = Microdata(sample(scales=measure.scales), nothing)
    assert not measure.applies_to(nothing)
    with pytest.raises(SchemaError, match="no attribute that the measure can look at|names no confidential attribute"):
        measure.measure(data, data)


def test_identifiers_may_be_absent_from_the_release(measure):
    original = microdata(scales=measure.scales)
    release = sample(scales=measure.scales).drop_columns(["person"])
    assert measure.measure(original, release).value == pytest.approx(measure.measure(original, original).value)
