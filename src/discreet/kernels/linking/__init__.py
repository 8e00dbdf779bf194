"""Who is like whom."""
