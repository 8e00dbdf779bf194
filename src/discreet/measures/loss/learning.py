"""What machine learning loses: models trained on the release, and clusters found in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import DataError, MissingExtraError, ParameterError
from discreet.measures.number_pairs import levels_of_both
from discreet.measures.record_draws import record_draws
from discreet.parameters import Choice, Integer, Names, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["ClassificationLoss", "ClusteringLoss"]

_LEVELS = 30
_STARTS = 10
_INSTEAD = "It trains models on all records. Take it of a sample of them; regression takes them all."


def _missing_extra(owner: str) -> MissingExtraError:
    return MissingExtraError(
        f"{owner} needs the library scikit-learn, which is not installed.", hint="pip install 'discreet[learn]'"
    )


@register("classification")
class ClassificationLoss(Measure):
    """Accuracy that a classifier loses when it is trained on the release instead of the original, in percent points.

    0: who trains on the release predicts original records that neither model has seen as well as who trains on the
    original. It sees the relations that a model can use.

    Parameters
    ----------
    outcome : str
        What is predicted: an attribute with levels, or a number, of which it is predicted whether it is above the
        median of the original.
    predictors : list of str, optional
        What predicts it; by default every other attribute that is released on the scale it had.
    model : {"logistic", "naive-bayes", "random-forest"}
        Logistic regression, naive Bayes (normal), or a forest of 50 trees.
    folds : int
        Parts into which records are cut; each is predicted by models trained on the others.
    random_state : int
        Seed of the parts and of the forest.

    Notes
    -----
    ``100 · max(accuracy − accuracy′, 0)`` over all records. `details` holds both accuracies, that of always naming the
    most frequent level, and the share of what the original's model gains over it that is left. Numbers are
    standardised, missing ones are the mean; the 30 most frequent levels have a column each, the missing value among
    them. Records whose outcome is missing do not count. Parts follow the records, so that their order tells nothing.
    The cost is that of the models, 2 · folds of them.

    References
    ----------
    Prasser, Eicher, Spengler, Bild and Kuhn (2020), Flexible data anonymization using ARX; Esteban, Hyland and Rätsch
    (2017), train on synthetic, test on real.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [i + 0.5 for i in range(60)], "y": [2 * i + 0.5 for i in range(60)]})
    >>> b = a.with_columns(y=pl.Series(a["y"].to_list()[::-1]))
    >>> [round(ClassificationLoss("y", ["x"]).measure(a, file).value) >= 80 for file in (a, b)]
    [False, True]
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Accuracy lost by a classifier"
    unit: ClassVar[str] = "percent points"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · max(accuracy − accuracy′, 0)"
    reference: ClassVar[str] = "Prasser et al. 2020; Esteban, Hyland and Rätsch 2017"
    instead: ClassVar[str] = _INSTEAD
    outcome: str | None = parameter(Optional(Text("the name of an attribute")), default=None, kw_only=False)
    predictors: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    model: Literal["logistic", "naive-bayes", "random-forest"] = parameter(
        Choice(("logistic", "naive-bayes", "random-forest")), default="logistic"
    )
    folds: int = parameter(Integer(2, 20), default=3)
    random_state: int = parameter(Integer(0), default=0)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls("wealth", ["income", "size"])]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        wanted = [name for name in (self.outcome, *(self.predictors or ())) if name is not None]
        for name in wanted:
            schema[name]
        names = super().columns_for(schema)
        return names if self.predictors is None else tuple(name for name in names if name in wanted)

    def _measure(self, pair: Pair) -> Measurement:
        wanted = [self.outcome, *(self.predictors or ())]
        if self.outcome is None or self.outcome in (self.predictors or ()):
            raise ParameterError(
                "ClassificationLoss: outcome must name what is predicted, and predictors something else.",
                hint='ClassificationLoss("sick", ["age", "sex"]).',
            )
        absent = [name for name in wanted if name not in pair.names]
        predictors = [name for name in pair.names if name != self.outcome]
        if absent or not predictors:
            name = absent[0] if absent else self.outcome
            raise ParameterError(
                f"ClassificationLoss: {name!r} must be a released attribute with one value, on the scale it had, and "
                "there must be another one."
            )
        before, after = _classes(pair, self.outcome)
        first, second = _features(pair, predictors)
        draws = record_draws(pair, pair.names, self.random_state)
        order = np.argsort(draws, kind="stable")
        parts = np.minimum((draws * self.folds).astype(np.int64), self.folds - 1)
        right = np.zeros(2)
        usual, counted = 0, 0
        for part in range(self.folds):
            report("training classifiers", part, self.folds)
            tested = order[(parts[order] == part) & (before[order] >= 0)]
            for side, (classes, terms) in enumerate(((before, first), (after, second))):
                trained = order[(parts[order] != part) & (classes[order] >= 0)]
                if not trained.size:
                    raise DataError("ClassificationLoss: there are too few records with an outcome to train on.")
                guessed = self._guessed(terms[trained], classes[trained], first[tested])
                right[side] += float((guessed == before[tested]).sum())
                if not side:
                    usual += int((np.bincount(classes[trained]).argmax() == before[tested]).sum())
            counted += tested.size
        report("training classifiers", self.folds, self.folds)
        if not counted:
            raise DataError("ClassificationLoss: no record of the original has an outcome.")
        accuracy, base = 100.0 * right / counted, 100.0 * usual / counted
        value = float(max(accuracy[0] - accuracy[1], 0.0))
        gained = float(accuracy[0] - base)
        sentence = (
            f"A classifier trained on the release names {accuracy[1]:.1f} % of original records rightly, one trained "
            f"on the original {accuracy[0]:.1f} %, and always naming the most frequent level {base:.1f} %."
        )
        details = {
            "accuracy_before": float(accuracy[0]),
            "accuracy_after": float(accuracy[1]),
            "most_frequent": base,
            "gain_left": float(np.clip((accuracy[1] - base) / gained, 0.0, 1.0) * 100.0) if gained > 0 else None,
        }
        return self.result(value, sentence, details=details)

    def _guessed(self, terms: FloatArray, classes: IntArray, asked: FloatArray) -> IntArray:
        """Train on some records, and return what the model says of others."""
        if np.unique(classes).size == 1 or not asked.size:
            return np.full(len(asked), classes[0])
        middle, spread = terms.mean(axis=0), terms.std(axis=0)
        spread[spread == 0] = 1.0
        try:  # where it is used: an extra, and slow to import
            from sklearn import ensemble, linear_model, naive_bayes
        except ImportError:
            raise _missing_extra(type(self).__name__) from None
        model: Any
        if self.model == "logistic":
            model = linear_model.LogisticRegression(max_iter=500)
        elif self.model == "naive-bayes":
            model = naive_bayes.GaussianNB()
        else:
            model = ensemble.RandomForestClassifier(n_estimators=50, random_state=self.random_state)
        model.fit((terms - middle) / spread, classes)
        return np.asarray(model.predict((asked - middle) / spread), dtype=np.int64)


