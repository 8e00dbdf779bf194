"""Cells by their keys under masks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.linking.cell_index import first_cell, index_cells


@given(st.sets(st.integers(0, 255), min_size=1, max_size=60), st.integers(0, 255), st.integers(0, 255))
def test_a_chain_holds_every_cell_that_agrees_under_the_mask(values, key, mask):
    keys = np.array(sorted(values), dtype=np.uint64)
    masks = np.array([255, mask], dtype=np.uint64)
    # As full as a table may be: one slot is left over.
    tables, following = np.empty((2, keys.size + 1), dtype=np.int32), np.empty((2, keys.size), dtype=np.int32)
    index_cells(keys, masks, tables, following)
    for index in range(2):
        cell = first_cell(keys, np.uint64(key), masks[index], tables[index])
        chain = []
        while cell >= 0:
            chain.append(int(cell))
            cell = following[index, cell]
        agreeing = (keys & masks[index]) == (np.uint64(key) & masks[index])
        assert chain == np.flatnonzero(agreeing).tolist()
