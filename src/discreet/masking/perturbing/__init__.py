"""Values become untrue."""
