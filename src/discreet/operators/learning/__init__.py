"""Operators learnt from examples."""
