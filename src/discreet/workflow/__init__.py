"""One function for each arrow of the sentence: read → declare → mask → attack → measure → score → report.

The command line and the web page call these and nothing else, so that they do the same work.
"""

from inspect import isfunction

from discreet.errors import door
from discreet.evaluation.store import check_store
from discreet.evaluation.study import compare
from discreet.protocol import Protocol, Scenario, Source, Step, Tables
from discreet.schema import ROLES, Schema
from discreet.workflow.advice import Advice, advise, advise_protocol, advise_study, advise_tables
from discreet.workflow.certification import certify
from discreet.workflow.chain import apply_steps
from discreet.workflow.checking import check_release
from discreet.workflow.controls import (
    Field,
    Offer,
    offer_linkers,
    offer_maskers,
    read_candidates,
    read_fields,
    suggest_study,
)
from discreet.workflow.desk import Desk, file_identity, readable_endings, stored_study, writable_endings
from discreet.workflow.files import (
    check_outputs,
    files_named,
    inspect,
    load_schema,
    read,
    read_release,
    save_schema,
    write,
    write_links,
    written_together,
)
from discreet.workflow.households import protect_households, renumber_files, renumber_keys, split_households
from discreet.workflow.keeping import pack, unpack
from discreet.workflow.methods import describe_methods, parse_candidates, parse_parameters, shares_attributes
from discreet.workflow.paper_tables import compare_papers, paper_files, write_papers
from discreet.workflow.protocols import (
    Run,
    load_protocol,
    propose_protocol,
    protect_script,
    run_protocol,
    save_protocol,
    write_release,
)
from discreet.workflow.reports import check_manifest, find_manifest, write_manifest, write_report, write_study
from discreet.workflow.samples import demo, list_datasets, write_dataset
from discreet.workflow.scale import MOST_AT_ONCE, assess_files, assess_in_passes, is_large, protect_file
from discreet.workflow.scenarios import assess_scenarios, verify
from discreet.workflow.sessions import (
    Answer,
    Attacked,
    Declared,
    Given,
    History,
    Opened,
    Protected,
    Released,
    RiskNow,
    StudyMap,
    adopt,
    read_protocol,
)
from discreet.workflow.steps import assess, attack, link, measure, protect
from discreet.workflow.studies import parse_attribute_sets, tune
from discreet.workflow.tables import TablesRun, check_tables, is_for_tables, run_tables, write_tables

__all__ = [
    "MOST_AT_ONCE",
    "ROLES",
    "Advice",
    "Answer",
    "Attacked",
    "Declared",
    "Desk",
    "Field",
    "Given",
    "History",
    "Offer",
    "Opened",
    "Protected",
    "Protocol",
    "Released",
    "RiskNow",
    "Run",
    "Scenario",
    "Schema",
    "Source",
    "Step",
    "StudyMap",
    "Tables",
    "TablesRun",
    "adopt",
    "advise",
    "advise_protocol",
    "advise_study",
    "advise_tables",
    "apply_steps",
    "assess",
    "assess_files",
    "assess_in_passes",
    "assess_scenarios",
    "attack",
    "certify",
    "check_manifest",
    "check_outputs",
    "check_release",
    "check_store",
    "check_tables",
    "compare",
    "compare_papers",
    "demo",
    "describe_methods",
    "file_identity",
    "files_named",
    "find_manifest",
    "inspect",
    "is_for_tables",
    "is_large",
    "link",
    "list_datasets",
    "load_protocol",
    "load_schema",
    "measure",
    "offer_linkers",
    "offer_maskers",
    "pack",
    "paper_files",
    "parse_attribute_sets",
    "parse_candidates",
    "parse_parameters",
    "propose_protocol",
    "protect",
    "protect_file",
    "protect_households",
    "protect_script",
    "read",
    "read_candidates",
    "read_fields",
    "read_protocol",
    "read_release",
    "readable_endings",
    "renumber_files",
    "renumber_keys",
    "run_protocol",
    "run_tables",
    "save_protocol",
    "save_schema",
    "shares_attributes",
    "split_households",
    "stored_study",
    "suggest_study",
    "tune",
    "unpack",
    "verify",
    "writable_endings",
    "write",
    "write_dataset",
    "write_links",
    "write_manifest",
    "write_papers",
    "write_release",
    "write_report",
    "write_study",
    "write_tables",
    "written_together",
]

for _name in __all__:
    # Every function of the front door keeps the messages of libraries back, whatever it calls.
    if isfunction(_function := globals()[_name]) and not hasattr(_function, "__wrapped__"):
        globals()[_name] = door(_function)
