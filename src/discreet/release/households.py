"""Households and several tables: what is shared is masked once, and what joins tables goes on joining them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet import catalogue
from discreet.contracts.masked import Masked
from discreet.contracts.remark import Remark
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.evaluation.advice import advise_tables
from discreet.io.reading import make_folder, read, write, written_together
from discreet.masking.running.units import check_constant, unit_labels
from discreet.masking.withholding.identifiers import renumber_together
from discreet.masking.withholding.pseudonym_key import PseudonymKey
from discreet.masking.withholding.pseudonyms import pseudonyms_together
from discreet.registry import unknown_name
from discreet.release.chain import Chain
from discreet.release.protocol_parts import Step

__all__ = ["protect_households", "renumber_files", "renumber_keys", "split_households"]


def protect_households(
    persons: Any,
    *,
    household: str,
    household_attributes: Sequence[str],
    household_step: Step | Sequence[Step],
    person_step: Step | Sequence[Step] = (),
    renumber: bool = True,
    schema: Schema | None = None,
    seed: int | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Masked:
    """Mask what households share once for each household, then the rest person by person.

    Parameters
    ----------
    persons : Microdata or frame
        One row a person.
    household : str
        The attribute that says who lives together; a person without one is a household alone.
    household_attributes : list of str
        What the members of a household share; it must be the same for all of them, and is so in the release.
    household_step : Step or sequence of Step
        How these are masked. Groups hold at least k households.
    person_step : Step or sequence of Step
        How the others are masked; a step that names no attributes masks every other key on its scales.
    renumber : bool
        Whether `household` is released as a fresh number; otherwise it is left out where it is an identifier.
    schema : Schema, optional
        For a plain frame.
    seed : int, optional
    folder : path, optional
        Where files that a step names are looked for.

    Raises
    ------
    DataError
        An attribute differs within households; the message counts them.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute
    >>> home = Attribute("home", Nominal(("",)), "identifier")
    >>> schema = Schema([home, Attribute("rent", Numeric(), "key"), Attribute("age", Numeric(), "key")])
    >>> people = pl.DataFrame({"home": list("aabbc"), "rent": [4.0, 4, 6, 6, 8], "age": [31.0, 4, 60, 62, 35]})
    >>> masked = protect_households(
    ...     people,
    ...     household="home",
    ...     household_attributes=["rent"],
    ...     household_step=Step("mdav", {"k": 3}),
    ...     schema=schema,
    ... )
    >>> masked.to_native()["rent"].to_list()
    [6.0, 6.0, 6.0, 6.0, 6.0]
    """
    table = microdata(persons, schema)
    shared = list(household_attributes)
    if not shared:
        raise ParameterError("protect_households: household_attributes must name at least one attribute.")
    for name in (household, *shared):
        table.schema[name]
    if household in shared:
        raise ParameterError("protect_households: household says who belongs together; it cannot be masked too.")
    labels = unit_labels(table, household)
    check_constant(table, labels, tuple(shared), household)
    steps = [_among(step, table.schema, shared, household) for step in _listed(household_step)]
    others = [name for name in table.schema.keys if name not in shared and name != household]
    steps += [_among(step, table.schema, others, None) for step in _listed(person_step)]
    if renumber:
        steps.append(Step("identifiers", {"renumber": [household]}))
    return Chain(steps, seed, folder=folder).mask(table)


def _listed(steps: Step | Sequence[Step]) -> list[Step]:
    return [steps] if isinstance(steps, Step) else list(steps)


def _among(step: Step, schema: Schema, names: list[str], unit: str | None) -> Step:
    """Return a step that masks nothing outside `names`."""
    attributes = step.parameters.get("attributes")
    if attributes is not None:
        strangers = [name for name in attributes if name not in names]
        if strangers:
            kind = "not shared by households" if unit else "masked once a household"
            raise ParameterError(f"protect_households: the step {step.method} names {strangers[0]!r}, which is {kind}.")
    cls = catalogue.method("masker", step.method)
    parameters = dict(step.parameters)
    if attributes is None and "attributes" in cls.parameter_names():
        fitting = schema.of_scale(*cls.scales, among=names)
        if not fitting:
            whose = "households" if unit else "persons"
            raise ParameterError(f"protect_households: the step {step.method} finds nothing of {whose} to mask.")
        parameters["attributes"] = list(fitting)
    return replace(step, parameters=parameters, unit=unit)


def split_households(persons: Microdata, household: str, household_attributes: Sequence[str]) -> dict[str, Microdata]:
    """Split a table of persons into one of households and one of persons, joined by `household`.

    Raises
    ------
    DataError
        An attribute differs within households, or persons have no household.
    """
    labels = unit_labels(persons, household)
    without = int(persons.missing(household).sum())
    if without:
        raise DataError(f"Column {household!r}: {without} of {len(persons)} persons have no household.")
    check_constant(persons, labels, tuple(household_attributes), household)
    first = np.unique(labels, return_index=True)[1]
    shared = {household, *household_attributes}
    rest = [name for name in persons.names if name == household or name not in shared]
    return {"households": persons.select(shared).take(first), "persons": persons.select(rest)}


def renumber_keys(
    tables: Mapping[str, Microdata], on: str | Mapping[str, str], seed: int | None = None
) -> dict[str, Microdata]:
    """Give an identifier that joins several tables fresh numbers, by one mapping for all of them.

    Parameters
    ----------
    tables : mapping of str to Microdata
    on : str or mapping of str to str
        The column, or for each table its column; a table without it is left alone.
    seed : int, optional
        Where the numbers are drawn from; another one each time by default. The mapping is kept nowhere.

    Returns
    -------
    dict of str to Microdata
        Records that could be joined before can be joined after, and no others.
    """
    columns = {name: on for name, table in tables.items() if on in table.schema} if isinstance(on, str) else dict(on)
    for name, column in columns.items():
        if name not in tables:
            raise unknown_name("table", name, tables, error=SchemaError)
        tables[name].schema[column]
    if not columns:
        raise SchemaError(f"None of the {len(tables)} tables has a column {on!r}.")
    return renumber_together(tables, columns, seed)


def renumber_files(
    paths: Sequence[str | os.PathLike[str]],
    on: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    seed: int | None = None,
    key: str | os.PathLike[str] | None = None,
    domain: str | None = None,
    reversible: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    remarks: list[Remark] | None = None,
    **layout: Any,
) -> dict[str, Path]:
    """Give an identifier that joins several files fresh numbers, or pseudonyms, and write copies into `folder`.

    Parameters
    ----------
    paths : sequence of path
    on : sequence of str
        The column that joins them, or one for each file in their order.
    folder : path
        Made where it does not exist. Nothing but the column is changed in the copies, which keep their names.
    seed : int, optional
        As for :func:`renumber_keys`.
    key : path, optional
        A key file: then the identifier is exchanged for pseudonyms, which are the same in every delivery.
    domain : str, optional
        With a key, of what kind the identifiers are; by default the name of the first column.
    reversible : bool
        With a key, whether who holds it can turn pseudonyms back.
    remarks : list, optional
        What is weak about the copies is added to it: other columns that look like identifiers stay as they are.
    """
    sources = [Path(path) for path in paths]
    target = Path(folder)
    if len(on) not in (1, len(sources)):
        raise ParameterError(f"renumber: name one column for all files, or one for each of {len(sources)}.")
    if len({source.name for source in sources}) < len(sources):
        raise ParameterError("renumber: two files have the same name.", hint="The copies keep their names.")
    columns = list(on) * len(sources) if len(on) == 1 else list(on)
    outputs = {source.name: target / source.name for source in sources}
    options = {"delimiter": delimiter, "encoding": encoding, **layout}
    tables = {source.name: read(source, **options) for source in sources}
    by_file = {source.name: column for source, column in zip(sources, columns, strict=True)}
    if key is None:
        if domain is not None or reversible:
            raise ParameterError("renumber: domain and reversible are of pseudonyms, which need a key.")
        renumbered = renumber_keys(tables, by_file, seed)
    else:
        if seed is not None:
            raise ParameterError("renumber: pseudonyms follow from the key; they have no seed.")
        renumbered = pseudonyms_together(
            tables, by_file, PseudonymKey.load(key), domain or columns[0], reversible=reversible
        )
        sources.append(Path(key))  # never written over either
    make_folder(target)
    with written_together(outputs.values(), sources):
        for name, path in outputs.items():
            write(renumbered[name], path, sources)
    if remarks is not None:
        remarks += advise_tables(renumbered, by_file)
    return outputs
