"""The papers by what they recompute."""
