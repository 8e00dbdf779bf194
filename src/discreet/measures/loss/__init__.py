"""Information loss."""
