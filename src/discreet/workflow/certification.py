"""Prove: how far a release is from the least possible information loss."""

from discreet.evaluation.certificate import certify

__all__ = ["certify"]
