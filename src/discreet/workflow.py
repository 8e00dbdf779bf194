"""One function for each arrow of the sentence: read → declare → mask → attack → measure → score → report.

The command line and the web page call these and nothing else, so that they do the same work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet import catalogue, io
from discreet.base import Engine, Linker, Masker, Measure, aligned
from discreet.engines.local import LocalEngine
from discreet.errors import ParameterError, SchemaError, UnknownNameError
from discreet.evaluation.candidates import grid
from discreet.evaluation.flow import flows
from discreet.evaluation.profile import profile
from discreet.evaluation.score import mean_score
from discreet.evaluation.study import Study, compare
from discreet.inference import Proposal, propose
from discreet.microdata import Microdata, microdata
from discreet.progress import report as report_progress
from discreet.results import Assessment, Links, Masked
from discreet.schema import Schema
from discreet.sequences import declare_sequence
from discreet.typing import Json

__all__ = [
    "assess",
    "attack",
    "check_outputs",
    "compare",
    "demo",
    "describe_methods",
    "inspect",
    "link",
    "list_datasets",
    "load_schema",
    "parse_candidates",
    "parse_parameters",
    "protect",
    "read",
    "read_release",
    "save_schema",
    "shares_attributes",
    "write",
    "write_dataset",
    "write_links",
    "write_report",
    "write_study",
]


def load_schema(schema: Schema | str | os.PathLike[str] | None) -> Schema | None:
    """Return a schema from itself, from a TOML file, or None."""
    return schema if schema is None or isinstance(schema, Schema) else Schema.load(schema)


def read(
    path: str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sequence: str | None = None,
) -> Microdata:
    """Read a file and join it with its schema.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``.
    schema : Schema or path of a TOML file, optional
        Without it, the inferred proposal is taken: look at it with :func:`inspect` first.
    delimiter, encoding : str, optional
        For text files; the delimiter is found by itself, the encoding is UTF-8 unless said otherwise.
    sequence : str, optional
        A column to take as a key that is a sequence of events, unless the schema declares it as one.

    Returns
    -------
    Microdata
    """
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding)
    declared = load_schema(schema)
    if declared is None:
        proposed = Microdata(table, propose(table).schema, origin=origin)
        return proposed if sequence is None else declare_sequence(proposed, sequence)
    if sequence is not None and not declared.of_scale("sequence", among=[sequence]):
        return declare_sequence(Microdata(table, declared, origin=origin), sequence).validate()
    return Microdata(table, declared, origin=origin).validate()


def read_release(
    path: str | os.PathLike[str], original: Microdata, *, delimiter: str | None = None, encoding: str | None = None
) -> Microdata:
    """Read a released file with the schema of its original; identifiers may be absent from it."""
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding)
    extra = [name for name in table.column_names if name not in original.schema]
    if extra:
        raise SchemaError(f"The release has {len(extra)} columns that the original lacks, the first {extra[0]!r}.")
    schema = original.schema.select(table.column_names)
    release = Microdata(table, schema, origin=origin)
    aligned(original, release)
    return release


def inspect(source: Any, *, delimiter: str | None = None, encoding: str | None = None) -> Proposal:
    """Propose a schema for a file or a table, with the reason for every choice.

    Parameters
    ----------
    source : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
    """
    if isinstance(source, (str, os.PathLike)):
        source, _ = io.read_table(source, delimiter=delimiter, encoding=encoding)
    if isinstance(source, Microdata):
        source = source.to_native()
    return propose(source)


def save_schema(schema: Schema, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a schema as a TOML file, whole or not at all."""
    io.write_text(path, schema.to_toml(), inputs)


def parse_parameters(contract: str, name: str, given: dict[str, str]) -> dict[str, Any]:
    """Read parameters that a user typed as text, by the constraints of the method they are for."""
    cls = catalogue.method(contract, name)
    known = cls.parameter_names()
    result = {}
    for key, text in given.items():
        if key == "random_state" and key not in known:
            continue  # a method without draws gives the same file for every seed
        if key not in known:
            raise ParameterError(f"{cls.__name__}: there is no parameter {key!r}.", hint=f"It has {', '.join(known)}.")
        constraint = cls.parameters.get(key)
        try:
            result[key] = text if constraint is None else constraint.parse(text)
        except ValueError:
            raise ParameterError(
                f"{cls.__name__}: {key} must be {constraint.describe() if constraint else 'text'}; got {text!r}."
            ) from None
    return result


