"""A table, its declaration and its blocks."""
