"""Masking tables larger than memory, on whatever engine is handed over.

Each method has a plan, found by the class of the masker:

- numeric and mixed microaggregation: blocks of a balanced space partition, then a repair of their borders;
- categorical microaggregation, sequences, local suppression: the different records, with their counts;
- rank swapping, PRAM, coding, recoding: on the records as they come, with counts or quantiles of the whole table.
"""

from discreet.masking.at_scale import distinct, rank_swapping, record_by_record, space  # noqa: F401 - enter their plans
from discreet.masking.at_scale.plan import at_scale, mask_table

__all__ = ["at_scale", "mask_table"]
