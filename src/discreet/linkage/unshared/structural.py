"""Structural linkage: the match of two files without common attributes under which they explain each other best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.linkage.nearest import Nearest
from discreet.linkage.unshared.canonical import Match, Whitened, improve, solve, whiten
from discreet.linkage.unshared.groups_first import candidate_links, groups_first
from discreet.linkage.unshared.hub_search import METRICS, distances
from discreet.linkage.unshared.near_representatives import (
    log_nearness,
    near_representatives,
    sharpness,
    weights_of,
)
from discreet.linkage.unshared.normalisation import impute, normalise
from discreet.linkage.unshared.representatives import representatives
from discreet.linkage.unshared.unshared import UnsharedLinker, one_each
from discreet.linkage.unshared.variables import quadratic_matching
from discreet.operators.numbers.owa import OWA
from discreet.operators.numbers.quantifiers import Threshold
from discreet.parameters import Choice, Flag
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.typing import FloatArray, IntArray

__all__ = ["ALIKE", "StructuralLinkage", "improve_starts", "representative_evidence", "sharpness", "views_of"]

VIEWS = ("standard", "rank_gauss", "ranging")
MOST_PAIRS = 4_000_000

_QUANTILES = [OWA(Threshold(step / 20)) for step in range(20)]
_RIDGES = (0.3, 0.05, 0.001)
_TEMPERATURE = 0.2  # nats a record
# Where one file is much shorter, whoever chooses its partners freely finds high correlations by chance: below this
# share of the longer file, matches are not improved by their own correlations.
ALIKE = 0.75

Pairs = tuple[IntArray, IntArray]


@register("structural")
class StructuralLinkage(UnsharedLinker):
    """Link two files without common attributes by the match under which they predict each other best.

    An attack that no shared attribute and no known link is needed for: it looks for the one-to-one match of records
    with the highest likelihood of canonical correlation between the files, helped by representatives of records. It
    finds nearly everybody where the two files are highly correlated, and the truth is never used.

    Parameters
    ----------
    normalise : {"auto", "standard", "rank_gauss", "ranging"}
        How representatives are normalised. "auto" weighs all by how sharp they are, see :func:`sharpness`.
    metric : {"auto", "euclidean", "manhattan", "root"}
        Distance of representatives; "auto" weighs likewise.
    start : {"auto", "representatives", "variables"}
        Where the search starts: matches by representatives, matches by attributes that were matched by their
        distributions and correlations (with signs), or all of them.
    one_to_one : bool
        Whether a record of the first file is taken at most once. Otherwise each record of the second gets whom it fits
        best.
    attributes_a, attributes_b : list of str, optional
        By default the numeric keys of each file.
    by : list of str, optional
        Ordinal or nominal attributes of both files that a pair must agree on; each block is a problem of its own.
    random_state : int, optional
        Orders the records, so that ties say nothing, and draws the starts of the matching of attributes.

    Attributes
    ----------
    evidence_ : list of float
        After linking: what was maximised, in nats a record, block by block. Comparable between runs on one file only.

    Notes
    -----
    Some ten starts, each a few dozen assignments of O(n³): seconds for hundreds of records. Above four million pairs
    groups of records are matched first and records within them
    (:mod:`~discreet.linkage.unshared.groups_first`), in O(n log n): representatives then serve as starts only. Below,
    matches are averaged with weights by their likelihood before the last assignment. Where one file is shorter
    than 75 % of the other, representatives and matched attributes decide without that search. Missing values are
    predicted from the record's other attributes; constant attributes are left out; of more attributes than a quarter
    of the records the leading components are used. Between files without common individuals it returns links all the
    same, at chance level.

    References
    ----------
    Beyond Torra and Nin (P2), whose problem it is. Hotelling (1936) for canonical correlation.

    Examples
    --------
    >>> import polars as pl
    >>> rng = np.random.default_rng(0)
    >>> hidden, noise = rng.gamma(2.0, size=(60, 3)), rng.normal(size=(60, 6)) / 100
    >>> a = pl.DataFrame(hidden @ rng.normal(size=(3, 3)) + noise[:, :3], schema=["a", "b", "c"])
    >>> b = pl.DataFrame(hidden @ [[1, 0, 1], [0, 1, 1], [0, 0, 1]] + noise[:, 3:], schema=["d", "e", "f"])
    >>> StructuralLinkage().link(a, b).evaluate().n
    60
    """

    normalise: Literal["auto", "standard", "rank_gauss", "ranging"] = parameter(
        Choice(("auto", *VIEWS)), default="auto"
    )
    metric: Literal["auto", "euclidean", "manhattan", "root"] = parameter(Choice(("auto", *METRICS)), default="auto")
    start: Literal["auto", "representatives", "variables"] = parameter(
        Choice(("auto", "representatives", "variables")), default="auto"
    )
    one_to_one: bool = parameter(Flag(), default=True)
    higher_is_better: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(one_to_one=False), cls(normalise="standard", metric="root", start="representatives")]

    def _match_block(
        self,
        x: FloatArray,
        y: FloatArray,
        at: int,
        rows: tuple[IntArray, IntArray],
        rng: np.random.Generator,
        engine: Engine,
    ) -> Nearest:
        if at == 0:
            self.evidence_: list[float] = []
        return super()._match_block(x, y, at, rows, rng, engine)

    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Nearest:  # noqa: ARG002
        if len(x) * len(y) > MOST_PAIRS:
            return self._match_groups_first(x, y, rng)
        order_x, order_y = rng.permutation(len(x)), rng.permutation(len(y))
        views = views_of(x[order_x], y[order_y])
        evidence, starts = representative_evidence(views, self.normalise, self.metric)
        tables = [] if self.start == "representatives" else _variable_tables(views, rng)
        if self.start == "variables":
            starts = []
        if min(len(x), len(y)) < ALIKE * max(len(x), len(y)):
            table = evidence + 0.5 * np.mean(tables, axis=0) if tables else evidence
            rows, columns = solve(table)
            self.evidence_.append(float(table[rows, columns].mean()))
        else:
            matches = improve_starts(views, [*starts, *(solve(table) for table in tables)], evidence)
            self.evidence_.append(matches[0].objective / matches[0].rows.size)
            table = _averaged(matches)
        return _best_links(table, order_x, order_y, self.one_to_one)

    def _match_groups_first(self, x: FloatArray, y: FloatArray, rng: np.random.Generator) -> Nearest:
        order_x, order_y = rng.permutation(len(x)), rng.permutation(len(y))
        views = views_of(x[order_x], y[order_y])
        starts = []
        if self.start != "representatives":
            starts += [_side_by_side(views, *matched) for matched in matched_variables(views, rng)]
        names = VIEWS if self.normalise == "auto" else (self.normalise,)
        represented = {name: Whitened(*(representatives(side, _QUANTILES) for side in views[name])) for name in names}
        if self.start != "variables":
            starts += represented.values()
        alike = min(len(x), len(y)) >= ALIKE * max(len(x), len(y))
        stages = whitened_stages(views) if alike else []
        metrics = tuple(METRICS) if self.metric == "auto" else (self.metric,)
        fit, evidence = groups_first(
            starts, stages, rng, lambda groups: near_representatives(represented, metrics, groups)
        )
        self.evidence_.append(evidence)
        return candidate_links(fit, order_x, order_y, self.one_to_one, rng)


def _side_by_side(views: Mapping[str, Whitened], image: IntArray, signs: IntArray) -> Whitened:
    """Return the attributes that were matched, in one order and with one sign, under both normalisations."""
    matched = np.flatnonzero(image >= 0)
    pairs = [
        (left[:, matched] * signs[matched], right[:, image[matched]])
        for left, right in (views["rank_gauss"], views["standard"])
    ]
    return Whitened(*(np.ascontiguousarray(np.hstack(side)) for side in zip(*pairs, strict=True)))


def views_of(x: FloatArray, y: FloatArray) -> dict[str, Whitened]:
    """Return both files under every normalisation, missing values predicted."""
    standard = Whitened(*(impute(normalise(side, "standard")) for side in (x, y)))
    gauss = Whitened(*(impute(normalise(side, "rank_gauss")) for side in (x, y)))
    ranging = Whitened(*((side - side.min(axis=0)) / np.ptp(side, axis=0) for side in standard))
    return {"standard": standard, "rank_gauss": gauss, "ranging": ranging}


def representative_evidence(
    views: Mapping[str, Whitened], normalisation: str = "auto", metric: str = "auto"
) -> tuple[FloatArray, list[Pairs]]:
    """Return the evidence of every pair from representatives, weighed by sharpness, and the starts they give."""
    names = VIEWS if normalisation == "auto" else (normalisation,)
    metrics = tuple(METRICS) if metric == "auto" else (metric,)
    sharp: dict[tuple[str, str], float] = {}
    parts: dict[tuple[str, str], FloatArray] = {}
    for name in names:
        first, second = (representatives(side, _QUANTILES) for side in views[name])
        for one in metrics:
            table = distances(second, first, one)
            sharp[name, one] = sharpness(table)
            parts[name, one] = log_nearness(table)
    shares, totals = weights_of(sharp)
    total: FloatArray = np.zeros_like(next(iter(parts.values())))
    starts: list[Pairs] = []
    for name in names:
        own: FloatArray = np.zeros_like(total)
        for one in metrics:
            own += shares[name, one] * parts[name, one]
        starts.append(solve(own))
        total += totals[name] * own
    return total, [solve(total), *starts]


def _variable_tables(views: Mapping[str, Whitened], rng: np.random.Generator) -> list[FloatArray]:
    """Rate pairs of records by attributes that were matched.

    A rating is the logarithm of a normal density of the differences, their variance that of the best assignment.
    """
    tables = []
    for image, signs in matched_variables(views, rng):
        matched = np.flatnonzero(image >= 0)
        gaps = np.zeros((len(views["standard"].x), len(views["standard"].y)))
        for left, right in (views["rank_gauss"], views["standard"]):
            turned = np.ascontiguousarray(left[:, matched] * signs[matched])
            gaps += distances(np.ascontiguousarray(right[:, image[matched]]), turned, "euclidean") ** 2
        usual = max(float(gaps[solve(-gaps)].mean()), 1e-12)
        tables.append(-0.5 * matched.size * gaps / usual)
    return tables


def matched_variables(views: Mapping[str, Whitened], rng: np.random.Generator) -> list[tuple[IntArray, IntArray]]:
    """Match attributes by distribution and correlation, at several balances: images and signs, each match once."""
    x, y = views["rank_gauss"]
    own = _quantile_costs(*views["standard"])
    first, second = (np.corrcoef(side.T).reshape(1, side.shape[1], side.shape[1]) for side in (x, y))
    matches: dict[tuple[int, ...], tuple[IntArray, IntArray]] = {}
    for balance in (0.1, 1.0, 10.0):
        for flips in (True, False):
            image, signs, _ = quadratic_matching(first, second, balance * own, flips, 2, rng)[0]
            matches[(*image.tolist(), *signs.tolist())] = image, signs
    return list(matches.values())


def _quantile_costs(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean squared difference of the quantiles of standardised columns, as they are and with one turned."""
    grid = (np.arange(100) + 0.5) / 100
    first, second = np.quantile(x, grid, axis=0), np.quantile(y, grid, axis=0)
    same = ((first[:, :, None] - second[:, None, :]) ** 2).mean(axis=0)
    turned = ((first[:, :, None] + second[::-1][:, None, :]) ** 2).mean(axis=0)
    return np.ascontiguousarray(np.stack([same, turned]))


