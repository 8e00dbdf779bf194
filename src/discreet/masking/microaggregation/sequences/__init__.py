"""Groups of sequences of events."""
