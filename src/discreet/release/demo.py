"""The demonstration: a bundled sample protected, attacked, scored, and written as a release."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from discreet.contracts.assessment import Assessment
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.evaluation.advice import advise
from discreet.evaluation.assessing import assess, protect
from discreet.io.reading import make_folder, save_schema, write, written_together
from discreet.registry import unknown_name
from discreet.release.manifest import write_manifest
from discreet.release.writing import write_report

__all__ = ["demo", "write_dataset"]


def demo(folder: str | os.PathLike[str], n: int = 2000, k: int = 5) -> tuple[Masked, Assessment, dict[str, Path]]:
    """Protect, attack and score the bundled housing survey; write the files of a real release into `folder`.

    The intruder of the demonstration knows the three amounts; everything else is confidential.
    """
    from discreet.datasets import housing

    target = Path(folder)
    is_new = not target.exists()
    make_folder(target)
    try:
        return _demonstrated(housing(n), target, k)
    except BaseException:
        if is_new:  # nothing is left of a demonstration that was interrupted
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
    after = {"all keys": assessment}
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
            after=after,
            advice=remarks,
            files={"original": paths["original"], "masked": paths["masked"]},
        )
        told = {"masked": paths["masked"]}
        write_report(original, masked, assessment, html=paths["external"], audience="external", files=told)
        write_manifest(paths["manifest"], {name: path for name, path in paths.items() if name != "manifest"})
    return masked, assessment, paths


def write_dataset(name: str, path: str | os.PathLike[str], *, n: int = 1000, random_state: int = 0) -> Path:
    """Write a bundled data set, and its schema as TOML beside it; return the schema's path."""
    from discreet.datasets import DATASETS

    if name not in DATASETS:
        raise unknown_name("data set", name, DATASETS)
    schema_path = Path(path).with_suffix(".toml")
    with written_together([path, schema_path]):
        data = DATASETS[name](n, random_state)
        write(data, path)
        save_schema(data.schema, schema_path)
    return schema_path
