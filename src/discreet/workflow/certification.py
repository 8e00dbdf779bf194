"""Prove: how far a release is from the least possible information loss."""

from __future__ import annotations

from typing import Any

from discreet.results import Certificate

__all__ = ["certify"]


def certify(original: Any, masked: Any, **options: Any) -> Certificate:
    """Bound the loss of any grouping from below; options as in :func:`discreet.evaluation.certificate.certify`."""
    # Prices are found by compiled code, which a front end that does not ask for a proof must not wait for.
    from discreet.evaluation.certificate import certify as prove

    return prove(original, masked, **options)
