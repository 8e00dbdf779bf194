"""The bundled data sets, each with one sentence."""

from __future__ import annotations

__all__ = ["list_datasets"]


def list_datasets() -> dict[str, str]:
    """Return the bundled data sets, each with one sentence."""
    from discreet.datasets import DATASETS

    said = {name: (function.__doc__ or "").strip().split("\n", 1)[0] for name, function in DATASETS.items()}
    # A docstring says what a function does, a list what there is.
    listed = {name: text.removeprefix("Return ") for name, text in said.items()}
    return {name: text[:1].upper() + text[1:] for name, text in listed.items()}
