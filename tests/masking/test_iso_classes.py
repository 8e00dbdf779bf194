"""Every masker says which class of ISO/IEC 20889 it belongs to."""

from __future__ import annotations

import pytest

from discreet import catalogue

CLASSES = {
    "statistical tools": {"sampling", "aggregation"},
    "suppression": {"masking", "local suppression", "record suppression"},
    "pseudonymisation": set(),
    "generalisation": {"rounding", "top and bottom coding", "local generalisation"},
    "randomisation": {"noise addition", "permutation", "microaggregation"},
    "none": set(),
}


@pytest.mark.parametrize("name", catalogue.maskers())
def test_a_technique_has_its_class(name):
    kind, _, technique = catalogue.maskers()[name].iso_20889.partition(": ")
    assert kind in CLASSES
    assert not technique or technique in CLASSES[kind]
