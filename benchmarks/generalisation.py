"""Generalisation of Adult (ARX's file and hierarchies): ours, plain NumPy over every node, and anjana, in one run.

    python benchmarks/generalisation.py [--quick] [--data FOLDER]

All are asked for k = 5 with at most 5 % of the records suppressed. Loss is the mean over cells of (leaves covered − 1)
/ (leaves − 1), a suppressed record counting 1. `--quick` leaves anjana and plain NumPy out. anjana pins the versions of
what it needs, so it is in no extra: install it into an environment of its own.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from itertools import product
from pathlib import Path

import numpy as np

from discreet import models
from discreet.masking.recoding.lattice_search import OBJECTIVES, KeyLadder, LatticeSearch

K, SHARE = 5, 0.05


def load(folder: Path) -> tuple[list[str], list[list[str]], list[KeyLadder], dict[str, list[list[str]]]]:
    with (folder / "adult.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter=";")
    keys, trees = [], {}
    for place, name in enumerate(names):
        with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
            tree = list(csv.reader(file, delimiter=";"))
        leaf = {row[0]: number for number, row in enumerate(tree)}
        groups = []
        for step in range(len(tree[0])):
            numbers: dict[str, int] = {}
            groups.append([numbers.setdefault(row[step], len(numbers)) for row in tree])
        keys.append(KeyLadder(name, np.array([leaf[row[place]] for row in rows]), np.array(groups)))
        trees[name] = tree
    return names, rows, keys, trees


def plain_numpy(keys: list[KeyLadder], limit: int) -> float:
    n, best = keys[0].codes.size, np.inf
    for levels in product(*(range(key.height + 1) for key in keys)):
        packed, cost = np.zeros(n, dtype=np.int64), np.zeros(n)
        for key, step in zip(keys, levels, strict=True):
            groups = key.groups[step]
            packed = packed * (groups.max() + 1) + groups[key.codes]
            cost += ((np.bincount(groups) - 1) / max(key.leaves - 1, 1))[groups[key.codes]]
        _, place, sizes = np.unique(packed, return_inverse=True, return_counts=True)
        short = sizes[place] < K
        if short.sum() <= limit:
            best = min(best, float(np.where(short, 1.0, cost / len(keys)).mean()))
    return best


def anjana_loss(names: list[str], rows: list[list[str]], trees: dict[str, list[list[str]]]) -> tuple[float, int]:
    import pandas as pd
    from anjana.anonymity import k_anonymity

    table = pd.DataFrame(rows, columns=names, dtype=object)  # anjana takes no other kind of text
    ladders = {n: {step: np.array([row[step] for row in t]) for step in range(len(t[0]))} for n, t in trees.items()}
    released = k_anonymity(table, [], names, K, 100 * SHARE, ladders)
    total = 0.0
    for name in names:
        tree = trees[name]
        covered = {}
        for step in range(len(tree[0])):
            for row in tree:
                covered.setdefault(row[step], sum(other[step] == row[step] for other in tree))
        total += sum(covered[cell] - 1 for cell in released[name]) / (len(tree) - 1)
    lost = len(rows) - len(released)
    return (total / len(names) + lost) / len(rows), lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", default=os.environ.get("DISCREET_DATA", "../shared/data"))
    options = parser.parse_args()
    names, rows, keys, trees = load(Path(options.data) / "arx")
    limit = int(SHARE * len(rows))
    demands = models.K(K).demands(tuple(names))
    for objective in ("loss", "ambiguity"):  # both searches compiled and warm
        LatticeSearch(keys, demands, {}, objective, limit, steadfast=True).run(10**9)
    print(f"{'search':42}{'CPU s':>9}{'value':>16}{'suppressed':>12}{'looked at':>11}")
    for objective in OBJECTIVES:
        for bounded in (True, False):
            start = time.process_time()
            search = LatticeSearch(keys, demands, {}, objective, limit, steadfast=True).run(10**9, bounded=bounded)
            label = f"ours, {objective}, {'bounded' if bounded else 'every node'}"
            seconds = time.process_time() - start
            print(f"{label:42}{seconds:9.2f}{search.value:16.6f}{search.suppressed.sum():12d}{search.visited:11d}")
    if not options.quick:
        start = time.process_time()
        value = plain_numpy(keys, limit)
        print(f"{'plain NumPy, loss, every node':42}{time.process_time() - start:9.2f}{value:16.6f}")
        try:
            start = time.process_time()
            loss, lost = anjana_loss(names, rows, trees)
            print(f"{'anjana':42}{time.process_time() - start:9.2f}{loss:16.6f}{lost:12d}")
        except ImportError:
            print("anjana is not installed: pip install anjana")


if __name__ == "__main__":
    main()
