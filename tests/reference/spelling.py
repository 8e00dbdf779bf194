"""Jaro–Winkler similarity by its definition, in plain loops."""

from __future__ import annotations


def jaro(s, t):
    """Jaro: matches within half the longer length, less half the transpositions."""
    if not s or not t:
        return float(s == t)
    reach = max(max(len(s), len(t)) // 2 - 1, 0)
    taken = [False] * len(t)
    first = []
    for i, letter in enumerate(s):
        for j in range(max(0, i - reach), min(len(t), i + reach + 1)):
            if not taken[j] and t[j] == letter:
                taken[j] = True
                first.append(letter)
                break
    second = [t[j] for j in range(len(t)) if taken[j]]
    m = len(first)
    if not m:
        return 0.0
    swapped = sum(x != y for x, y in zip(first, second, strict=True)) // 2
    return (m / len(s) + m / len(t) + (m - swapped) / m) / 3


def jaro_winkler(s, t):
    """Jaro, raised by a common beginning of up to four letters where it is above 0.7."""
    plain = jaro(s, t)
    common = 0
    while common < min(4, len(s), len(t)) and s[common] == t[common]:
        common += 1
    return plain + common * 0.1 * (1 - plain) if plain > 0.7 else plain
