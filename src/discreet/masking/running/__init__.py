"""How maskers are run over parts of a table: space cut into blocks, borders repaired, different records counted."""
