"""Linking files that have attributes in common."""
