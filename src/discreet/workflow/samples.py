"""The bundled data sets, and the walk through all of it on one of them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from discreet.errors import UnknownNameError
from discreet.microdata import Microdata
from discreet.results import Assessment, Masked
from discreet.workflow.advice import advise
from discreet.workflow.files import make_folder, save_schema, write, written_together
from discreet.workflow.reports import write_manifest, write_report
from discreet.workflow.steps import assess, protect

__all__ = ["demo", "list_datasets", "write_dataset"]


def demo(folder: str | os.PathLike[str], n: int = 2000, k: int = 5) -> tuple[Masked, Assessment, dict[str, Path]]:
    """Protect, attack and score the bundled housing survey; write the files of a real release into `folder`.

    The intruder of the demonstration knows the three amounts; everything else is confidential.
    """
    from discreet.datasets import housing

    target = Path(folder)
    made = not target.exists()
    make_folder(target)
    try:
        return _demonstrated(housing(n), target, k)
    except BaseException:
        if made:  # nothing is left of a demonstration that was interrupted
            with suppress(OSError):
                target.rmdir()
        raise


def _demonstrated(survey: Microdata, target: Path, k: int) -> tuple[Masked, Assessment, dict[str, Path]]:
    roles = dict.fromkeys(survey.schema.of_scale("ordinal", "nominal", among=survey.schema.keys), "confidential")
    original = Microdata(survey.to_native(), survey.schema.with_roles(**roles))
    paths = {
        "original": target / "housing.csv",
        "schema": target / "housing.toml",
        "masked": target / "housing-masked.csv",
        "json": target / "assessment.json",
        "report": target / "report.html",
        "external": target / "external.html",
        "manifest": target / "manifest.json",
    }
    masked = protect(original, "mdav", k=k)
    assessment = assess(original, masked)
    remarks = advise(original, masked, assessment)
    known = {"all keys": assessment}
    before = {"all keys": assess(original, original)}
    with written_together(paths.values()):
        write(original, paths["original"])
        save_schema(original.schema, paths["schema"])
        write(masked, paths["masked"])
        write_report(
            original,
            masked,
            assessment,
            html=paths["report"],
            json=paths["json"],
            before=before,
            after=known,
            advice=remarks,
        )
        write_report(original, masked, assessment, html=paths["external"], audience="external")
        write_manifest(paths["manifest"], {name: path for name, path in paths.items() if name != "manifest"})
    return masked, assessment, paths


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
    with written_together([path, schema_path]):
        data = DATASETS[name](n, random_state)
        write(data, path)
        save_schema(data.schema, schema_path)
    return schema_path
