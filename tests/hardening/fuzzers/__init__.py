"""Fuzzers: each makes one hostile case from a generator of random numbers, and returns what it found, or None.

A case is named by its kind and number: ``tools/fuzz.py --kind numbers --first 417 --cases 1`` brings it back.
"""