def protect(
    data: Any,
    method: str | Masker = "mdav",
    *,
    schema: Schema | None = None,
    engine: Engine | None = None,
    **parameters: Any,
) -> Masked:
    """Mask a table with one method.

    Parameters
    ----------
    data : Microdata or frame
    method : str or Masker
        A registered name (``discreet.catalogue.maskers()``) with its `parameters`, or a masker that has them already.
    schema : Schema, optional
        For a plain frame.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> protect(business(100), "mdav", k=4)
    Masked(100 records by mdav: EMPLOYEES, TURNOVER, ..., RESEARCH)
    """
    masker = method if isinstance(method, Masker) else catalogue.method("masker", method)(**parameters)
    return masker.mask(data, schema, engine=engine or LocalEngine())


def attack(
    original: Any, masked: Any, linker: str | Linker = "distance", *, engine: Engine | None = None, **parameters: Any
) -> Links:
    """Link a release back to the original, as an intruder who holds the original keys would."""
    method = linker if isinstance(linker, Linker) else catalogue.method("linker", linker)(**parameters)
    return method.link(original, masked, engine=engine or LocalEngine())


def link(
    a: Any, b: Any, linker: str | Linker = "probabilistic", *, engine: Engine | None = None, **parameters: Any
) -> Links:
    """Link two files of any size and coverage: for every record of `b`, whom it belongs to in `a`."""
    return attack(a, b, linker, engine=engine, **parameters)


