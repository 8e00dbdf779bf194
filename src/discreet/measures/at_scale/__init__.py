"""Risks and losses of tables larger than memory: counts, sums in one pass, and linkage of a sample.

Each function is handed the two tables and an engine, and gives the measurements that the measures of the same names
give in memory.
"""

from discreet.measures.at_scale.cell_loss import cell_loss
from discreet.measures.at_scale.cells import category_losses, changed_cells, table_loss
from discreet.measures.at_scale.frequencies import frequency_risks
from discreet.measures.at_scale.linkage import agreement_patterns, distance_linkage
from discreet.measures.at_scale.sums import number_losses

__all__ = [
    "agreement_patterns",
    "category_losses",
    "cell_loss",
    "changed_cells",
    "distance_linkage",
    "frequency_risks",
    "number_losses",
    "table_loss",
]
