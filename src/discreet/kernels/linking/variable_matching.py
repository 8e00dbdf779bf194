"""Matching of two sets of variables by their associations and their own costs: a quadratic assignment, improved."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["improve_matching"]


@exact_kernel
def _cost_of(
    first: FloatArray, second: FloatArray, own: FloatArray, image: IntArray, signs: IntArray, k: int, skip: int
) -> float:
    # What variable k of the first set contributes, its pair with `skip` left out.
    p = first.shape[1]
    if k >= p:
        return 0.0
    m = image[k]
    total = float(own[(1 - signs[k]) // 2, k, m])
    for j in range(p):
        if j not in (k, skip):
            gap = first[0, k, j] - signs[k] * signs[j] * second[0, m, image[j]]
            total += gap * gap
            for layer in range(1, first.shape[0]):
                gap = first[layer, k, j] - second[layer, m, image[j]]
                total += gap * gap
    return total


@exact_kernel
def _pair(
    first: FloatArray, second: FloatArray, own: FloatArray, image: IntArray, signs: IntArray, k: int, j: int
) -> float:
    total = _cost_of(first, second, own, image, signs, k, -1)
    return total + _cost_of(first, second, own, image, signs, j, k)


@exact_kernel
def improve_matching(
    first: FloatArray,  # IN (layers, p, p) float64, symmetric associations of the first set, p ≤ q
    second: FloatArray,  # IN (layers, q, q) float64, of the second; only the first layer changes with a sign
    own: FloatArray,  # IN (2, p, q) float64, cost of a pair as it is, and with the sign of one turned
    flips: bool,  # IN whether signs may be turned
    image: IntArray,  # IN and OUT (q,) int64, a permutation; variable k < p is matched with image[k]
    signs: IntArray,  # IN and OUT (p,) int64, 1 or −1
) -> float:
    """Exchange images and turn signs while the cost falls; return the cost. O(p · q · p) a sweep."""
    p, q = first.shape[1], second.shape[1]
    better = True
    while better:
        heed_stop()
        better = False
        for k in range(p):
            for j in range(k + 1, q):
                before = _pair(first, second, own, image, signs, k, j)
                best_gain, best_k, best_j = 1e-10, 0, 0
                image[k], image[j] = image[j], image[k]
                old_k = signs[k]
                old_j = signs[j] if j < p else 1
                for turn in range(4 if flips else 1):
                    if turn >= 2 and j >= p:
                        break
                    signs[k] = old_k * (1 - 2 * (turn % 2))
                    if j < p:
                        signs[j] = old_j * (1 - 2 * (turn // 2))
                    gain = before - _pair(first, second, own, image, signs, k, j)
                    if gain > best_gain:
                        best_gain, best_k, best_j = gain, signs[k], signs[j] if j < p else 1
                if best_k != 0:
                    signs[k] = best_k
                    if j < p:
                        signs[j] = best_j
                    better = True
                else:
                    image[k], image[j] = image[j], image[k]
                    signs[k] = old_k
                    if j < p:
                        signs[j] = old_j
            if flips:
                before = _cost_of(first, second, own, image, signs, k, -1)
                signs[k] = -signs[k]
                if before - _cost_of(first, second, own, image, signs, k, -1) > 1e-10:
                    better = True
                else:
                    signs[k] = -signs[k]
    total = 0.0
    for k in range(p):
        heed_stop()
        total += own[(1 - signs[k]) // 2, k, image[k]]
        for j in range(k):
            gap = first[0, k, j] - signs[k] * signs[j] * second[0, image[k], image[j]]
            total += gap * gap
            for layer in range(1, first.shape[0]):
                gap = first[layer, k, j] - second[layer, image[k], image[j]]
                total += gap * gap
    return np.float64(total)
