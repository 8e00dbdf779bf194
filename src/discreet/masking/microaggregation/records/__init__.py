"""Groups of records of any scale."""
