"""One value after another."""
