"""Operators of numbers."""
