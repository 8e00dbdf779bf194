"""What a search over parameters maximises: little risk and little loss, as scikit-learn's searches ask for it."""

from __future__ import annotations

from typing import Any

from discreet.contracts.masker import Masker
from discreet.data.microdata import microdata
from discreet.errors import door, wrong_type
from discreet.evaluation.assessing import assess

__all__ = ["privacy_utility"]


@door
def privacy_utility(masker: Any, X: Any, y: Any = None) -> float:  # noqa: ARG001 - the signature of a scorer
    """Return minus the score of the release that a masker makes of a table; higher is better.

    The score is the headline of :func:`~discreet.assess`, the mean of the worst risk and of the loss in percent. The
    table is masked and attacked as a whole, so that a search takes it as one fold: ``cv=[(every, every)]`` where
    ``every`` is ``range(len(table))``.

    Parameters
    ----------
    masker : Masker
    X : table
        What :func:`~discreet.microdata` takes; a pandas frame keeps its columns in a search.
    y : None
        Not used.

    Examples
    --------
    >>> import discreet as dc
    >>> companies = dc.datasets.business(200)
    >>> privacy_utility(dc.MDAV(k=3), companies) == -dc.assess(companies, dc.MDAV(k=3).mask(companies)).score.value
    True
    """
    if not isinstance(masker, Masker):
        raise wrong_type("privacy_utility", "masker must be a masker", masker, "privacy_utility(MDAV(k=5), table)")
    table = microdata(X)
    return -float(assess(table, masker.clone().mask(table)).score.value)
