from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.block import Block
from discreet.data.microdata import table_of_numbers
from discreet.errors import DataError
from discreet.statistics.exact_products import ProductSums, mean_products

NUMBERS = st.lists(st.tuples(*[st.floats(-1e100, 1e100)] * 3), min_size=2, max_size=12)


def asked(values, cuts):
    """The answer of an inquiry whose records come in blocks."""
    names = tuple("xyz"[: values.shape[1]])
    inquiry = mean_products(names, lambda block: block.original.numeric(names))
    question = next(inquiry)
    assert isinstance(question, ProductSums)
    table = table_of_numbers({name: values[:, j] for j, name in enumerate(names)})
    blocks = np.split(np.arange(len(values)), cuts)
    answers = [question.summarise(Block(rows, table.take(rows))) for rows in blocks if rows.size]
    whole = answers[0]
    for answer in answers[1:]:
        whole = whole.merge(answer)
    with pytest.raises(StopIteration) as stop:
        inquiry.send(whole)
    return stop.value.value


@given(NUMBERS, st.integers(1, 11))
def test_means_to_the_last_bit_however_records_are_cut(rows, cut):
    values = np.array(rows)
    means, products = asked(values, [])
    again = asked(values, [min(cut, len(rows) - 1)])
    assert np.array_equal(means, again[0])
    assert np.array_equal(products, again[1])
    for i in range(3):
        assert means[i] == float(sum(Fraction(x) for x in values[:, i].tolist()) / len(rows))
        for j in range(3):
            each = [Fraction(x) for x in (values[:, i] * values[:, j]).tolist()]
            assert products[i, j] == float(sum(each) / len(rows))


def test_products_beyond_all_numbers_are_refused_by_count():
    inquiry = mean_products(("x",), lambda block: 1e100 * block.original.numeric(("x",)))
    table = table_of_numbers({"x": np.array([1e100, 2e100, 1.0])})
    sums = next(inquiry).summarise(Block(np.arange(3), table))
    with pytest.raises(DataError, match="2 products of values are too large"):
        inquiry.send(sums)
