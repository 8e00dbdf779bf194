"""Masking: original to masked. One method a file."""
