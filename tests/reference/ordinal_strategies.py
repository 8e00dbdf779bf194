"""Random inputs that several tests of ordinal operators share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

TOP = 6


@st.composite
def measures(draw, top=TOP):
    """A random monotone measure on up to four sources, and values for them."""
    n = draw(st.integers(1, 4))
    table = np.array(draw(st.lists(st.integers(0, top), min_size=1 << n, max_size=1 << n)))
    table[0], table[-1] = 0, top
    for source in range(n):
        pairs = table.reshape(-1, 2, 1 << source)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    table[-1] = top
    values = draw(st.lists(st.integers(0, TOP), min_size=n, max_size=n))
    return values, table
