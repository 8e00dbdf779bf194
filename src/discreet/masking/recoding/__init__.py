"""Levels become others."""
