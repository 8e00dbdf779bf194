"""The study: many candidates on one file, side by side."""

from __future__ import annotations

import hashlib
import html
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from discreet import catalogue
from discreet.base import Masker, Measure
from discreet.errors import DataError, ParameterError
from discreet.evaluation.experiment import Experiment, plan, run
from discreet.evaluation.store import RowStore
from discreet.microdata import Microdata, microdata
from discreet.progress import report
from discreet.schema import Schema
from discreet.typing import Json

__all__ = ["Study", "compare"]

_CHUNK = 16
_FEW = 24
"""Studies of so few experiments are run in this process: starting others would take longer."""


@dataclass(frozen=True, repr=False)
class Study:
    """The rows of a study, and the answers in them.

    Attributes
    ----------
    rows : tuple of dict
        One an experiment: method, every parameter, attribute set, seed, every measure, loss, risk, score, seconds,
        error.
    complete : bool
        Whether every planned experiment is there; False after an interrupt.
    """

    rows: tuple[Json, ...]
    complete: bool = True

    def to_frame(self) -> Any:
        """Return the tidy table, one row an experiment, as a Polars frame."""
        import polars as pl

        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        return pl.DataFrame([{name: row.get(name) for name in columns} for row in self.rows], infer_schema_length=None)

    @property
    def failures(self) -> tuple[Json, ...]:
        """The experiments that ended with an error."""
        return tuple(row for row in self.rows if row["error"] is not None)

    def ranking(self, attribute_set: str | None = None) -> list[Json]:
        """Return candidates from best score to worst, each with its mean and spread over seeds and attribute sets."""
        groups: dict[tuple[Any, ...], list[Json]] = {}
        for row in self._done():
            if attribute_set in (None, row["attribute_set"]):
                groups.setdefault(_candidate(row), []).append(row)
        result = []
        for rows in groups.values():
            entry: Json = {"method": rows[0]["method"], "label": rows[0]["candidate"], "experiments": len(rows)}
            for name in ("score", "risk", "loss"):
                values = [row[name] for row in rows]
                mean = sum(values) / len(values)
                entry[name] = mean
                entry[f"{name}_low"], entry[f"{name}_high"] = min(values), max(values)
            result.append(entry)
        return sorted(result, key=lambda entry: (entry["score"], entry["label"]))

    def front(self, attribute_set: str | None = None) -> list[Json]:
        """Return the Pareto front: candidates that no other beats in both risk and loss, from least risk to most."""
        entries = sorted(self.ranking(attribute_set), key=lambda entry: (entry["risk"], entry["loss"]))
        front: list[Json] = []
        for entry in entries:
            if not front or entry["loss"] < front[-1]["loss"]:
                front.append(entry)
        return front

    def best(
        self, *, risk_at_most: float | None = None, loss_at_most: float | None = None, attribute_set: str | None = None
    ) -> Json:
        """Return the candidate to release with.

        With a ceiling on risk, the one that loses least under it; with a ceiling on loss, the one that risks least
        under it; with none, the one with the best score.
        """
        if risk_at_most is not None and loss_at_most is not None:
            raise ParameterError("best: give a ceiling for risk or for loss, not both.")
        entries = self.ranking(attribute_set)
        wanted, ceiling, least = "score", None, ("score", "risk")
        if risk_at_most is not None:
            wanted, ceiling, least = "risk", risk_at_most, ("loss", "risk")
        if loss_at_most is not None:
            wanted, ceiling, least = "loss", loss_at_most, ("risk", "loss")
        allowed = [entry for entry in entries if ceiling is None or entry[wanted] <= ceiling]
        if not allowed:
            lowest = min((entry[wanted] for entry in entries), default=float("nan"))
            raise DataError(f"No candidate has a {wanted} of at most {ceiling:g}; the lowest is {lowest:.2f}.")
        return min(allowed, key=lambda entry: (entry[least[0]], entry[least[1]], entry["label"]))

    def _done(self) -> Iterator[Json]:
        return (row for row in self.rows if row["error"] is None)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        state = "" if self.complete else ", not complete"
        return f"Study({len(self.rows)} experiments{failed}{state})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(e['label'])}</td><td>{e['score']:.2f}</td><td>{e['risk']:.2f}</td>"
            f"<td>{e['loss']:.2f}</td></tr>"
            for e in self.ranking()[:20]
        )
        return (
            f"<p>{html.escape(repr(self))}</p><table><tr><th>candidate</th><th>score</th><th>risk</th><th>loss</th></tr>"
            f"{rows}</table>"
        )


def _candidate(row: Mapping[str, Any]) -> tuple[Any, ...]:
    parameters = tuple(sorted((n, repr(v)) for n, v in row.items() if n.startswith("parameter_")))
    return (row["method"], *parameters)


