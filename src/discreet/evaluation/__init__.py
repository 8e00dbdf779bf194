"""Evaluation: scores of a release."""
