"""The contracts of the house, how they are carried out on whatever table and engine, and what crosses rooms."""
