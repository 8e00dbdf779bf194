"""What a column is, told by its name, its values and the columns beside it: one idea a file."""
