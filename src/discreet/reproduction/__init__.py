"""Each table of the five papers, recomputed."""
