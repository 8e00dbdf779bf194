"""Microaggregation: groups of at least k similar records, each released as its group's aggregate."""
