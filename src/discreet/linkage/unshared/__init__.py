"""Linking files that have no attribute in common."""
