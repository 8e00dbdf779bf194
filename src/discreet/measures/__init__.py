"""Measures: what a release risks and what it lost. One measure a file."""