@register("clustering")
class ClusteringLoss(Measure):
    """How little the clusters found in the release agree with those of the original, in percent.

    0: the same records are grouped together; 100: no more than by chance. It sees structure of numbers and levels
    together.

    Parameters
    ----------
    attributes : list of str, optional
        What clusters are made of; by default everything that is released on the scale it had.
    clusters : int
        How many are looked for.
    random_state : int
        Seed of the starting points.

    Notes
    -----
    ``100 · (1 − max(ARI, 0))`` with the adjusted Rand index of two k-means partitions, each of its own file, in units
    of the original's standard deviations; `details` holds it and the normalised mutual information. Missing numbers are
    the mean, the 30 most frequent levels have a column each. Ten starts: with five, the clusters of
    skewed amounts still depended on the seed. O(records × columns × clusters × turns).

    References
    ----------
    Hubert and Arabie (1985), Comparing partitions; Torra, Abril and Navarro-Arribas (2011), on clustering protected
    data.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [0.5, 0.7, 0.9, 9.1, 9.3, 9.5]})
    >>> b = a.with_columns(x=pl.Series([0.5, 9.3, 0.9, 9.1, 0.7, 9.5]))
    >>> [round(ClusteringLoss(clusters=2).measure(a, file).value) for file in (a, a * 1.0, b)]
    [0, 0, 100]
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Clusters that differ (adjusted Rand)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · (1 − max(ARI, 0))"
    reference: ClassVar[str] = "Hubert and Arabie 1985"
    instead: ClassVar[str] = _INSTEAD
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    clusters: int = parameter(Integer(2, 1000), default=5)
    random_state: int = parameter(Integer(0), default=0)

    def _measure(self, pair: Pair) -> Measurement:
        try:  # where it is used: an extra, and slow to import
            from sklearn.cluster import KMeans
            from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
        except ImportError:
            raise _missing_extra(type(self).__name__) from None
        first, second = _features(pair, pair.names)
        middle, spread = first.mean(axis=0), first.std(axis=0)
        spread[spread == 0] = 1.0
        order = np.argsort(record_draws(pair, pair.names, self.random_state), kind="stable")
        labels = []
        for terms in (first, second):
            standard = ((terms - middle) / spread)[order]
            different = np.unique(standard, axis=0).shape[0]
            if different <= 1:
                labels.append(np.zeros(len(standard), dtype=np.int64))
                continue
            model = KMeans(min(self.clusters, different), n_init=_STARTS, random_state=self.random_state)
            labels.append(np.asarray(model.fit_predict(standard), dtype=np.int64))
        rand = float(adjusted_rand_score(*labels))
        shared = float(normalized_mutual_info_score(*labels))
        value = 100.0 * (1.0 - max(min(rand, 1.0), 0.0))
        sentence = (
            f"The {self.clusters} clusters of the release agree with those of the original by {100.0 - value:.1f} % (0 "
            "as by chance, 100 the same)."
        )
        return self.result(value, sentence, details={"adjusted_rand": rand, "mutual_information": shared})


def _classes(pair: Pair, name: str) -> tuple[IntArray, IntArray]:
    """Return the classes of the outcome before and after; −1 where it is missing."""
    if pair.original.schema[name].scale.kind != "numeric":
        levels = levels_of_both(pair, name)
        return (
            np.where(levels.before == levels.size - 1, -1, levels.before),
            np.where(levels.after == levels.size - 1, -1, levels.after),
        )
    sides = [np.asarray(table.encoded(name), dtype=np.float64) for table in (pair.original, pair.masked)]
    held = sides[0][~np.isnan(sides[0])]
    if not held.size:
        raise DataError(f"ClassificationLoss: column {name!r} has no value in the original.")
    middle = float(np.median(held))
    first, second = (np.where(np.isnan(side), -1, side > middle).astype(np.int64) for side in sides)
    return first, second


def _features(pair: Pair, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return attributes of both files as columns of numbers, the same columns for both."""
    columns: list[tuple[FloatArray, FloatArray]] = []
    for name in names:
        if pair.original.schema[name].scale.kind == "numeric":
            sides = []
            for table in (pair.original, pair.masked):
                numbers = np.asarray(table.encoded(name), dtype=np.float64)
                absent = np.isnan(numbers)
                sides.append(np.where(absent, numbers[~absent].mean() if (~absent).any() else 0.0, numbers))
            columns.append((sides[0], sides[1]))
            continue
        levels = levels_of_both(pair, name)
        counts = np.bincount(np.concatenate([levels.before, levels.after]), minlength=levels.size)
        frequent = [level for level in np.argsort(-counts, kind="stable")[:_LEVELS] if counts[level]]
        columns += [((levels.before == level) * 1.0, (levels.after == level) * 1.0) for level in frequent]
    first, second = (np.stack(side, axis=1) for side in zip(*columns, strict=True))
    return first, second
