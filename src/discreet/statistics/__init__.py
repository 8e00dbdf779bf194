"""What can be asked of a table in one pass: questions, and the statistics that answer them."""
