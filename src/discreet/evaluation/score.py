"""Scores: one number out of losses and risks."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import DataError
from discreet.results import Measurement, Score

__all__ = ["mean_score"]


def mean_score(measurements: Sequence[Measurement]) -> Score:
    """Return the papers' plain score: the mean of the mean loss and the mean risk.

    Parameters
    ----------
    measurements : sequence of Measurement
        At least one loss and one risk, in percent. A loss beyond 100 counts as 100: the file is ruined either way.

    Notes
    -----
    0 would be a file that lost nothing and risks nothing; an unmasked file of distinct records and a file of noise both
    stand near 50. Lower is better.

    References
    ----------
    Torra (2004), Microaggregation for categorical variables: a median based approach.

    Examples
    --------
    >>> from discreet.results import Measurement
    >>> loss = Measurement("il1s", "", "loss", 12.0, 0, 100, "%", "")
    >>> risk = Measurement("distance-linkage", "", "risk", 30.0, 0, 100, "%", "")
    >>> mean_score([loss, risk]).value
    21.0
    """
    parts: dict[str, float] = {}
    for kind in ("loss", "risk"):
        values = [min(m.value, 100.0) for m in measurements if m.kind == kind]
        if not values:
            raise DataError(f"The score needs at least one {kind}; none of the measures applies to this schema.")
        parts[kind] = sum(values) / len(values)
    value = (parts["loss"] + parts["risk"]) / 2
    sentence = (
        f"The mean of information loss ({parts['loss']:.1f}) and disclosure risk ({parts['risk']:.1f}); "
        "0 is best, an unmasked file stands near 50."
    )
    ingredients = {m.name: min(m.value, 100.0) for m in measurements}
    return Score("mean", value, parts["loss"], parts["risk"], sentence, ingredients)
