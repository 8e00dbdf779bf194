"""Full-domain generalisation: the best step of every hierarchy that keeps privacy models, with proof."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata, microdata
from discreet.data.scales import Categorical, Nominal
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError, door
from discreet.kernels.generalising.class_rules import CLOSE_ORDERED, CLOSE_TREE, DISTINCT, SIZE
from discreet.masking.microaggregation.numbers.refinement import BUDGET, check_budget
from discreet.masking.recoding.explored_lattice import ExploredLattice
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.masking.recoding.joined_classes import JoinedClasses, record_costs
from discreet.masking.recoding.key_ladders import STAR, NamedLadder, hierarchies_of, leaves_of
from discreet.masking.recoding.lattice_search import (
    OBJECTIVES,
    KeyLadder,
    LatticeSearch,
    SearchOutcome,
    SensitiveColumn,
)
from discreet.masking.recoding.level_map import recode
from discreet.masking.recoding.model_promises import ModelPromises
from discreet.models.cost_benefit import Profitability
from discreet.models.identity import K
from discreet.models.model_text import ModelList
from discreet.models.people_source import load_people
from discreet.models.privacy_model import Demand, PrivacyModel
from discreet.parameters import AnyOf, ByName, Choice, Flag, Instance, Integer, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.written_levels import level_codes
from discreet.stopping import stoppable
from discreet.typing import BoolArray, IntArray, Json, Level

__all__ = ["Generalisation"]

_ROUNDS = 20
"""Of local recoding, at most."""


class _Hierarchies(HierarchyByName):
    """A hierarchy for each of some attributes, or the folder that holds their files."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = AnyOf(Text("the path of a folder with a file for each"), Instance(os.PathLike, "a path"))

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) or self.folder.accepts(value)

    def describe(self) -> str:
        return f"{super().describe()}, or {self.folder.describe()}"

    def parse(self, text: str) -> Any:
        return super().parse(text) if "=" in text else text

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        if isinstance(value, str) and "=" in value:
            value = self.parse(value)
        return os.path.join(folder or ".", value) if isinstance(value, str) else super().read(value, folder)  # noqa: PTH118


class _OrNone(Optional):
    """What another constraint allows, or None."""

    def describe(self) -> str:
        return f"{self.inner.describe()} or None"