def whitened_stages(views: Mapping[str, Whitened]) -> list[list[Whitened]]:
    """Return both files as uncorrelated columns, from the leading components to all of them."""
    return [
        [Whitened(*(whiten(side, ridge) for side in views[name])) for name in ("standard", "rank_gauss")]
        for ridge in _RIDGES
    ]


def improve_starts(views: Mapping[str, Whitened], starts: Sequence[Pairs], evidence: FloatArray) -> list[Match]:
    """Improve every start, from the leading components to all of them; the best match comes first."""
    stages = whitened_stages(views)
    matches = []
    for rows, columns in track(starts, "improving matches", len(starts)):
        match = Match(rows, columns, -np.inf, evidence)
        for files in stages:
            match = improve(files, match.rows, match.columns, evidence)
        matches.append(match)
    return sorted(matches, key=lambda one: -one.objective)


def _averaged(matches: Sequence[Match]) -> FloatArray:
    best = matches[0]
    heat = _TEMPERATURE * best.rows.size
    weights = np.exp([(match.objective - best.objective) / heat for match in matches])
    total: FloatArray = sum(
        weight * match.table for weight, match in zip(weights / weights.sum(), matches, strict=True)
    )
    return total


def _best_links(table: FloatArray, order_x: IntArray, order_y: IntArray, one_to_one: bool) -> Nearest:
    n_y = table.shape[1]
    best = np.full(n_y, -1, dtype=np.int64)
    if one_to_one:
        rows, columns = solve(table)
        best[columns] = rows
    else:
        best = table.argmax(axis=0)
    at = np.arange(n_y)
    score = np.where(best < 0, -np.inf, table[np.maximum(best, 0), at])
    rest = table.copy()
    rest[np.maximum(best, 0), at] = -np.inf
    second = rest.argmax(axis=0)
    second_score = np.minimum(rest[second, at], score)
    second = np.where(np.isneginf(second_score), -1, order_x[second])
    result_best, result_second = np.empty(n_y, dtype=np.int64), np.empty(n_y, dtype=np.int64)
    result_score, result_second_score = np.empty(n_y), np.empty(n_y)
    result_best[order_y] = np.where(best < 0, -1, order_x[np.maximum(best, 0)])
    result_second[order_y] = second
    result_score[order_y], result_second_score[order_y] = score, second_score
    return one_each(result_best, result_second, result_score, result_second_score)
