"""The bundled data sets, each with one sentence."""

from __future__ import annotations

__all__ = ["list_datasets"]


def list_datasets() -> dict[str, str]:
    """Return the bundled data sets, each with one sentence."""
    from discreet.datasets import DATASETS

    return {name: (function.__doc__ or "").strip().split("\n", 1)[0] for name, function in DATASETS.items()}
