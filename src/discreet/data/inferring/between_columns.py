"""What columns tell of each other: households, totals, two that say the same."""

from __future__ import annotations

import numpy as np

from discreet.data.inferring.looking import HEAD, Look
from discreet.typing import FloatArray, IntArray

__all__ = ["find_household", "find_totals", "find_twins"]

_LARGEST = 60
"""Members beyond which records with one number are no household."""


def find_household(looks: list[Look]) -> tuple[str, str] | None:
    """Return the column that says who lives together, and why; None where there is none.

    Its numbers come several times each and never very often, and other columns are the same for all who share one,
    though not for everybody.
    """
    best: tuple[float, str, str] | None = None
    for look in looks:
        if not len(look.values) or not _may_number(look):
            continue
        homes = look.head_codes
        sizes = np.bincount(homes[homes >= 0])
        if sizes.size < 2:
            continue
        mean, n = float(sizes.mean()), int(sizes.sum())
        named = look.speaks_of("household")
        if sizes.max() > _LARGEST or not 1.05 <= mean <= 15 or sizes.size < max(10, 0.03 * n):
            continue
        shared = _shared(looks, look, homes)
        together = bool((np.diff(homes[homes >= 0]) != 0).sum() + 1 == sizes.size)
        if named and (shared or together):
            strength = 3.0
        elif (look.speaks_of("number") and shared and together) or (together and shared >= 2 and look.whole):
            strength = 1.0
        else:
            continue
        why = f"{sizes.size} groups of {mean:.1f} records on average, who share {shared} other columns"
        if best is None or strength + 0.01 * shared > best[0]:
            best = (strength + 0.01 * shared, look.name, why)
    return None if best is None else (best[1], best[2])


def _may_number(look: Look) -> bool:
    if look.is_temporal or not len(look.distinct):
        return False
    if look.speaks_of("amount", "weight", "age", "place", "count", "health", "education", "work"):
        return False
    return look.whole or (look.numbers is None and look.share_distinct > 0.02)


def _shared(looks: list[Look], home: Look, homes: IntArray) -> int:
    """Count the columns that are the same within every group, and not by chance."""
    _, first, labels = np.unique(homes, return_index=True, return_inverse=True)
    several = np.bincount(labels)[labels] > 1
    count = 0
    for look in looks:
        if look is home or len(look.distinct) < 2:
            continue
        codes = look.head_codes
        if several.any() and (codes == codes[first[labels]])[several].mean() >= 0.999:
            count += 1
    return count


def find_twins(looks: list[Look]) -> dict[str, str]:
    """Return, by column, an earlier one that tells exactly the same: each of its values goes with one value there."""
    seen: dict[bytes, str] = {}
    twins: dict[str, str] = {}
    for look in looks:
        if len(look.distinct) < 2 or look.share_distinct > 0.5:
            continue  # where every value is another one, all columns go together
        key = look.head_codes.tobytes()  # numbered by first appearance: the same where values go together one by one
        if key in seen:
            twins[look.name] = seen[key]
        else:
            seen[key] = look.name
    return twins


def find_totals(looks: list[Look]) -> dict[str, tuple[str, ...]]:
    """Return, by column, neighbours whose sum it is in every record."""
    table: dict[str, FloatArray] = {}
    for look in looks:
        if look.numbers is None or len(look.values) != len(look.column) or len(look.distinct) < 10:
            continue
        table[look.name] = look.numbers[:HEAD]
    names = list(table)
    totals: dict[str, tuple[str, ...]] = {}
    for place, name in enumerate(names):
        goal = table[name]
        for low, high in _windows(place, len(names)):
            parts = names[low:high]
            total = np.sum([table[part] for part in parts], axis=0)
            if np.allclose(total, goal, rtol=1e-6, atol=1e-6 * max(1.0, float(np.abs(goal).max()))):
                totals[name] = tuple(parts)
                break
    return totals


def _windows(place: int, count: int, most: int = 6) -> list[tuple[int, int]]:
    """Return the runs of two to six neighbours right before and right after a column."""
    before = [(place - size, place) for size in range(2, most + 1) if place - size >= 0]
    after = [(place + 1, place + 1 + size) for size in range(2, most + 1) if place + 1 + size <= count]
    return before + after