def write_links(links: Links, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write links as a table: positions, scores and ties, no values."""
    io.write_frame(links.to_frame(), path, inputs)


def assess(
    original: Any,
    masked: Any,
    *,
    schema: Schema | None = None,
    measures: Sequence[str | Measure] | None = None,
    engine: Engine | None = None,
) -> Assessment:
    """Measure what a release risks and what it lost, and score it.

    Parameters
    ----------
    original : Microdata or frame
    masked : Masked, Microdata or frame
        The same records in the same order.
    schema : Schema, optional
        For plain frames.
    measures : list of str or Measure, optional
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`).

    Returns
    -------
    Assessment
    """
    before, after = aligned(original, masked, schema)
    release = masked if isinstance(masked, Masked) else after
    if isinstance(release, Masked) and release.provenance.rows is not None:
        # The original is in the release's order now; it must not be put into that order a second time.
        release = replace(release, provenance=replace(release.provenance, rows=None))
    if not before.schema.keys:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know.',
        )
    chosen: list[Measure] = []
    for item in measures if measures is not None else list(catalogue.measures()):
        measure = item if isinstance(item, Measure) else catalogue.method("measure", item)()
        if measures is not None or (measure.default and measure.applies_to(before.schema, after.schema)):
            chosen.append(measure)
    results = []
    for done, measure in enumerate(chosen):
        report_progress("measuring", done, len(chosen))
        results.append(measure.measure(before, release, engine=engine or LocalEngine()))
    report_progress("measuring", len(chosen), len(chosen))
    return Assessment(len(before), before.schema.keys, tuple(results), mean_score(results))


def check_outputs(paths: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse paths that could not be written, before any work is done."""
    for path in paths:
        io.check_target(path, inputs)


def write(
    masked: Masked | Microdata, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Write a table by the ending of the path: whole or not at all, and never over an input.

    The file that the table was read from counts as an input without being named.
    """
    table = masked.microdata if isinstance(masked, Masked) else masked
    sources = [*inputs, *([table.origin["path"]] if "path" in table.origin else [])]
    io.write_table(table, path, sources)


def write_report(
    original: Any,
    masked: Masked,
    assessment: Assessment,
    *,
    html: str | os.PathLike[str] | None = None,
    json: str | os.PathLike[str] | None = None,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Write the internal report: a self-contained page for people, JSON for machines, or both."""
    from discreet.report.page import render_html, render_json

    before, after = microdata(original), masked.microdata
    pages: list[tuple[str | os.PathLike[str], str]] = []
    if html is not None:
        drawn = (profile(before, after), before.schema, flows(before, after))
        pages.append((html, render_html(masked.provenance, assessment, *drawn)))
    if json is not None:
        pages.append((json, render_json(masked.provenance, assessment)))
    for path, _ in pages:
        io.check_target(path, inputs)
    for path, text in pages:
        io.write_text(path, text, inputs)


def demo(folder: str | os.PathLike[str], n: int = 2000, k: int = 5) -> tuple[Masked, Assessment, dict[str, Path]]:
    """Protect, attack and score the bundled housing survey; write the files of a real release into `folder`.

    The intruder of the demonstration knows the three amounts; everything else is confidential.
    """
    from discreet.datasets import housing

    survey = housing(n)
    roles = dict.fromkeys(survey.schema.of_scale("ordinal", "nominal", among=survey.schema.keys), "confidential")
    survey = Microdata(survey.to_native(), survey.schema.with_roles(**roles))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = {
        "original": target / "housing.csv",
        "schema": target / "housing.toml",
        "masked": target / "housing-masked.csv",
        "json": target / "assessment.json",
        "report": target / "report.html",
    }
    write(survey, paths["original"])
    save_schema(survey.schema, paths["schema"])
    original = read(paths["original"], paths["schema"])
    masked = protect(original, "mdav", k=k, random_state=0)
    write(masked, paths["masked"])
    assessment = assess(original, masked)
    write_report(original, masked, assessment, html=paths["report"], json=paths["json"])
    return masked, assessment, paths


def describe_methods(only: str | None = None) -> Json:
    """Return every method with its parameters and what each may be: what help texts and web controls are made of.

    Parameters
    ----------
    only : str, optional
        One method's name, in whichever contract it is registered.
    """
    result: Json = {}
    for contract, methods in (
        ("maskers", catalogue.maskers()),
        ("linkers", catalogue.linkers()),
        ("measures", catalogue.measures()),
    ):
        chosen = {name: _described(cls) for name, cls in methods.items() if only in (None, name)}
        if chosen or only is None:
            result[contract] = chosen
    if not result:
        raise UnknownNameError(f"There is no method named {only!r}.", hint="`discreet methods` lists them all.")
    return result


def _described(cls: type[Any]) -> Json:
    signature = cls._signature()
    return {
        "class": cls.__name__,
        "summary": " ".join((cls.__doc__ or "").strip().split("\n\n", 1)[0].split()),
        "scales": sorted(cls.scales),
        "parameters": {name: cls.parameters[name].describe() for name in signature if name in cls.parameters},
        "defaults": {name: _json_default(signature[name].default) for name in signature},
    }


def _json_default(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def list_datasets() -> dict[str, str]:
    """Return the bundled data sets, each with one sentence."""
    from discreet.datasets import DATASETS

    return {name: (function.__doc__ or "").strip().split("\n", 1)[0] for name, function in DATASETS.items()}


def write_dataset(name: str, path: str | os.PathLike[str], *, n: int = 1000, random_state: int = 0) -> Path:
    """Write a bundled data set, and its schema as TOML beside it; return the schema's path."""
    from discreet.datasets import DATASETS

    if name not in DATASETS:
        raise UnknownNameError(f"There is no data set named {name!r}.", hint=f"Known: {', '.join(DATASETS)}.")
    schema_path = Path(path).with_suffix(".toml")
    io.check_target(schema_path, [path])
    data = DATASETS[name](n, random_state)
    write(data, path)
    save_schema(data.schema, schema_path, [path])
    return schema_path


def shares_attributes(linker: str) -> bool:
    """Say whether a linker compares attributes that both files have, or finds its way without."""
    return bool(catalogue.method("linker", linker).needs_common_attributes)


def parse_candidates(texts: Sequence[str]) -> list[Masker]:
    """Read candidates of a study as a user types them.

    Examples
    --------
    >>> parse_candidates(["mdav k=3,5", "individual-ranking k=4 sizes=fixed"])
    [MDAV(), MDAV(k=5), IndividualRanking(k=4, sizes='fixed')]
    """
    candidates: list[Masker] = []
    for text in texts:
        name, *pairs = text.split()
        lists: dict[str, list[Any]] = {}
        for pair in pairs:
            key, equals, values = pair.partition("=")
            if not equals:
                raise ParameterError(f"A candidate is written 'mdav k=3,5,10'; got {text!r}.")
            lists[key] = [parse_parameters("masker", name, {key: value})[key] for value in values.split(",")]
        candidates += grid(catalogue.method("masker", name), **lists)
    return candidates


def write_study(
    study: Study,
    *,
    table: str | os.PathLike[str] | None = None,
    picture: str | os.PathLike[str] | None = None,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Write the rows of a study (CSV or Parquet) and its risk–utility map (HTML or SVG)."""
    check_outputs([path for path in (table, picture) if path is not None], inputs)
    if table is not None:
        io.write_frame(study.to_frame(), table, inputs)
    if picture is not None:
        from discreet.report.study_map import map_html, map_svg

        draw = map_svg if Path(picture).suffix.lower() == ".svg" else map_html
        io.write_text(picture, draw(study.ranking(), study.front()), inputs)
