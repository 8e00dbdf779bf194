"""What every masker must do, run over the registry."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
import sklearn.base
from tests.battery import SCHEMA, microdata, names_for, sample, with_nulls

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, DiscreetError, MissingValueError, ParameterError, SchemaError

EXAMPLES = [
    pytest.param(m, id=f"{m.name}-{i}") for c in catalogue.maskers().values() for i, m in enumerate(c.examples())
]


def seeded(masker, seed=7):
    copy = masker.clone()
    if "random_state" in copy.get_params():
        copy.set_params(random_state=seed)
    return copy


@pytest.fixture(params=EXAMPLES)
def masker(request):
    return request.param


def test_is_described(masker):
    assert masker.scales
    assert masker.scales <= {"numeric", "ordinal", "nominal", "sequence"}
    assert (type(masker).__doc__ or "").strip()
    assert "References" in type(masker).__doc__
    assert type(masker).__name__ in masker._repr_html_()
    assert set(masker.parameters) >= set(masker.get_params(deep=False)), "every parameter has a constraint"


def test_parameters_in_scikit_learn_manner(masker):
    for copy in (masker.clone(), sklearn.base.clone(masker), type(masker)(**masker.get_params(deep=False))):
        assert copy is not masker
        assert repr(copy) == repr(masker)
    with pytest.raises(ParameterError, match="no parameter 'nonsense'"):
        masker.clone().set_params(nonsense=1)


def test_init_checks_nothing_and_the_door_checks_everything(masker):
    for name in masker.get_params(deep=False):
        broken = masker.clone().set_params(**{name: object()})
        with pytest.raises(ParameterError, match=f"^{type(masker).__name__}: {name} must be "):
            broken.mask(microdata())


def test_keeps_shape_order_and_everything_it_does_not_mask(masker):
    original = microdata()
    masked = seeded(masker).mask(original)
    released = masked.microdata.to_arrow()
    expected = [name for name in original.names if name != "person"]
    if masked.provenance.details.get("records_dropped") is None:
        assert released.num_rows == len(original)
        untouched = [name for name in expected if name not in masked.provenance.changed]
        assert released.select(untouched).equals(original.to_arrow().select(untouched))
    assert released.column_names == expected
    assert set(masked.provenance.attributes) <= set(names_for(masker.scales))


def test_never_touches_the_input(masker):
    table = sample()
    before = pa.table(table.to_pydict())
    seeded(masker).mask(Microdata(table, SCHEMA))
    assert table.to_pydict() == before.to_pydict()


def test_a_seed_brings_the_file_back(masker):
    first = seeded(masker).mask(microdata(seed=3))
    second = seeded(masker).mask(microdata(seed=3))
    assert first.microdata.to_arrow().equals(second.microdata.to_arrow())


def test_the_number_of_threads_does_not_matter(masker):
    first = seeded(masker).mask(microdata(90), engine=MemoryEngine(workers=1))
    second = seeded(masker).mask(microdata(90), engine=MemoryEngine(workers=2))
    assert first.microdata.to_arrow().equals(second.microdata.to_arrow())


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_gives_back_the_kind_of_frame_it_got(masker, kind):
    table = sample()
    frame = {"pandas": table.to_pandas, "polars": lambda: microdata().to_polars(), "arrow": lambda: table}[kind]()
    result = seeded(masker).fit_transform(frame, schema=SCHEMA)
    assert type(result) is type(frame)
    reference = seeded(masker).mask(microdata()).microdata.to_arrow()
    back = result if kind == "arrow" else Microdata(result, SCHEMA.select(reference.column_names)).to_arrow()
    for name in reference.column_names:
        assert back.column(name).to_pylist() == reference.column(name).to_pylist(), name


def test_columns_keep_their_kind(masker):
    original = microdata()
    masked = seeded(masker).mask(original)
    for name in masked.provenance.changed:
        before, after = original.to_arrow().column(name), masked.microdata.to_arrow().column(name)
        numeric = pa.types.is_integer(before.type) or pa.types.is_floating(before.type)
        labelled = (
            original.schema[name].scale.kind == "numeric" and masked.microdata.schema[name].scale.kind == "ordinal"
        )
        if labelled:  # numbers released as the names of bands
            assert pa.types.is_string(after.type)
        elif numeric:
            assert pa.types.is_integer(after.type) or pa.types.is_floating(after.type)
        elif masked.microdata.schema[name] == original.schema[name]:
            assert after.type == before.type


def test_missing_values_have_a_rule_or_are_refused_by_name(masker):
    name = names_for(masker.scales)[0]
    data = Microdata(with_nulls(sample(), name, [3, 17]), SCHEMA)
    if masker.handles_missing:
        masked = seeded(masker).mask(data)
        assert len(masked) > 0
    else:
        with pytest.raises(MissingValueError, match=f"column '{name}' has 2 missing values of 60"):
            seeded(masker).mask(data)


def test_too_few_records_are_refused(masker):
    with pytest.raises(DataError, match="1 records"):
        masker.mask(microdata(1))
    if masker.groups:
        with pytest.raises(ParameterError, match="k must be at most the number of records, 60; got 61"):
            masker.clone().set_params(k=61).mask(microdata())
        for k in (0, 1, -3, 2.5, "5", None, True):
            with pytest.raises(ParameterError, match=f"^{type(masker).__name__}: k must be an integer of at least"):
                masker.clone().set_params(k=k).mask(microdata())


def test_equal_records_stay_as_they_are_or_are_refused(masker):
    table = sample().take([0] * 20)
    data = Microdata(table, SCHEMA)
    try:
        masked = seeded(masker).mask(data)
    except DiscreetError as error:
        assert type(masker).__name__ in str(error)
        return
    if masker.groups:
        for name in masked.provenance.attributes:
            after = masked.microdata.encoded(name)
            if isinstance(after, np.ndarray):
                assert np.allclose(after, data.encoded(name), equal_nan=True)


def test_a_schema_without_keys_or_without_the_scale_is_refused(masker):
    if "attributes" not in masker.get_params():
        pytest.skip("masks records, or what its own parameters name")
    no_keys = Schema(a if a.role != "key" else type(a)(a.name, a.scale, "other") for a in SCHEMA)
    with pytest.raises(SchemaError, match="names no key"):
        seeded(masker).set_params(attributes=None).mask(Microdata(sample(), no_keys))
    wrong = [n for n in SCHEMA.keys if SCHEMA[n].scale.kind not in masker.scales]
    if wrong:
        with pytest.raises(ParameterError, match=f"attribute '{wrong[0]}' is "):
            seeded(masker).set_params(attributes=[wrong[0]]).mask(microdata())


def test_groups_hold_at_least_k(masker):
    if not masker.groups:
        pytest.skip("forms no groups")
    for n in (masker.k, masker.k + 1, 2 * masker.k, 3 * masker.k - 1, 60):
        if n < 2:
            continue
        masked = seeded(masker).mask(microdata(n, seed=n))
        labels = masked.labels
        assert labels is not None
        assert labels.shape[0] == n
        assert np.bincount(labels.ravel()).min() >= masker.k if labels.ndim == 1 else True
        if masked.provenance.details.get("joint", True):
            rows = zip(*(masked.microdata.column(a).to_pylist() for a in masked.provenance.attributes), strict=True)
            assert min(Counter(map(str, rows)).values()) >= masker.k


def test_provenance_is_honest_and_the_external_record_has_no_seed(masker):
    original = microdata()
    masked = seeded(masker, seed=123456789).mask(original)
    internal, external = masked.provenance.to_dict(internal=True), masked.provenance.to_dict()
    assert "123456789" not in json.dumps(external)
    if "random_state" in masker.get_params():
        assert internal["seed"] == 123456789
    json.dumps(internal, allow_nan=False)
    if len(masked) == len(original):
        for name, count in masked.provenance.changed.items():
            before, after = original.column(name).to_pylist(), masked.microdata.column(name).to_pylist()
            assert count == sum(a != b for a, b in zip(before, after, strict=True)), name
    for name, possible in masked.provenance.transitions.items():
        before, after = original.encoded(name), masked.microdata.encoded(name)
        assert possible[before, after].all(), "a recorded impossibility happened"


def test_errors_name_columns_and_counts_never_values(masker):
    name = names_for(masker.scales)[0]
    kind = SCHEMA[name].scale.kind
    secret = "SECRET-VALUE-4711"  # noqa: S105 - not a password
    values = [secret] * 60
    table = sample()
    table = table.set_column(table.column_names.index(name), name, pa.array(values))
    with pytest.raises(DiscreetError) as caught:
        seeded(masker).mask(Microdata(table, SCHEMA))
    assert secret not in str(caught.value), kind
    assert name in str(caught.value)
