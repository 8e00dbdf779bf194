"""Linkage: two files to links, as an intruder would do it."""
