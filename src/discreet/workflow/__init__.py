"""One function for each arrow of the sentence: read → declare → mask → attack → measure → score → report.

The command line and the web page call these and nothing else, so that they do the same work.
"""

from discreet.evaluation.study import compare
from discreet.workflow.files import (
    check_outputs,
    inspect,
    load_schema,
    read,
    read_release,
    save_schema,
    write,
    write_links,
)
from discreet.workflow.methods import describe_methods, parse_candidates, parse_parameters, shares_attributes
from discreet.workflow.reports import write_report, write_study
from discreet.workflow.samples import demo, list_datasets, write_dataset
from discreet.workflow.steps import assess, attack, link, protect

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
