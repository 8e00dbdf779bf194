"""What makes a masker a transformer of scikit-learn, which need not be installed for it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np

from discreet.contracts.estimator import Estimator
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, DiscreetError, DiscreetWarning, ParameterError, door
from discreet.statistics.question import Need

if TYPE_CHECKING:
    from discreet.contracts.masker import Masker

__all__ = ["TableTransformer", "Transformer"]

_OUTPUTS = ("default", "pandas", "polars")
_NAMED = 10
"""The most columns that a warning names."""
_ONE_TABLE = "Use fit_transform, which protects the table that it is given; or mask old and new records together."


class TableTransformer:
    """`fit`, `transform`, `fit_transform` and what pipelines ask for besides.

    A masker protects one table, and `fit_transform` does that. Where records are changed one by one and nothing is
    drawn (coding, bands, truncation), `fit` keeps the plan of its table, and `transform` releases other records by it.
    Elsewhere `transform` refuses: groups, ranks and swaps are those of one table, and what was drawn for one must not
    be used for another, since two releases with the same draws give the original away.
    """

    @door
    def fit(self, X: Any, y: Any = None, *, schema: Schema | None = None) -> Self:  # noqa: ARG002 - for pipelines
        """Learn from a table how its records, and others like them, are released. `y` is not used."""
        self._check()
        table = microdata(_as_table(type(self).__name__, X), schema)
        self._learn(table)
        self._tell_what_stays(table, X, schema)
        return self

    @door
    def transform(self, X: Any) -> Any:
        """Release other records by what `fit` learned; the same kind of table comes back.

        Raises
        ------
        DataError
            Nothing was learned yet; the columns are others; or the method masks one table as a whole, or draws.
        """
        owner = type(self).__name__
        if not self.__sklearn_is_fitted__():
            raise _not_fitted(owner)
        X = _as_table(owner, X)
        width = np.shape(X)[1] if isinstance(X, np.ndarray) else None
        if width is not None and width != self.n_features_in_:
            raise DataError(
                f"X has {width} features, but {owner} is expecting {self.n_features_in_} features as input."
            )
        if self._fitted_plan is None:
            raise DataError(
                f"{owner}: other records cannot be released by what was learned from a table, because "
                f"{self._why_one_table()}.",
                hint=_ONE_TABLE,
            )
        return self._given_back(self._fitted_plan(microdata(X, self._fitted_plan.schema)), X)

    @door
    def fit_transform(self, X: Any, y: Any = None, *, schema: Schema | None = None) -> Any:  # noqa: ARG002
        """Protect a table and return the same kind of table. `y` is there for pipelines and is not used.

        Of a pandas frame the index is not kept: it may say who is who, or in which order the records were. Where
        ``set_output(transform="pandas")`` asks for frames that go on in a pipeline, it is, so that they can be put
        beside others of the same records. An array of numbers with two dimensions comes back as an array.

        Without a schema, roles are guessed by names and values. A column that could be masked and is not, because it
        was taken for something that no intruder knows, is named in a :class:`~discreet.errors.DiscreetWarning`.
        """
        X = _as_table(type(self).__name__, X)
        table = microdata(X, schema)
        masked = cast("Masker", self).mask(table)
        self._learn(table)
        self._tell_what_stays(table, X, schema)
        return self._given_back(masked.microdata, X, in_place=masked.provenance.rows is None)

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose what `transform` and `fit_transform` return: ``"default"`` is the kind of table that went in.

        Where nothing is chosen, ``sklearn.set_config(transform_output=…)`` holds.
        """
        if transform is not None and transform not in _OUTPUTS:
            raise ParameterError(f"{type(self).__name__}: transform must be one of {', '.join(_OUTPUTS)}.")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # the name that scikit-learn's clone copies
        return self

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray[Any, Any]:
        """Return the names of the released columns."""
        if not self.__sklearn_is_fitted__():
            raise _not_fitted(type(self).__name__)
        if input_features is not None and list(input_features) != list(self._names_in):
            raise ParameterError(
                f"{type(self).__name__}: input_features must be the {self.n_features_in_} columns that were fitted."
            )
        return np.array(self._names_out, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        maskers = self._maskers()
        scales = {scale for masker in maskers for scale in masker.scales}
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            non_deterministic=any(hasattr(masker, "random_state") for masker in maskers),
            input_tags=InputTags(
                categorical=bool(scales & {"ordinal", "nominal"}),
                string=bool(scales & {"ordinal", "nominal"}),
                allow_nan=all(masker.handles_missing for masker in maskers),
            ),
        )

    # ------------------------------------------------------------------------------------------------------ inside

    def _check(self) -> None:
        """Refuse parameters that are out of bounds, before a table is looked at."""

    def _maskers(self) -> Sequence[Masker]:
        """Return what masks, step by step."""
        raise NotImplementedError

    def _release_plan(self, table: Microdata) -> Any:  # noqa: ARG002 - of a table, where there is one
        """Return how other records are released; None where a table is masked as a whole."""
        return None

    def _why_one_table(self) -> str:
        return "its steps see one table after the other"

    def _tell_what_stays(self, table: Microdata, given: Any, schema: Schema | None) -> None:
        """Warn of columns that could be masked and are not, because of a role that nobody declared."""
        if schema is not None or isinstance(given, Microdata):
            return
        stays = _untouched(self._maskers(), table.schema)
        if stays:
            roles = ", ".join(sorted({table.schema[name].role for name in stays}))
            named = ", ".join(repr(name) for name in stays[:_NAMED]) + (", …" if len(stays) > _NAMED else "")
            warnings.warn(
                f"{type(self).__name__}: {len(stays)} of {len(table.names)} columns are released as they are: {named}. "
                f"Nobody declared their role (guessed: {roles}) or their scale. "
                "Hint: Name what is to be masked in attributes=[…], or declare the roles in a schema.",
                DiscreetWarning,
                stacklevel=4,
            )

    def _learn(self, table: Microdata) -> None:
        self._fitted_plan = self._release_plan(table)
        self._names_in = table.names
        self._names_out = tuple(name for name in table.names if table.schema[name].role != "identifier")
        self.n_features_in_ = len(table.names)
        self.feature_names_in_ = np.array(table.names, dtype=object)

    def _given_back(self, released: Microdata, given: Any, *, in_place: bool = True) -> Any:
        """Return the release as the kind of table that came, or that `set_output` asks for.

        `in_place` says that all records are where they were.
        """
        self._names_out = released.names
        output = getattr(self, "_sklearn_output_config", {}).get("transform") or _asked_everywhere()
        if output == "pandas":
            frame = released.to_pandas()
            if in_place and isinstance(given, type(frame)) and len(given) == len(frame):
                frame.index = given.index  # ColumnTransformer puts columns side by side by it
            return frame
        if output == "polars":
            return released.to_polars()
        if isinstance(given, np.ndarray) and given.dtype.names is None:
            columns = [column.to_numpy() for column in released.to_arrow().columns]
            return np.column_stack(columns) if columns else np.empty((len(released), 0))
        return released if isinstance(given, Microdata) else released.to_native()


