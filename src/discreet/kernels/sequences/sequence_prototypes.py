"""The prototype of a group of sequences, by scoring elements at positions."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray

__all__ = ["score_elements"]


@exact_kernel
def score_elements(
    codes: CodeArray,  # IN (events,) int32, sequences sorted by group
    offsets: IntArray,  # IN (n + 1,) int64, where a sequence starts
    weights: IntArray,  # IN (n,) int64, records that a sequence stands for
    groups: IntArray,  # IN (g + 1,) int64, where a group's sequences start
    n_events: int,  # IN size of the alphabet
    longest: int,  # IN the most events of a pattern
    starts: IntArray,  # IN (g + 1,) int64, where a group's prototype starts
    prototypes: CodeArray,  # OUT (starts[-1],) int32
) -> None:
    """Append the event of highest score, position by position.

    At position t an occurrence at p scores (1 + m) / (1 + |p − t|), m < ``longest`` being how many events before it are
    those that the prototype ends with: the pattern it would complete. A sequence gives an event the best score of its
    occurrences that are not used up, times its weight; the event with the highest total is appended (the lowest code
    on ties) and each sequence uses up the occurrence that spoke for it. Scores are whole numbers of 2⁻²⁰, so that the
    order of the sequences cannot matter. O(prototype · events of the group · longest) time a group.
    """
    unit = np.int64(2**20)
    spent = np.zeros(codes.size, dtype=np.bool_)
    score = np.zeros(n_events, dtype=np.int64)
    mine = np.zeros(n_events, dtype=np.int64)
    speaker = np.full(n_events, -1, dtype=np.int64)
    for g in range(groups.size - 1):
        heed_stop()
        start = starts[g]
        for t in range(starts[g + 1] - start):
            for i in range(groups[g], groups[g + 1]):
                for at in range(offsets[i], offsets[i + 1]):
                    if spent[at]:
                        continue
                    event, p = codes[at], at - offsets[i]
                    m = 1
                    while m < longest and m <= p and m <= t and codes[at - m] == prototypes[start + t - m]:
                        m += 1
                    value = m * unit // (1 + abs(p - t))
                    if speaker[event] != i:
                        speaker[event] = i
                        mine[event] = 0
                    if value > mine[event]:
                        score[event] += weights[i] * (value - mine[event])
                        mine[event] = value
            winner = -1
            for i in range(groups[g], groups[g + 1]):
                for at in range(offsets[i], offsets[i + 1]):
                    event = codes[at]
                    if score[event] == 0 or event == winner:
                        continue
                    if winner < 0 or score[event] > score[winner] or (score[event] == score[winner] and event < winner):
                        winner = event
            prototypes[start + t] = winner
            for i in range(groups[g], groups[g + 1]):
                best, occurrence = np.int64(0), -1
                for at in range(offsets[i], offsets[i + 1]):
                    event, p = codes[at], at - offsets[i]
                    score[event] = 0
                    speaker[event] = -1
                    if event != winner or spent[at]:
                        continue
                    m = 1
                    while m < longest and m <= p and m <= t and codes[at - m] == prototypes[start + t - m]:
                        m += 1
                    value = m * unit // (1 + abs(p - t))
                    if value > best:
                        best = value
                        occurrence = at
                if occurrence >= 0:
                    spent[occurrence] = True
