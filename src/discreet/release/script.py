"""A protocol as a script of Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from discreet.contracts.masker import Masker
from discreet.data.survey import Declaration
from discreet.masking.running.units import PerUnit
from discreet.release.chain import Chain
from discreet.release.protocol_parts import Step
from discreet.release.recoding_steps import recoded_masker
from discreet.release.running import PathLike

__all__ = ["protect_script"]


def protect_script(
    data: PathLike,
    output: PathLike,
    method: str | None = "mdav",
    parameters: Mapping[str, Any] | None = None,
    *,
    recode: Iterable[str] = (),
    schema: Declaration | PathLike | None = None,
    unit: str | None = None,
    report: PathLike | None = None,
    **options: Any,
) -> str:
    """Return the Python script that does what ``discreet protect`` does with these arguments."""
    masker = recoded_masker(recode, method, parameters or {}, unit)
    verb = "read"
    if isinstance(schema, Declaration):
        verb, arguments = "survey", [repr(str(data)), *schema.as_arguments()]
    else:
        arguments = [repr(str(data)), *([repr(str(schema))] if schema is not None else [])]
    arguments += [f"{name}={value!r}" for name, value in options.items() if value is not None]
    lines = [
        "import discreet as dc",
        "",
        f"original = dc.{verb}({', '.join(arguments)})",
        f"masked = {_written(masker)}.mask(original)",
        f"dc.write(masked, {str(output)!r})",
    ]
    if report is not None:
        lines += [
            "assessment = dc.assess(original, masked)",
            f"dc.write_report(original, masked, assessment, html={str(report)!r})",
        ]
    return "\n".join([*lines, ""])


def _written(masker: Masker | PerUnit | Chain) -> str:
    """Return the Python expression that makes a masker."""
    if isinstance(masker, Chain):
        steps = ", ".join(_written(one) for one in masker.steps if not isinstance(one, Step))
        return f"dc.Chain([{steps}]{'' if masker.seed is None else f', seed={masker.seed}'})"
    if isinstance(masker, PerUnit):
        return f"dc.PerUnit({_written(masker.masker)}, unit={masker.unit!r})"
    return f"dc.{masker.as_call()}"