@register("generalisation")
class Generalisation(Masker):
    """Every key raised to one step of its hierarchy, the least costly steps at which the release keeps privacy models.

    Keeps every released value true; destroys detail below the steps, the same for all records, and the few records that
    would have asked for more.

    Parameters
    ----------
    models : list of PrivacyModel, optional
        What the release must keep, all of them: see ``discreet.models``. As text ``"k=5; l-diversity=2 NAME"``.
    hierarchies : dict of str to Hierarchy or path, or path of a folder
        By attribute. A folder holds files ``NAME.csv`` or ``anything_NAME.csv`` (or ``.grc``, ``.toml``). An attribute
        without one is released as it is or as ``*``.
    k : int, optional
        Short for ``models=[K(k)]``.
    suppression : float
        The largest share of records that may be suppressed because their class would break a model.
    objective : {"loss", "precision", "entropy", "discernibility", "class-size", "kl", "ambiguity", "payout"}
        What is made least. ``"loss"``: the mean over cells of (leaves covered − 1)/(leaves − 1). ``"precision"``: of
        the step over the height. ``"entropy"``: bits lost over bits there were, with the frequencies of the original;
        a missing cell is a value like any other and has log2(n / missing cells of its column) bits, which it loses
        where its record is suppressed. Each counts a suppressed record as 1, or all its bits. ``"discernibility"``:
        Σ size² + suppressed · n. ``"class-size"``: n over the number of classes, the suppressed being one.
        ``"kl"``: the divergence, in bits, of the original records from classes spread evenly over the leaves they
        cover; ``"ambiguity"``: the mean number of leaf combinations that a record may be; both take suppressed
        records for one class that covers everything. ``"payout"``: the share of the greatest benefit that the publisher
        of the model ``profitability`` can expect to miss; a suppressed record pays nothing.
    suppressed : {"dropped", "generalised"}
        Suppressed records are left out of the file; or they stay with every key fully generalised, are then a class
        like any other, and further small classes join them until they keep the models too.
    local : bool
        Whether records that would be suppressed get steps of their own, found among themselves, again and again, with
        the same models. The result costs no more than the global one, and is not proven.
    importance : dict of str to float, optional
        The weight of an attribute in ``"loss"``, ``"precision"`` and ``"entropy"``; 1 where none is given.
    budget : int or str
        The nodes of the lattice to look at, or a time, after which the best so far is taken.
    attributes : list of str, optional
        The keys; by default those with a hierarchy, or every key where none has.

    Notes
    -----
    Exact: each node of the lattice is looked at, or shown to be no better by a bound that never exceeds it, or shown to
    need too much suppression where the models can only gain by generalising. `details` says what was proven: of steps,
    with the records suppressed at each that its classes say. Where a model is of the whole release these are the
    smallest classes, one by one, of equal ones the coarsest first: no fewer records would do, but others may cost less
    by "loss", "entropy", "kl" and "ambiguity". Where suppressed records stay, all classes of the smallest size join
    them, until they keep the models. k is
    counted among released records; distributions are compared with that of the original table. ARX suppresses the same
    records and keeps them as rows of ``*`` that its models do not count. A missing value is a value of its own at every
    step and costs nothing. An attribute that a model calls sensitive is not generalised. Equal values: the first found.
    O(nodes × classes), with different records counted once and rolled up from node to node.

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release; LeFevre, DeWitt and Ramakrishnan (2005),
    Incognito; Kohlmayer, Prasser et al. (2012), Flash; Iyengar (2002), Transforming data to satisfy privacy
    constraints.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> broader = Hierarchy([["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"]])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "oil", "sun"]})
    >>> Generalisation(k=2, hierarchies={"fuel": broader}, suppression=0.25).mask(fuels, schema).to_native().rows()
    [('fossil',), ('fossil',), ('fossil',)]
    """

    instead: ClassVar[str] = "search a sample of the records and give the steps to hierarchy-recoding"
    iso_20889: ClassVar[str] = "generalisation"
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    groups: ClassVar[bool] = True
    recounts: ClassVar[bool] = True
    models: Sequence[PrivacyModel] | None = parameter(Optional(ModelList()), default=None, kw_only=False)
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | str | os.PathLike[str] | None = parameter(
        Optional(_Hierarchies()), default=None, kw_only=False
    )
    k: int | None = parameter(_OrNone(Integer(2)), default=None)
    suppression: float = parameter(Number(0, 1), default=0.0)
    objective: Literal["loss", "precision", "entropy", "discernibility", "class-size", "kl", "ambiguity", "payout"] = (
        parameter(Choice(tuple(OBJECTIVES)), default="loss")
    )
    suppressed: Literal["dropped", "generalised"] = parameter(Choice(("dropped", "generalised")), default="dropped")
    local: bool = parameter(Flag(), default=False)
    importance: Mapping[str, float] | None = parameter(Optional(ByName(Number(0, open_low=True))), default=None)
    budget: int | str = parameter(BUDGET, default=200_000)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        sizes = Hierarchy([[s, "small" if s in {"xs", "s"} else "large", "any"] for s in ("xs", "s", "m", "l", "xl")])
        fuels = Hierarchy([["gas", "fossil", "*"], ["oil", "fossil", "*"], ["wood", "new", "*"], ["sun", "new", "*"]])
        both = {"size": sizes, "fuel": fuels}
        return [
            cls(k=2, hierarchies=both),
            cls(k=2, hierarchies=both, suppression=0.1, suppressed="generalised", objective="discernibility"),
        ]

    def moves_records(self) -> bool:
        # Records that are left out move the others up.
        return self.suppression > 0 and self.suppressed == "dropped"

    # -------------------------------------------------------------------------------------------------------- door

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        given = hierarchies_of("Generalisation", self.hierarchies, schema)
        confidential = {model.confidential for model in self._all_models()}
        clash = [name for name in self.attributes or () if name in confidential]
        if clash:
            raise ParameterError(f"Generalisation: {clash[0]!r} is sensitive to a model and cannot be a key of it.")
        # A number has levels where a hierarchy says so.
        plain = [name for name in self.attributes or () if name not in given]
        for name in plain:
            kind = schema[name].scale.kind
            if kind not in self.scales:
                raise ParameterError(
                    f"Generalisation: attribute {name!r} is {kind}; without a hierarchy it has no levels.",
                    hint="Give it a hierarchy, or leave it out of attributes.",
                )
        if self.attributes is None and not schema.keys:
            self._maskable(schema)  # which refuses a schema that names no key
        if self.attributes is not None:
            chosen = tuple(self.attributes)
        elif isinstance(self.hierarchies, Mapping):
            chosen = tuple(given)
        else:
            chosen = tuple(name for name in schema.keys if name in given) or self._maskable(schema)
        names = tuple(name for name in schema.names if name in chosen and name not in confidential)
        if not names:
            raise ParameterError(
                "Generalisation: no key is left to generalise.", hint="Name attributes or hierarchies."
            )
        for name in (*names, *(n for n in confidential if n is not None)):
            if schema[name].scale.kind == "sequence":
                raise ParameterError(f"Generalisation: attribute {name!r} is a sequence; it has no levels.")
        for option in self.importance or ():
            if option not in names:
                raise ParameterError(f"Generalisation: importance names {option!r}, which is not generalised.")
        for model in self._all_models():
            model.demands(names)
        return names

    def _all_models(self) -> list[PrivacyModel]:
        models = [*(self.models or ()), *([] if self.k is None else [K(self.k)])]
        if not models:
            raise ParameterError(
                "Generalisation: k must be an integer of at least 2 where no models are given; got None."
            )
        for model in models:
            model.check()
        games = sum(isinstance(model, Profitability) for model in models)
        if games > 1 or (self.objective == "payout" and not games):
            raise ParameterError(
                f"Generalisation: models must have one profitability for a payout; got {games}.",
                hint='models="profitability=BENEFIT LOSS GAIN COST"',
            )
        if games and self.local:
            raise ParameterError("Generalisation: local must be False with profitability, which is of all keys' steps.")
        return models

    def _check_table(self, schema: Schema, n: int) -> None:
        if self.k is not None:
            super()._check_table(schema, n)
        elif n < 2:
            raise DataError(f"Generalisation: the table has {n} records; masking needs at least 2.")

    def guarantees(
        self,
        schema: Schema,
        names: tuple[str, ...],
        shared: tuple[tuple[str, ...], ...] = (),  # noqa: ARG002 - the models say what is shared
    ) -> tuple[Guarantee, ...]:
        # What combinations of some keys share, and every other rule, is promised once the records were seen.
        whole = [one for one in self._all_models() if not (isinstance(one, K) and isinstance(one.k, Mapping))]
        demands = [demand for model in whole for demand in model.demands(names)]
        smallest: dict[tuple[str, ...], int] = {}
        for demand in demands:
            if demand.kind == SIZE:
                k = ceil(demand.low - 1e-9)
                smallest[demand.columns] = max(smallest.get(demand.columns, 1), k)
        promises = [replace(self._guarantee(schema, columns), k=k) for columns, k in smallest.items()]
        promises += [
            replace(
                self._guarantee(schema, d.columns),
                k=smallest.get(d.columns, 1),
                l=ceil(d.low - 1e-9),
                sensitive=d.sensitive,
            )
            for d in demands
            if d.kind == DISTINCT
        ]
        return tuple(promises)

    # ------------------------------------------------------------------------------------------------------ search

    @door
    @stoppable()
    def explore(self, data: Any, schema: Schema | None = None) -> ExploredLattice:
        """Look at every combination of steps: which keep the models, what each suppresses and what each costs.

        Parameters
        ----------
        data : Microdata or table
        schema : Schema, optional
            For a plain frame; without it the inferred proposal is taken.

        Returns
        -------
        ExploredLattice
            As many nodes as the budget allows, in the order in which an odometer counts.

        Examples
        --------
        >>> from discreet.datasets import housing
        >>> table = housing(80)
        >>> lattice = Generalisation(k=3, attributes=["WFUEL", "METRO"], suppression=0.05).explore(table)
        >>> lattice.nodes
        4
        """
        self.check_parameters()
        table = microdata(data, schema)
        names = self.columns_for(table.schema)
        self._check_table(table.schema, len(table))
        ladders, columns, _ = self._ladders(table, names)
        models = self._all_models()
        demands = [demand for model in models for demand in model.demands(names)]
        given = hierarchies_of("Generalisation", self.hierarchies, table.schema, table)
        people, sensitive = self._population(models, names, given), self._sensitive(table, demands, given)
        n = len(table)
        limit, stays = int(self.suppression * n + 1e-9), self.suppressed == "generalised"
        search = self._search(ladders, columns, people, demands, sensitive, models, limit, np.arange(n), stays=stays)
        survey = search.survey(*self._allowance(), label=self.name)
        order = [survey.names.index(name) for name in names]
        heights = tuple(survey.heights[place] for place in order)
        return replace(survey, names=names, heights=heights, steps=survey.steps[:, order])

    def _ladders(
        self, table: Microdata, names: tuple[str, ...]
    ) -> tuple[dict[str, NamedLadder], dict[str, IntArray], list[str]]:
        """Return the steps of every key, the leaf of every record, and notes."""
        given = hierarchies_of("Generalisation", self.hierarchies, table.schema, table)
        ladders, notes = {}, []
        columns: dict[str, IntArray] = {}
        for name in names:
            ladders[name], columns[name], note = leaves_of("Generalisation", table, name, given.get(name))
            notes += [note] if note else []
        return ladders, columns, notes

    def _mask_part(self, job: MaskingJob) -> Masking:
        table, names = job.microdata, job.names
        given = hierarchies_of("Generalisation", self.hierarchies, job.schema, table)
        ladders, columns, notes = self._ladders(table, names)
        models = self._all_models()
        demands = [demand for model in models for demand in model.demands(names)]
        people = self._population(models, names, given)
        sensitive = self._sensitive(table, demands, given)
        n = len(table)
        limit, stays = int(self.suppression * n + 1e-9), self.suppressed == "generalised"
        search = self._search(ladders, columns, people, demands, sensitive, models, limit, np.arange(n), stays=stays)
        best = search.run(*self._allowance(), label=self.name)
        if best is None:
            # Which model no class keeps, at any step, is worth more than that none keeps all of them.
            hopeless = [
                repr(model)
                for model in models
                if self._search(
                    ladders, columns, people, model.demands(names), sensitive, [model], n, np.arange(n), stays=False
                ).nearest_miss(2_000) is None
            ]  # fmt: skip
            raise self._unmet(search, n, limit, hopeless)
        for model in models:
            if isinstance(model, Profitability):
                game = self._search(
                    ladders, columns, people, demands, sensitive, models, n, np.arange(n), stays=stays,
                    objective="payout",
                )  # fmt: skip
                notes.append(_payout_told(model, game.judged(best.levels), n))
        steps = np.tile(np.array([best.levels[name] for name in names], dtype=np.int64), (n, 1))
        lost, rounds, value = best.suppressed.copy(), 1, best.value
        if self.local:
            steps, lost, rounds = self._recode_locally(
                steps, lost, ladders, columns, people, demands, sensitive, models, names
            )
            if stays and lost.any():
                promised = ModelPromises(self.name, table, names, sensitive, np.zeros(n, dtype=np.bool_))
                promises = (
                    *self.guarantees(job.schema, names),
                    *promised.of(models, ladders, people, best.levels),
                )
                others = {name: table.column(name).to_pylist() for name in sensitive}
                lost = JoinedClasses(ladders, columns, others, promises).settle(steps, lost, best.suppressed)
            costs = record_costs(ladders, columns, steps, self.objective, self.importance or {})
            value = float(np.where(lost, 1.0, costs).mean())
        masking = self._released(job, ladders, columns, steps, lost, best, value, rounds, notes, limit)
        promised = ModelPromises(self.name, table, names, sensitive, lost & (not stays))
        return replace(masking, promises=promised.of(models, ladders, people, best.levels))

    def _allowance(self) -> tuple[int, float | None]:
        seconds = check_budget("Generalisation", self.budget)
        return (int(self.budget), None) if seconds is None else (1 << 60, seconds)

    def _search(
        self,
        ladders: Mapping[str, NamedLadder],
        columns: Mapping[str, IntArray],
        people: Mapping[str, IntArray],
        demands: Sequence[Demand],
        sensitive: Mapping[str, SensitiveColumn],
        models: Sequence[PrivacyModel],
        limit: int,
        rows: IntArray,
        *,
        stays: bool,
        objective: str | None = None,
    ) -> LatticeSearch:
        keys = [KeyLadder(n, columns[n][rows], ladders[n].groups, people.get(n)) for n in ladders]
        n = next(iter(columns.values())).size
        steadfast = all(model.steadfast for model in models)
        without = limit == 0 and all(model.monotone for model in models)
        return LatticeSearch(
            keys,
            demands,
            {
                name: replace(
                    column, codes=column.codes[rows], shares=np.bincount(column.codes, minlength=column.size) / n
                )
                for name, column in sensitive.items()
            },
            objective or self.objective,
            limit,
            stays=stays,
            steadfast=(steadfast and not stays) or without,
            importance=self.importance or {},
            whole=n,
        )

    def _population(
        self,
        models: Sequence[PrivacyModel],
        names: tuple[str, ...],
        given: Mapping[str, Hierarchy],
    ) -> dict[str, IntArray]:
        sources: list[Any] = []
        for model in models:
            source = getattr(model, "population", None)
            if source is not None and not any(source is one or _same_path(source, one) for one in sources):
                sources.append(source)
        tables = [load_people(source) for source in sources]
        if tables and self.suppressed == "generalised":
            raise ParameterError(
                'Generalisation: suppressed must be "dropped" with a model of a population, in which nobody is fully '
                "generalised."
            )
        if len(tables) > 1:
            raise ParameterError(f"Generalisation: models name {len(tables)} populations; there can be one.")
        result: dict[str, IntArray] = {}
        for name in names if tables else ():
            if name not in tables[0].schema:
                raise ParameterError(f"Generalisation: the population has no column {name!r}.")
            if name not in given:
                raise ParameterError(
                    f"Generalisation: {name!r} needs a hierarchy that covers the population.", hint="Add it."
                )
            result[name] = leaves_of("Generalisation: population", tables[0], name, given[name])[1]
        return result

    def _sensitive(
        self, table: Microdata, demands: Sequence[Demand], given: Mapping[str, Hierarchy]
    ) -> dict[str, SensitiveColumn]:
        result: dict[str, SensitiveColumn] = {}
        for demand in demands:
            name = demand.sensitive
            if name is None:
                continue
            # Levels that nobody has are no values: they would make the steps of an ordered distance shorter.
            present, codes = np.unique(level_codes(table, name)[0], return_inverse=True)
            size = int(present.size)
            if demand.kind == CLOSE_ORDERED and not table.schema[name].scale.ordered:
                raise ParameterError(f"Generalisation: {name!r} has no order for the ordered distance.")
            tree = result[name].tree if name in result else None
            if demand.kind == CLOSE_TREE:
                if name not in given:
                    raise ParameterError(f"Generalisation: {name!r} needs a hierarchy for the hierarchical distance.")
                tree = _value_tree(table, name, given[name], codes, size)
            result[name] = SensitiveColumn(codes.astype(np.int64), size, tree)
        return result

    def _unmet(self, search: LatticeSearch, n: int, limit: int, hopeless: Sequence[str]) -> ParameterError:
        """Say that no node keeps the models, and what came nearest."""
        nearest = search.nearest_miss(20_000)
        came = "no node releases any record"
        hint = "Allow more suppression, add a step to the hierarchies, or ask for less."
        if nearest is None and hopeless:
            came += f": by itself, {', '.join(hopeless)} is kept by no class at any step"
            hint = "Ask for less there: neither suppression nor further steps can help."
        if nearest is not None:
            steps = ", ".join(f"{name} {nearest[0][name]}" for name in sorted(nearest[0]))
            came = (
                f"nearest came the steps {steps}, with {nearest[1]} records suppressed, {nearest[1] - limit} too many"
            )
        return ParameterError(
            f"Generalisation: no combination of steps keeps the models with at most {limit} of {n} records "
            f"suppressed; {came}.",
            hint=hint,
        )

    def _recode_locally(
        self,
        steps: IntArray,
        lost: BoolArray,
        ladders: Mapping[str, NamedLadder],
        columns: Mapping[str, IntArray],
        people: Mapping[str, IntArray],
        demands: Sequence[Demand],
        sensitive: Mapping[str, SensitiveColumn],
        models: Sequence[PrivacyModel],
        names: tuple[str, ...],
    ) -> tuple[IntArray, BoolArray, int]:
        """Search the suppressed records by themselves, and those that are left again, while any can be released."""
        if self.objective not in ("loss", "precision"):
            raise ParameterError('Generalisation: local needs objective "loss" or "precision", which add up by record.')
        # A class of all rounds is the union of classes that keep the models, each compared with the whole table: it
        # keeps them too. What is left and stays is none of these, and is judged afterwards. Of a population the same
        # people would be counted in every round.
        if people:
            raise ParameterError("Generalisation: local must be False with a model of a population.")
        rounds = 1
        while lost.any() and rounds < _ROUNDS:
            rows = np.flatnonzero(lost)
            search = self._search(ladders, columns, people, demands, sensitive, models, rows.size, rows, stays=False)
            better = search.run(*self._allowance())
            if better is None or better.suppressed.all():
                break
            kept = rows[~better.suppressed]
            steps[kept] = [better.levels[name] for name in names]
            lost[kept] = False
            rounds += 1
        return steps, lost, rounds

    # ----------------------------------------------------------------------------------------------------- release

    def _released(
        self,
        job: MaskingJob,
        ladders: Mapping[str, NamedLadder],
        columns: Mapping[str, IntArray],
        steps: IntArray,
        lost: BoolArray,
        best: SearchOutcome,
        value: float,
        rounds: int,
        notes: Sequence[str],
        limit: int,
    ) -> Masking:
        names, n = job.names, lost.size
        stays = self.suppressed == "generalised"
        values: dict[str, Any] = {}
        declared, transitions = [], {}
        shown = np.zeros((n, len(names)), dtype=np.int64)
        for a, name in enumerate(names):
            ladder, codes = ladders[name], columns[name]
            attribute = job.schema[name]
            chosen = np.unique(steps[~lost, a])
            step = int(chosen[0]) if chosen.size else 0
            plain = chosen.size == 1 and not (stays and lost.any())
            if plain and step == 0:
                values[name] = job.microdata.encoded(name)
                shown[:, a] = codes
                continue
            if plain and isinstance(attribute.scale, Categorical):
                change = recode(attribute, self._targets(attribute.scale.levels, ladder, step))
                values[name] = change.table[job.microdata.encoded(name)]
                declared += [change.attribute] if change.attribute is not None else []
                transitions[name] = change.transitions
                shown[:, a] = values[name]
                continue
            texts = np.array([[str(row[s]) for row in ladder.rows] for s in range(ladder.height + 1)], dtype=object)
            cells = texts[steps[:, a], np.maximum(codes, 0)]
            if stays:
                cells[lost] = ladder.top
            absent = (codes < 0) & ~(lost & stays)
            levels = list(dict.fromkeys(text for row in texts for text in row if text in set(cells[~absent])))
            levels += [ladder.top] if ladder.top not in levels and (lost.any() and stays) else []
            place = {text: number for number, text in enumerate(levels)}
            values[name] = np.array([-1 if gone else place[c] for c, gone in zip(cells, absent, strict=True)], np.int32)
            missing = tuple(code for code in attribute.missing if str(code) not in levels)
            declared.append(replace(attribute, scale=Nominal(tuple(levels) or (STAR,)), missing=missing))
            shown[:, a] = values[name]
        details: Json = {
            "steps": {name: best.levels[name] for name in names},
            "objective": self.objective,
            "value": value,
            "suppressed": int(lost.sum()),
            "suppression_limit": limit,
            "nodes": best.nodes,
            "visited": best.visited,
            "within_limit": best.feasible,
            "bounded": best.bounded,
            "hopeless": best.hopeless,
            "proof": "optimal" if best.finished else "best found",
        }
        proof = (
            f"No other steps give a lower {self.objective} within the limit: all {best.nodes} combinations were looked "
            "at or ruled out."
            if best.finished
            else f"The search ended early: {best.visited} of {best.nodes} combinations were looked at. No combination "
            f"gives a {self.objective} below {best.bound:.6g}; this one has {best.value:.6g}."
        )
        if limit and any(model.of_file for model in self._all_models()):
            proof += (
                " Of each the smallest classes were suppressed, as few records as a model of the whole release needs; "
                "that no other classes would cost less is not proven."
            )
        if limit and stays:
            proof += (
                " Of each the smallest classes joined the suppressed records until these kept the models; that no "
                "other classes would cost less is not proven."
            )
        if not best.finished:
            details |= {"bound": best.bound, "gap": best.value - best.bound}
        if self.local:
            details |= {"rounds": rounds, "proof": "best found"}
            proof = (
                f"Suppressed records got steps of their own in {rounds - 1} further rounds, which is not proven best."
            )
        taken_steps = ", ".join(f"{name} {best.levels[name]} of {ladders[name].height}" for name in names)
        told = f"Steps of the hierarchies: {taken_steps}; {self.objective} {value:.6g}."
        fate = "stay, fully generalised" if stays else "are left out"
        taken = f"{int(lost.sum())} of {n} records are suppressed and {fate}; at most {limit} were allowed."
        rows = None
        labels = np.unique(shown, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
        if not stays:
            details["records_dropped"] = int(lost.sum())
            rows = np.flatnonzero(~lost) if lost.any() else None
            labels = np.unique(labels[~lost], return_inverse=True)[1].ravel().astype(np.int64)
        return Masking(
            values,
            labels=labels,
            transitions=transitions,
            attributes=tuple(declared),
            rows=rows,
            details=details,
            notes=(*notes, told, *([taken] if lost.any() else []), proof),
        )

    @staticmethod
    def _targets(levels: Sequence[Level], ladder: NamedLadder, step: int) -> list[Level]:
        """Return where each declared level goes; one that no record has, to the top."""
        by_text = {str(row[0]): row[step] for row in ladder.rows}
        return [by_text.get(str(level), ladder.rows[0][-1]) for level in levels]


def _payout_told(model: Profitability, judged: tuple[float, BoolArray] | None, n: int) -> str:
    assert judged is not None  # noqa: S101 - the search found the node within a tighter limit
    most = model.benefit * n
    return (
        f"Expected payout {most * (1.0 - judged[0]):,.6g} of at most {most:,.6g}; an attack pays where fewer than "
        f"{model.gain / model.cost:.6g} share the keys."
    )


def _same_path(one: Any, other: Any) -> bool:
    return not isinstance(one, Microdata) and not isinstance(other, Microdata) and str(one) == str(other)


def _value_tree(table: Microdata, name: str, hierarchy: Hierarchy, codes: IntArray, size: int) -> IntArray:
    """Return the group of every confidential value at every step below the one that joins all."""
    ladder, leaves, _ = leaves_of("Generalisation", table, name, hierarchy)
    leaf_of = np.full(size, -1, dtype=np.int64)
    leaf_of[codes] = leaves
    steps = ladder.groups if ladder.groups[-1].max() > 0 else ladder.groups[:-1]
    tree = np.empty((len(steps), size), dtype=np.int64)
    for step, groups in enumerate(steps):
        # A missing value is a branch of its own.
        marks = [int(groups[leaf]) if leaf >= 0 else -1 - value for value, leaf in enumerate(leaf_of.tolist())]
        numbers: dict[int, int] = {}
        tree[step] = [numbers.setdefault(mark, len(numbers)) for mark in marks]
    return tree
