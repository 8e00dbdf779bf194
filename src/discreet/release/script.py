"""A protocol as a script of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet import catalogue
from discreet.data.survey import Declaration
from discreet.release.running import PathLike

__all__ = ["protect_script"]


def protect_script(
    data: PathLike,
    output: PathLike,
    method: str = "mdav",
    parameters: Mapping[str, Any] | None = None,
    *,
    schema: Declaration | PathLike | None = None,
    report: PathLike | None = None,
    **options: Any,
) -> str:
    """Return the Python script that does what ``discreet protect`` does with these arguments."""
    masker = catalogue.method("masker", method)(**(parameters or {}))
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
        f"masked = dc.{masker!r}.mask(original)",
        f"dc.write(masked, {str(output)!r})",
    ]
    if report is not None:
        lines += [
            "assessment = dc.assess(original, masked)",
            f"dc.write_report(original, masked, assessment, html={str(report)!r})",
        ]
    return "\n".join([*lines, ""])
