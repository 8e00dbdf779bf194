"""Groups of numbers."""
