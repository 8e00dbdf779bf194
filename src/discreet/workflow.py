"""One function for each arrow of the sentence: read → declare → mask → attack → measure → score → report.

The command line and the web page call these and nothing else, so that they do the same work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from discreet.errors import ParameterError, door, wrong_type

if TYPE_CHECKING:
    from discreet.catalogue import (
        describe_methods,
        describe_operators,
        operator_parameter,
        parse_measure,
        parse_parameters,
        refuse_unshared,
        shares_attributes,
    )
    from discreet.contracts.assessment import Verdict
    from discreet.contracts.engine import Engine, TableEngine
    from discreet.contracts.file_risk import FileRisk
    from discreet.contracts.intruder import Intruder
    from discreet.contracts.proof import Certificate
    from discreet.contracts.remark import Remark
    from discreet.contracts.withholding_proof import RecodingCertificate, SuppressionCertificate
    from discreet.data.microdata import Microdata
    from discreet.data.schema import ROLES, Schema
    from discreet.data.spared_pandas import spare_pandas
    from discreet.data.survey import Declaration
    from discreet.datasets.listing import list_datasets
    from discreet.evaluation.advice import advise, advise_study, advise_tables
    from discreet.evaluation.assessing import assess, attack, link, measure, protect
    from discreet.evaluation.candidates import parse_attribute_sets, parse_candidates
    from discreet.evaluation.further_linkers import emptied, knows_masking
    from discreet.evaluation.joint_attack import attack_together
    from discreet.evaluation.loss_intervals import loss_intervals
    from discreet.evaluation.objective import privacy_utility
    from discreet.evaluation.row_store import check_store
    from discreet.evaluation.study import compare
    from discreet.evaluation.table_correction import correct_table
    from discreet.evaluation.thresholds import verify
    from discreet.evaluation.told_masking import told
    from discreet.evaluation.tuning import tune
    from discreet.io.packing import ending_of
    from discreet.io.reading import (
        check_outputs,
        files_named,
        inspect,
        load_schema,
        read,
        read_release,
        readable_endings,
        save_schema,
        scan,
        scan_release,
        writable_endings,
        write,
        write_hierarchy,
        write_links,
        written_together,
    )
    from discreet.io.stored_csv import is_text
    from discreet.io.stored_parquet import is_large
    from discreet.kept_catalogue import kept_methods, kept_operators
    from discreet.linkage.unshared.variables import match_variables
    from discreet.masking.recoding.hierarchy import Hierarchy, read_hierarchy
    from discreet.masking.recoding.hierarchy_of_column import build_hierarchy, lists_values
    from discreet.masking.withholding.pseudonym_key import new_key
    from discreet.release.alternatives import OpenProtocol, chains, parse_chains
    from discreet.release.approval import approve, check_approvals, unapproved_files
    from discreet.release.chain import Chain, masker_for
    from discreet.release.demo import demo, write_dataset
    from discreet.release.guided import survey
    from discreet.release.households import protect_households, renumber_files, renumber_keys, split_households
    from discreet.release.importing import import_protocol, save_imported
    from discreet.release.manifest import check_manifest, find_manifest, write_manifest
    from discreet.release.masking_source import masking_of, told_release
    from discreet.release.proposal import propose
    from discreet.release.protocol import Protocol
    from discreet.release.protocol_advice import advise_protocol
    from discreet.release.protocol_parts import Source, Step
    from discreet.release.pseudonym_files import reveal_file
    from discreet.release.recoding_steps import recode_steps, recoded_masker
    from discreet.release.running import Run, load_protocol, save_protocol
    from discreet.release.running_tables import TablesRun
    from discreet.release.script import protect_script
    from discreet.release.several_tables import Tables
    from discreet.release.stored_run import StoredRun, stored_release
    from discreet.release.tuned_protocol import TunedProtocol, tune_protocol
    from discreet.release.warming import warm
    from discreet.release.writing import write_report, write_risk, write_study
    from discreet.reproduction.printed import PaperComparison
    from discreet.statistics.question import MOST_AT_ONCE

__all__ = [
    "MOST_AT_ONCE",
    "ROLES",
    "Chain",
    "Declaration",
    "Hierarchy",
    "Intruder",
    "OpenProtocol",
    "Protocol",
    "Remark",
    "Run",
    "Schema",
    "Source",
    "Step",
    "StoredRun",
    "Tables",
    "TablesRun",
    "TunedProtocol",
    "advise",
    "advise_protocol",
    "advise_study",
    "advise_tables",
    "approve",
    "assess",
    "attack",
    "attack_together",
    "build_hierarchy",
    "certify",
    "chains",
    "check",
    "check_approvals",
    "check_manifest",
    "check_outputs",
    "check_store",
    "compare",
    "compare_papers",
    "correct_table",
    "data_of",
    "demo",
    "describe_methods",
    "describe_operators",
    "emptied",
    "ending_of",
    "engine_named",
    "files_named",
    "find_manifest",
    "import_protocol",
    "inspect",
    "is_large",
    "is_text",
    "kept_methods",
    "kept_operators",
    "knows_masking",
    "link",
    "list_datasets",
    "lists_values",
    "load_protocol",
    "load_schema",
    "loss_intervals",
    "masker_for",
    "masking_of",
    "match_variables",
    "measure",
    "new_key",
    "operator_parameter",
    "paper_files",
    "parse_attribute_sets",
    "parse_candidates",
    "parse_chains",
    "parse_measure",
    "parse_parameters",
    "privacy_utility",
    "propose",
    "protect",
    "protect_households",
    "protect_script",
    "read",
    "read_hierarchy",
    "read_release",
    "readable_endings",
    "recode_steps",
    "recoded_masker",
    "refuse_unshared",
    "renumber_files",
    "renumber_keys",
    "reveal_file",
    "risk",
    "run",
    "save_imported",
    "save_protocol",
    "save_schema",
    "scan",
    "scan_release",
    "shares_attributes",
    "spare_pandas",
    "split_households",
    "stored_release",
    "survey",
    "told",
    "told_release",
    "tune",
    "tune_protocol",
    "unapproved_files",
    "verify",
    "warm",
    "writable_endings",
    "write",
    "write_dataset",
    "write_hierarchy",
    "write_links",
    "write_manifest",
    "write_papers",
    "write_report",
    "write_risk",
    "write_study",
    "written_together",
]

# Where each of the others is at home: loaded when it is used, so that a command waits for nothing it does not need.
_HOMES = {
    "discreet.catalogue": (
        "describe_methods",
        "describe_operators",
        "operator_parameter",
        "parse_measure",
        "parse_parameters",
        "refuse_unshared",
        "shares_attributes",
    ),
    "discreet.contracts.intruder": ("Intruder",),
    "discreet.contracts.remark": ("Remark",),
    "discreet.data.schema": ("ROLES", "Schema"),
    "discreet.data.spared_pandas": ("spare_pandas",),
    "discreet.data.survey": ("Declaration",),
    "discreet.datasets.listing": ("list_datasets",),
    "discreet.evaluation.advice": ("advise", "advise_study", "advise_tables"),
    "discreet.evaluation.assessing": ("assess", "attack", "link", "measure", "protect"),
    "discreet.evaluation.candidates": ("parse_attribute_sets", "parse_candidates"),
    "discreet.evaluation.further_linkers": ("emptied", "knows_masking"),
    "discreet.evaluation.joint_attack": ("attack_together",),
    "discreet.evaluation.loss_intervals": ("loss_intervals",),
    "discreet.evaluation.objective": ("privacy_utility",),
    "discreet.evaluation.row_store": ("check_store",),
    "discreet.evaluation.study": ("compare",),
    "discreet.evaluation.table_correction": ("correct_table",),
    "discreet.evaluation.thresholds": ("verify",),
    "discreet.evaluation.told_masking": ("told",),
    "discreet.evaluation.tuning": ("tune",),
    "discreet.release.warming": ("warm",),
    "discreet.io.packing": ("ending_of",),
    "discreet.io.reading": (
        "check_outputs",
        "files_named",
        "inspect",
        "load_schema",
        "read",
        "read_release",
        "readable_endings",
        "save_schema",
        "scan",
        "scan_release",
        "writable_endings",
        "write",
        "write_hierarchy",
        "write_links",
        "written_together",
    ),
    "discreet.io.stored_csv": ("is_text",),
    "discreet.io.stored_parquet": ("is_large",),
    "discreet.kept_catalogue": ("kept_methods", "kept_operators"),
    "discreet.linkage.unshared.variables": ("match_variables",),
    "discreet.masking.recoding.hierarchy": ("Hierarchy", "read_hierarchy"),
    "discreet.masking.recoding.hierarchy_of_column": ("build_hierarchy", "lists_values"),
    "discreet.masking.withholding.pseudonym_key": ("new_key",),
    "discreet.release.alternatives": ("OpenProtocol", "chains", "parse_chains"),
    "discreet.release.approval": ("approve", "check_approvals", "unapproved_files"),
    "discreet.release.chain": ("Chain", "masker_for"),
    "discreet.release.demo": ("demo", "write_dataset"),
    "discreet.release.guided": ("survey",),
    "discreet.release.households": ("protect_households", "renumber_files", "renumber_keys", "split_households"),
    "discreet.release.manifest": ("check_manifest", "find_manifest", "write_manifest"),
    "discreet.release.masking_source": ("masking_of", "told_release"),
    "discreet.release.importing": ("import_protocol", "save_imported"),
    "discreet.release.proposal": ("propose",),
    "discreet.release.protocol": ("Protocol",),
    "discreet.release.protocol_advice": ("advise_protocol",),
    "discreet.release.protocol_parts": ("Source", "Step"),
    "discreet.release.pseudonym_files": ("reveal_file",),
    "discreet.release.recoding_steps": ("recode_steps", "recoded_masker"),
    "discreet.release.running": ("Run", "load_protocol", "save_protocol"),
    "discreet.release.running_tables": ("TablesRun",),
    "discreet.release.script": ("protect_script",),
    "discreet.release.several_tables": ("Tables",),
    "discreet.release.stored_run": ("StoredRun", "stored_release"),
    "discreet.release.tuned_protocol": ("TunedProtocol", "tune_protocol"),
    "discreet.release.writing": ("write_report", "write_risk", "write_study"),
    "discreet.statistics.question": ("MOST_AT_ONCE",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


PathLike = str | os.PathLike[str]
Verdicts: TypeAlias = "tuple[Verdict, ...]"


def certify(original: Any, masked: Any, **options: Any) -> Certificate | SuppressionCertificate | RecodingCertificate:
    """Bound any release from below; options as in :func:`discreet.evaluation.certifying.certify`."""
    # Prices are found by compiled code, which a front end that does not ask for a proof must not wait for.
    from discreet.evaluation.certifying import certify as prove

    return prove(original, masked, **options)


def _check_protocol(owner: str, protocol: Any) -> None:
    from discreet.release.protocol import Protocol
    from discreet.release.several_tables import Tables

    if not isinstance(protocol, (Protocol, Tables, str, os.PathLike)):
        raise wrong_type(owner, "protocol must be a Protocol or the path of its file", protocol, "dc.propose(table)")


def risk(data: Any, schema: Schema | None = None, **options: Any) -> FileRisk:
    """Say what one file would risk; options as in :func:`discreet.evaluation.risk_of_file.risk`."""
    # Special uniques are found by compiled code, which a front end that does not ask for them must not wait for.
    from discreet.evaluation.risk_of_file import risk as look

    return look(data, schema, **options)


@contextmanager
def engine_named(name: str, master: str | None = None, workers: int | None = None) -> Iterator[Engine]:
    """Give the engine that a user names, and stop it at the end.

    Parameters
    ----------
    name : {"memory", "streaming", "spark"}
    master : str, optional
        For Spark: ``local[4]``, ``spark://host:7077``, ``yarn``.
    workers : int, optional
        For this machine: the number of threads.
    """
    if master is not None and name != "spark":
        raise ParameterError(f"The engine {name} has no master.", hint="Use --engine spark with --master.")
    from discreet.engines.memory import MemoryEngine
    from discreet.engines.spark import SparkEngine
    from discreet.engines.streaming import StreamingEngine

    if name == "memory":
        yield MemoryEngine(workers)
    elif name == "streaming":
        yield StreamingEngine(workers)
    elif name == "spark":
        with SparkEngine(master or "local[*]") as spark:
            spark.check_master()
            yield spark
    else:
        raise ParameterError(f"engine must be 'memory', 'streaming' or 'spark'; got {name!r}.")


def data_of(protocol: PathLike) -> Path:
    """Return the file that a protocol is for, or the protocol itself where it names none or several."""
    from discreet.release.running import load_protocol
    from discreet.release.running_tables import is_for_tables

    if is_for_tables(protocol):
        return Path(protocol)
    source = load_protocol(protocol).source
    return Path(protocol) if source is None else Path(protocol).parent / source.file


@overload
def run(
    protocol: Protocol,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
    engine: TableEngine,
    block_size: int | None = None,
) -> StoredRun: ...
@overload
def run(
    protocol: Protocol,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
    engine: None = None,
    block_size: int | None = None,
) -> Run: ...
@overload
def run(protocol: Tables, *, folder: PathLike | None = None, before: bool = True) -> TablesRun: ...
@overload
def run(
    protocol: PathLike,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
    engine: Engine | None = None,
    block_size: int | None = None,
) -> Any: ...
def run(
    protocol: Protocol | Tables | PathLike,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
    engine: Engine | None = None,
    block_size: int | None = None,
) -> Run | StoredRun | TablesRun:
    """Read, mask, attack and verify as a protocol says; nothing is written before :meth:`Run.write`.

    Parameters
    ----------
    protocol : Protocol, Tables or path
        For one table or, with [[table]] in its file, for several that belong together.
    original : Microdata, optional
        The one table, where it is at hand already; by default the file that the protocol names.
    folder : path, optional
        Where files that the protocol names are looked for; the folder of its file by default.
    before : bool
        Whether to assess the original too.
    engine : Engine, optional
        One for tables in files (``StreamingEngine``, ``SparkEngine``) runs a Parquet file that may be larger than
        memory; a step that needs all records says so by name.
    block_size : int, optional
        The most records that a step brings together; by default all of a table in memory, 50,000 of one in files.

    Returns
    -------
    Run, StoredRun of a file that is not held in memory, or TablesRun of several tables
    """
    from discreet.contracts.engine import TableEngine
    from discreet.release.protocol import Protocol
    from discreet.release.running import run_protocol
    from discreet.release.running_tables import is_for_tables, run_tables
    from discreet.release.several_tables import Tables
    from discreet.release.stored_run import run_stored

    _check_protocol("run", protocol)
    if isinstance(protocol, Tables) or (not isinstance(protocol, Protocol) and is_for_tables(protocol)):
        if original is not None:
            raise ParameterError("run: original is for one table, and the protocol is for several.")
        if block_size is not None or isinstance(engine, TableEngine):
            raise ParameterError(
                "run: several tables are protected in memory, all records together.",
                hint="Leave engine and block_size out.",
            )
        return run_tables(protocol, folder=folder, before=before)
    if isinstance(engine, TableEngine):
        if original is not None:
            raise ParameterError("run: original is for a table in memory, and the engine for one in files.")
        return run_stored(protocol, engine, folder=folder, before=before, block_size=block_size)
    return run_protocol(protocol, original=original, folder=folder, before=before, block_size=block_size)


@overload
def check(protocol: Protocol, masked: PathLike, *, folder: PathLike | None = None, **layout: Any) -> Verdicts: ...
@overload
def check(protocol: Tables, masked: PathLike, *, folder: PathLike | None = None) -> dict[str, Verdicts]: ...
@overload
def check(protocol: PathLike, masked: PathLike, *, folder: PathLike | None = None, **layout: Any) -> Any: ...
def check(
    protocol: Protocol | Tables | PathLike, masked: PathLike, *, folder: PathLike | None = None, **layout: Any
) -> Verdicts | dict[str, Verdicts]:
    """Verify a release against the thresholds of a protocol; nothing is written.

    Parameters
    ----------
    protocol : Protocol, Tables or path
    masked : path
        The released file; for several tables, the folder where they stand under the names of the protocol.
    folder : path, optional
        Where files that the protocol names are looked for.
    **layout
        How the file is read, as for :func:`read`; for one table.

    Returns
    -------
    tuple of Verdict, or dict of str to tuple of Verdict by table

    See Also
    --------
    discreet.release.checking.check_release : what is taken from the file, and what needs the steps run again.
    """
    from discreet.release.checking import check_release
    from discreet.release.protocol import Protocol
    from discreet.release.running_tables import check_tables, is_for_tables
    from discreet.release.several_tables import Tables

    _check_protocol("check", protocol)
    if not isinstance(masked, (str, os.PathLike)):
        raise wrong_type("check", "masked must be the path of the released file", masked)
    if isinstance(protocol, Tables) or (not isinstance(protocol, Protocol) and is_for_tables(protocol)):
        strange = [name for name, value in layout.items() if value is not None]
        if strange:
            raise ParameterError(f"check: {strange[0]} is for one table, and the protocol is for several.")
        return check_tables(protocol, masked, source=folder)
    return check_release(protocol, masked, folder=folder, **layout)


def compare_papers(
    papers: Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> PaperComparison:
    """Recompute the tables of the papers, all or some by their short names, and compare them with what is printed."""
    from discreet.reproduction import sections

    return sections.compare_papers(papers, full=full, data=data, store=store, resume=resume)


def paper_files(data: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the public files that are at hand."""
    from discreet.reproduction.public_files import PUBLIC, DataFolder

    folder = DataFolder(data)
    return [path for path in map(folder.find, PUBLIC) if path is not None]


def write_papers(comparison: PaperComparison, path: str | os.PathLike[str]) -> None:
    """Write the comparison as one self-contained HTML page."""
    from discreet import io
    from discreet.reproduction.papers_page import render_papers

    io.write_text(path, render_papers(comparison))


def _behind_door(value: Any) -> Any:
    # Every function of the front door keeps the messages of libraries back, whatever it calls.
    return door(value) if isfunction(value) and not hasattr(value, "__wrapped__") else value


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = _behind_door(getattr(import_module(home), name))
    return value


for _name in __all__:
    if _name in globals():
        globals()[_name] = _behind_door(globals()[_name])
