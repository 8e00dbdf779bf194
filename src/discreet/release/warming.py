"""Compiled code made beforehand, so that the first command does not wait for a compiler."""

from __future__ import annotations

from pathlib import Path

from discreet.catalogue import maskers
from discreet.datasets import business, housing
from discreet.errors import DiscreetError, FileError
from discreet.evaluation.assessing import assess, protect
from discreet.kernels.code_cache import VARIABLE, cache_folder, cached_calls
from discreet.kernels.jit import always_compiled
from discreet.progress import report

__all__ = ["warm"]

_RECORDS = 400


def warm(*, every: bool = False) -> tuple[Path, dict[str, int]]:
    """Run the usual work on small samples, so that its kernels are compiled and kept.

    Parameters
    ----------
    every : bool
        Whether to run every masker with the parameters of its examples too, which takes minutes.

    Returns
    -------
    Path, dict of str to int
        The folder, and how many kernels were ``"read"`` from it and how many ``"compiled"``.

    Raises
    ------
    FileError
        Where there is no folder that code may be kept in.
    """
    folder = cache_folder()
    if folder is None:
        raise FileError(
            "There is no folder for compiled code that nobody but its owner can write to.",
            hint=f"Set {VARIABLE} to a folder of your own, with rights such as 700 or 755.",
        )
    before = cached_calls()
    samples = [business(_RECORDS, 1), housing(_RECORDS, 1)]
    examples = [example for cls in maskers().values() for example in cls.examples()] if every else []
    with always_compiled():
        for number, sample in enumerate(samples, start=1):
            assess(sample, protect(sample, "mdav", k=3))
            report("compiling", number, len(samples) + len(examples))
        for number, example in enumerate(examples, start=1 + len(samples)):
            for sample in samples:
                try:
                    example.mask(sample)
                    break
                except DiscreetError:
                    continue  # an example for data of another kind
            report("compiling", number, len(samples) + len(examples))
    return folder, {name: count - before[name] for name, count in cached_calls().items()}
