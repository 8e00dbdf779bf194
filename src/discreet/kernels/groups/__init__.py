"""Who is grouped with whom."""
