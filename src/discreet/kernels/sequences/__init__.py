"""Events in order."""
