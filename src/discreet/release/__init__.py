"""From a protocol to a folder: the parts of a protocol, households, manifests, approvals.

The verbs that most people need stand in the package itself: :func:`discreet.propose`, :func:`discreet.run`,
:func:`discreet.check`.
"""

from __future__ import annotations

from discreet.evaluation.thresholds import verify
from discreet.release.approval import Approval, approve, check_approvals
from discreet.release.households import protect_households, renumber_keys, split_households
from discreet.release.manifest import write_manifest
from discreet.release.protocol_parts import Source, Step
from discreet.release.several_tables import Tables

__all__ = [
    "Approval",
    "Source",
    "Step",
    "Tables",
    "approve",
    "check_approvals",
    "protect_households",
    "renumber_keys",
    "split_households",
    "verify",
    "write_manifest",
]
