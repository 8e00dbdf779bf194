"""What a search over parameters maximises: little risk and little loss, as scikit-learn's searches ask for it."""

from __future__ import annotations

import sys
from typing import Any

from discreet.contracts.transformer import TableTransformer
from discreet.data.microdata import microdata
from discreet.errors import ParameterError, door, wrong_type
from discreet.evaluation.assessing import assess

__all__ = ["privacy_utility"]


@door
def privacy_utility(masker: Any, X: Any, y: Any = None) -> float:
    """Return minus the score of the release that a masker makes of a table; higher is better.

    The score is the headline of :func:`~discreet.assess`, the mean of the worst risk and of the loss in percent. The
    table is masked and attacked as a whole, so that a search takes it as one fold: ``cv=[(every, every)]`` where
    ``every`` is ``range(len(table))``.

    Parameters
    ----------
    masker : Masker, Chain, or Pipeline of scikit-learn
        Of a pipeline, its maskers: steps before the first one prepare the table, which is what the release is compared
        with; steps after the last one see the release and do not count.
    X : table
        What :func:`~discreet.microdata` takes; a pandas frame keeps its columns in a search.
    y : array, optional
        Handed to the steps of a pipeline that prepare the table, and not used otherwise.

    Examples
    --------
    >>> import discreet as dc
    >>> companies = dc.datasets.business(200)
    >>> privacy_utility(dc.MDAV(k=3), companies) == -dc.assess(companies, dc.MDAV(k=3).mask(companies)).score.value
    True
    """
    maskers = [masker]
    if _is_pipeline(masker):
        X, maskers = _prepared(masker, X, y)
    elif not isinstance(masker, TableTransformer):
        raise wrong_type("privacy_utility", "masker must be a masker", masker, "privacy_utility(MDAV(k=5), table)")
    table = microdata(X)
    masked = table
    for one in maskers:
        masked = one.clone().mask(masked)
    return -float(assess(table, masked).score.value)


def _is_pipeline(estimator: Any) -> bool:
    loaded = sys.modules.get("sklearn.pipeline")  # whoever has a pipeline has loaded it
    return loaded is not None and isinstance(estimator, loaded.Pipeline)


def _prepared(pipeline: Any, X: Any, y: Any) -> tuple[Any, list[Any]]:
    """Return the table as it reaches the first masker of a pipeline, and all its maskers."""
    from sklearn.base import clone

    steps = [step for _, step in pipeline.steps]
    places = [place for place, step in enumerate(steps) if isinstance(step, TableTransformer)]
    if not places:
        raise ParameterError(
            f"privacy_utility: none of the {len(steps)} steps of the pipeline is a masker.",
            hint="make_pipeline(MDAV(k=5)); a masker inside of another step cannot be told from it.",
        )
    first, last = places[0], places[-1]
    between = [
        step
        for step in steps[first:last]
        if not isinstance(step, TableTransformer) and step not in (None, "passthrough")
    ]
    if between:
        raise ParameterError(
            f"privacy_utility: {type(between[0]).__name__} stands between two maskers of the pipeline, so that the "
            "release cannot be compared with the table.",
            hint="Put all maskers one after the other.",
        )
    if first:
        X = clone(pipeline[:first]).fit_transform(X, y)
    return X, [steps[place] for place in places]
