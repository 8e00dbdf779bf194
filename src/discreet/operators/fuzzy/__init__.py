"""Operators of fuzzy sets."""
