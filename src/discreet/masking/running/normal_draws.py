"""Normal numbers that belong to the positions of records."""

from __future__ import annotations

import numpy as np

from discreet.data.keyed_draws import Draws
from discreet.typing import FloatArray, IntArray

__all__ = ["normal_draws"]

_LEAST_DRAW = 2.0**-54
"""Half the smallest draw above 0, which stands for 0: a normal number of probability 0 is infinite."""


def normal_draws(draws: Draws, rows: IntArray, streams: int) -> FloatArray:
    """Return standard normal numbers for every position, one column a stream."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.maximum(draws.uniforms(rows, streams), _LEAST_DRAW)), dtype=np.float64)
