"""What is weak about a protocol before it is run."""

from __future__ import annotations

from discreet import catalogue
from discreet.contracts.remark import Remark
from discreet.data.microdata import Microdata
from discreet.evaluation.advice import (
    on_aggregates,
    on_groups,
    on_identifiers,
    on_schema,
    unmasked,
    without_identifiers,
)
from discreet.release.protocol import Protocol

__all__ = ["advise_protocol"]


def advise_protocol(plan: Protocol, original: Microdata | None = None) -> tuple[Remark, ...]:
    """Return what is weak about a protocol before it is run.

    Parameters
    ----------
    plan : Protocol
    original : Microdata, optional
        Looked at for columns that will be released and look like identifiers.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.release.protocol import Protocol
    >>> from discreet.release.protocol_parts import Step
    >>> schema = business(10).schema
    >>> plan = Protocol(schema, [Step("mdav", {"k": 2, "attributes": ["TURNOVER"]})])
    >>> [advice.code for advice in advise_protocol(plan)]
    ['no-confidential', 'small-k', 'key-unmasked']
    """
    remarks = list(on_schema(plan.schema))
    if original is not None:
        remarks += on_identifiers(without_identifiers(original))
    remarks += on_groups((step.method, step.parameters.get("k")) for step in plan.steps)
    remarks += on_aggregates(plan.schema, ((step.method, step.parameters) for step in plan.steps))
    # A step that names nothing masks every key on its scales; which they are is known where it is run.
    renumbering = {name for name, cls in catalogue.maskers().items() if cls.renumbers}
    open_ended = any(not step.parameters.get("attributes") for step in plan.steps if step.method not in renumbering)
    named = {name for step in plan.steps for name in step.parameters.get("attributes") or ()}
    unnamed = [name for name in plan.schema.keys if name not in named]
    if unnamed and not open_ended:
        remarks.append(unmasked(unnamed, "would be"))
    return tuple(remarks)
