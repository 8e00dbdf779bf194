"""Compiled loops: arrays in, arrays out.

A kernel knows no column names, schemas, strings or exceptions. Random draws and buffers come in as arrays, every
argument carries its shape and dtype in a comment, and each kernel has a slow, obvious twin in ``tests/reference``.
"""