def compare(
    data: Any,
    candidates: Sequence[Masker],
    *,
    schema: Schema | None = None,
    attribute_sets: Mapping[str, Sequence[str]] | None = None,
    repetitions: int = 1,
    measures: Sequence[str | Measure] | None = None,
    random_state: int = 0,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Study:
    """Mask, attack and measure a table with every candidate, and put the results side by side.

    Parameters
    ----------
    data : Microdata or frame
    candidates : list of Masker
        Written down, or made with :func:`~discreet.evaluation.candidates.grid` and joined with ``+``.
    attribute_sets : mapping of name to list of str, optional
        Which keys the intruder knows and the candidates mask, set by set; by default all keys.
    repetitions : int
        How often a candidate with random draws is run, each time with another seed.
    measures : list of str or Measure, optional
        By default every default measure that applies.
    random_state : int
        From which every experiment's own seed follows; results do not depend on `workers`.
    workers : int, optional
        Processes; by default one a core.
    store : path, optional
        A file in which finished rows are kept as they come. With `resume`, a study that was stopped goes on from there.

    Returns
    -------
    Study
        Also after an interrupt, with the rows that were finished.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.evaluation.candidates import grid
    >>> from discreet.masking.microaggregation.mdav import MDAV
    >>> study = compare(business(60), grid(MDAV, k=[2, 6]), measures=["il1s", "distance-linkage"])
    >>> [entry["label"] for entry in study.front()][-1].startswith("mdav(k=2")
    True
    """
    table = microdata(data, schema)
    _check(candidates, repetitions, random_state)
    sets = attribute_sets if attribute_sets is not None else {"all keys": table.schema.keys}
    for keys in sets.values():
        table.schema.select(keys)
    chosen = _measures(measures, table.schema)
    experiments = plan(candidates, sets, repetitions, random_state)
    with ExitStack() as stack:
        kept: RowStore | None = None
        if store is not None:
            kept = stack.enter_context(RowStore(store, _fingerprint(table, experiments, chosen), resume=resume))
        rows = dict(kept.rows) if kept is not None else {}
        todo = [experiment for experiment in experiments if experiment.number not in rows]

        def keep(finished: list[Json]) -> None:
            rows.update({row["experiment"]: row for row in finished})
            if kept is not None:
                kept.add(finished)
            report("experiments", len(rows), len(experiments))

        report("experiments", len(rows), len(experiments))
        with suppress(KeyboardInterrupt):  # what is finished is the answer
            _run_all(todo, table, chosen, workers, keep)
    return Study(tuple(rows[number] for number in sorted(rows)), complete=len(rows) == len(experiments))


def _check(candidates: Sequence[Masker], repetitions: int, random_state: int) -> None:
    if not candidates or not all(isinstance(candidate, Masker) for candidate in candidates):
        raise ParameterError("compare: candidates must be a list of maskers with at least one in it.")
    if not isinstance(repetitions, int) or repetitions < 1:
        raise ParameterError(f"compare: repetitions must be an integer of at least 1; got {repetitions!r}.")
    if not isinstance(random_state, int) or random_state < 0:
        raise ParameterError(f"compare: random_state must be an integer of at least 0; got {random_state!r}.")


def _measures(names: Sequence[str | Measure] | None, schema: Schema) -> list[Measure]:
    if names is None:
        defaults = [cls() for cls in catalogue.measures().values() if getattr(cls, "default", True)]
        return [measure for measure in defaults if measure.applies_to(schema)]
    return [m if isinstance(m, Measure) else catalogue.method("measure", m)() for m in names]


def _fingerprint(table: Microdata, experiments: Sequence[Experiment], measures: Sequence[Measure]) -> str:
    """Return a name for this study: the same data, plan and measures give the same, and it shows none of them."""
    digest = hashlib.sha256()
    digest.update(table.schema.to_toml().encode())
    for name in table.schema.keys:
        encoded = table.encoded(name)
        for part in encoded if isinstance(encoded, tuple) else (encoded,):
            digest.update(part.tobytes())
    for e in experiments:
        digest.update(repr((e.number, e.masker, e.keys, e.set_name, e.seed)).encode())
    digest.update(repr(measures).encode())
    return digest.hexdigest()


_shared: tuple[Microdata, list[Measure]] | None = None


def _prepare(table: Microdata, measures: list[Measure]) -> None:
    global _shared  # noqa: PLW0603 - a worker process is handed the table once, not with every experiment
    _shared = (table, measures)


def _run_chunk(chunk: list[Experiment]) -> list[Json]:
    if _shared is None:  # pragma: no cover - the pool prepares every worker
        raise RuntimeError
    return [run(experiment, *_shared) for experiment in chunk]


def _run_all(
    todo: list[Experiment],
    table: Microdata,
    measures: list[Measure],
    workers: int | None,
    keep: Callable[[list[Json]], None],
) -> None:
    processes = min(workers or os.cpu_count() or 1, max(1, len(todo) // _FEW))
    if processes <= 1:
        for experiment in todo:
            keep([run(experiment, table, measures)])
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_prepare, initargs=(table, measures))
    chunks = [todo[i : i + _CHUNK] for i in range(0, len(todo), _CHUNK)]
    try:
        pending = {pool.submit(_run_chunk, chunk) for chunk in chunks}
        while pending:
            done, pending = wait(pending, timeout=0.2, return_when="FIRST_COMPLETED")
            for future in done:
                keep(future.result())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
