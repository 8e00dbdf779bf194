"""Operators of levels."""