class Transformer(Estimator, TableTransformer):
    """A masker as a transformer."""

    def _check(self) -> None:
        self.check_parameters()

    def _maskers(self) -> Sequence[Masker]:
        return [cast("Masker", self)]

    def _release_plan(self, table: Microdata) -> Any:
        from discreet.contracts.run_masker import plan_release

        return plan_release(cast("Masker", self), table)

    def _why_one_table(self) -> str:
        meets = cast("Masker", self).need not in (Need.RECORD, Need.ORDER)
        return "its records have to meet" if meets else "it draws"


def _untouched(maskers: Collection[Masker], schema: Schema) -> list[str]:
    """Return the columns that no masker changes; none where none could be, or where every masker was told its own."""
    told = all(getattr(masker, "attributes", None) or masker.renumbers for masker in maskers)
    if told or any(masker.moves_records() for masker in maskers):
        return []
    changed: set[str] = set()
    for masker in maskers:
        try:
            changed |= set(masker.columns_for(schema))
        except DiscreetError:
            return []  # said where it masks
    scales = {scale for masker in maskers for scale in masker.scales}
    others = [a.name for a in schema if a.role not in ("identifier", "key")]
    if changed.issuperset(schema.of_scale(*scales, among=others)):
        return []
    return [a.name for a in schema if a.role != "identifier" and a.name not in changed]


def _asked_everywhere() -> str:
    """Return what scikit-learn is set to give back; whoever set it has loaded it."""
    configured = getattr(sys.modules.get("sklearn"), "get_config", None)
    return "default" if configured is None else str(configured().get("transform_output", "default"))


def _not_fitted(owner: str) -> DataError:
    return DataError(f"{owner}: nothing was fitted yet.", hint="Call fit or fit_transform first.")


def _as_table(owner: str, X: Any) -> Any:
    """Return what was given, an array where it can be one; what is no table is refused in scikit-learn's words."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise DataError(f"{owner}: sparse data was passed, and dense data is required.", hint="X.toarray()")
    if not isinstance(X, np.ndarray) and hasattr(X, "__array__") and not hasattr(X, "columns"):
        X = np.asarray(X)
    if isinstance(X, list) and X and all(isinstance(row, (list, tuple)) for row in X):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray) or X.dtype.names is not None:
        return X
    if X.dtype.kind == "c":
        raise DataError(f"{owner}: Complex data not supported.")
    if X.ndim != 2:
        raise DataError(
            f"{owner}: an array must have two dimensions, records and attributes; got {X.ndim}.",
            hint="Reshape your data: X.reshape(-1, 1) is one attribute.",
        )
    n, width = X.shape
    if not width:
        raise DataError(f"{owner}: 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required.")
    if not n:
        raise DataError(f"{owner}: Found array with 0 sample(s) while a minimum of 1 is required.")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise DataError(f"{owner}: Input contains infinity in {int(np.isinf(X).any(axis=0).sum())} of {width} columns.")
    return X
