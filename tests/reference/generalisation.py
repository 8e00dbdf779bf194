"""Generalisation the slow and obvious way: every node, every class by a dictionary, every model by its definition."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import combinations, product

STAR = object()


def keeps(model, members, population, shares, order, tree):
    """Say whether one class keeps a model, by its definition; `members` are the confidential values of its records."""
    kind, size = model["kind"], len(members)
    counts = Counter(members)
    q = {value: counts[value] / size for value in shares}
    eps = 1e-9
    if kind == "k":
        return size >= model["k"]
    if kind == "highest-risk":
        return 1 / size <= model["risk"] + eps
    if kind == "k-map":
        return population >= model["k"]
    if kind == "presence":
        return population > 0 and model["low"] - eps <= size / population <= model["high"] + eps
    if kind == "distinct":
        return len(counts) >= model["l"]
    if kind == "entropy":
        return -sum(p * math.log(p) for p in q.values() if p) >= math.log(model["l"]) - eps
    if kind == "recursive":
        ranked = sorted(counts.values(), reverse=True)
        return ranked[0] < model["c"] * sum(ranked[model["l"] - 1 :]) - eps
    if kind == "equal":
        return sum(abs(q[v] - shares[v]) for v in shares) / 2 <= model["t"] + eps
    if kind == "ordered":
        reached, total = 0.0, 0.0
        for value in order:
            reached += q[value] - shares[value]
            total += abs(reached)
        return total / max(len(order) - 1, 1) <= model["t"] + eps
    if kind == "hierarchical":
        return tree_distance(q, shares, tree) <= model["t"] + eps
    if kind == "beta":
        return all(q[v] <= shares[v] or (q[v] - shares[v]) / shares[v] <= model["beta"] + eps for v in shares)
    if kind == "beta-enhanced":
        return all(
            q[v] <= shares[v] + 1e-12
            or (q[v] - shares[v]) / shares[v] <= min(model["beta"], -math.log(shares[v])) + eps
            for v in shares
        )
    if kind == "delta":
        # Of every value that the table has: one that nobody has has no share that could change.
        present = [v for v in shares if shares[v] > 0]
        return all(q[v] > 0 and abs(math.log(q[v] / shares[v])) < model["delta"] - 1e-9 for v in present)
    assert kind == "alpha"
    return max(q.values()) <= model["alpha"] + eps


def tree_distance(q, p, tree):
    """Earth mover's distance on a tree, as Li et al. write it: what is left over is moved one node up at a time."""
    height = len(next(iter(tree.values()))) - 1
    total = 0.0
    for step in range(1, height + 1):
        groups = defaultdict(lambda: defaultdict(float))
        for value, path in tree.items():
            groups[path[step]][path[step - 1]] += q.get(value, 0.0) - p.get(value, 0.0)
        for branches in groups.values():
            plus = sum(x for x in branches.values() if x > 0)
            minus = -sum(x for x in branches.values() if x < 0)
            total += step / height * min(plus, minus)
    return total


def classes_of(keys, alive, columns):
    groups = defaultdict(list)
    for row in alive:
        groups[tuple(keys[row][c] for c in columns)].append(row)
    return groups


def lost_share(key, levels, hierarchies):
    """Return the share of its information that a record with these keys has lost: bits of the leaves that it may be."""
    bits = 0.0
    for a, cell in enumerate(key):
        below = [row for row in hierarchies[a].values() if cell is STAR or row[levels[a]] == cell]
        bits += 0.0 if cell is None else math.log2(len(below))
    return bits / sum(math.log2(len(tree)) for tree in hierarchies)


def payout(game, lost, among):
    """Return what a record pays its publisher: what it is worth, less what an attack costs where an attack pays."""
    attacked = game["gain"] / among - game["cost"] > 1e-9
    return game["benefit"] * (1 - lost) - (game["loss"] / among if attacked else 0)


def broken_rows(models, keys, alive, sensitive, population_keys, env, share):
    """Return the rows whose class breaks a model of classes."""
    result = set()
    for model in models:
        if model["kind"] in ("average", "uniques"):
            continue
        for columns in model["columns"]:
            people = Counter(tuple(key[c] for c in columns) for key in population_keys)
            for key, rows in classes_of(keys, alive, columns).items():
                if model.get("items") and any(cell is None for cell in key):
                    continue
                members = [sensitive[row] for row in rows]
                if model["kind"] == "profit":
                    pays = payout(model, share(key), people[key] if model.get("people") else len(rows)) > 1e-9
                    result.update(() if pays else rows)
                elif not keeps(model, members, people[key], *env):
                    result.update(rows)
    return result


def file_fine(models, sizes, sampled):
    records = sum(sizes)
    for model in models:
        if model["kind"] == "average" and len(sizes) / records > model["risk"] + 1e-9:
            return False
        if model["kind"] == "uniques":
            alone = sizes.count(1) * sampled / model["population_size"] / records
            if alone > model["risk"] + 1e-9:
                return False
    return True


def suppressed_at(levels, columns, hierarchies, models, sensitive, population, env, stays, objective):
    """Return the keys at a node and the rows that are suppressed there; None where nothing would be released."""
    m, n = len(columns), len(sensitive)

    def raised(table):
        return [
            tuple(None if v[a] is None else hierarchies[a][v[a]][levels[a]] for a in range(m))
            for v in zip(*table, strict=True)
        ]

    keys, people = raised(columns), raised(population) if population else []
    alive, everything = set(range(n)), tuple(range(m))

    def share(key):
        return lost_share(key, levels, hierarchies)

    while True:
        while gone := broken_rows(models, keys, alive, sensitive, people, env, share):
            # Of one rule after the other, as all keys' classes are judged on their own; only subsets interact.
            alive -= gone
        if not alive and not stays:
            return None
        shown = dict(enumerate(keys))
        tops = tuple(
            next(iter({row[-1] for row in hierarchies[a].values()}))
            if len({row[-1] for row in hierarchies[a].values()}) == 1
            and levels[a] == len(next(iter(hierarchies[a].values()))) - 1
            else STAR
            for a in range(m)
        )
        released = alive
        if stays:
            shown |= {row: tops for row in range(n) if row not in alive}
            released = set(range(n))
        sizes = [len(rows) for rows in classes_of(shown, released, everything).values()]
        fine = whole_fine = file_fine(models, sizes, n)
        if fine and stays and len(alive) < n:
            fine = not broken_rows(models, shown, released, sensitive, people, env, share)
        if fine:
            return keys, set(range(n)) - alive
        if not alive:
            return None
        groups = classes_of(keys, alive, everything).values()
        smallest = min(len(rows) for rows in groups)
        going = [rows for rows in groups if len(rows) == smallest]
        if whole_fine:  # what stays in the file is joined by all of the smallest size
            alive -= {row for rows in going for row in rows}
            continue
        # All classes together break a model: one goes, of the smallest the one that costs least.
        gone = set(range(n)) - alive
        alive -= set(
            min(
                going,
                key=lambda rows: value_at(objective, levels, keys, gone | set(rows), columns, hierarchies, models),
            )
        )


def value_at(objective, levels, keys, lost, columns, hierarchies, models=(), people=()):
    """Return the objective at a node, by its definition."""
    m, n = len(columns), len(keys)
    leaves = [len(h) for h in hierarchies]
    heights = [len(next(iter(h.values()))) - 1 for h in hierarchies]

    def covered(a, cell):
        return 1 if cell is None else sum(row[levels[a]] == cell for row in hierarchies[a].values())

    sizes = Counter(keys[row] for row in range(n) if row not in lost)
    if objective == "discernibility":
        return sum(size**2 for size in sizes.values()) + len(lost) * n
    if objective == "class-size":
        return n / (len(sizes) + bool(lost))
    if objective in ("loss", "precision"):
        total = float(len(lost))
        for row in range(n):
            if row not in lost:
                for a in range(m):
                    if keys[row][a] is not None:
                        part = (
                            (covered(a, keys[row][a]) - 1) / max(leaves[a] - 1, 1)
                            if objective == "loss"
                            else levels[a] / max(heights[a], 1)
                        )
                        total += part / m
        return total / n
    if objective == "payout":
        free = {"benefit": 1.0, "loss": 0.0, "gain": 1.0, "cost": 1.0}
        game = next((model for model in models if model["kind"] == "profit"), free)
        crowd = Counter(people) if game.get("people") else sizes
        paid = [payout(game, lost_share(k, levels, hierarchies), crowd[k]) * size for k, size in sizes.items()]
        return 1 - sum(paid) / (n * game["benefit"])
    if objective == "entropy":
        lost_bits = all_bits = 0.0
        for a in range(m):
            fine = Counter(columns[a])
            coarse = Counter(key[a] for key in keys)
            for row in range(n):
                bits = math.log2(n / fine[columns[a][row]])
                all_bits += bits
                lost_bits += bits if row in lost else math.log2(coarse[keys[row][a]] / fine[columns[a][row]])
        return lost_bits / all_bits if all_bits else 0.0
    domain = [leaves[a] + (None in columns[a]) for a in range(m)]
    area = {key: math.prod(covered(a, key[a]) for a in range(m)) for key in sizes}
    if objective == "ambiguity":
        return (sum(size * area[key] for key, size in sizes.items()) + len(lost) * math.prod(domain)) / n
    assert objective == "kl"
    result = 0.0
    for record, count in Counter(zip(*columns, strict=True)).items():
        row = list(zip(*columns, strict=True)).index(record)
        spread = len(lost) / math.prod(domain) if row in lost else sizes[keys[row]] / area[keys[row]]
        result += count / n * math.log2(count / spread)
    return result


def search(columns, hierarchies, models, sensitive, objective, limit, population=(), env=((), (), {}), stays=False):
    """Return the least value over all nodes within the limit, and the nodes that have it; None where there is none."""
    heights = [len(next(iter(h.values()))) for h in hierarchies]
    best, nodes = None, []
    for levels in product(*(range(height) for height in heights)):
        outcome = suppressed_at(levels, columns, hierarchies, models, sensitive, population, env, stays, objective)
        if outcome is None or len(outcome[1]) > limit:
            continue
        crowd = zip(*population, strict=True)
        raised = [tuple(hierarchies[a][v][levels[a]] for a, v in enumerate(person)) for person in crowd]
        value = value_at(objective, levels, *outcome, columns, hierarchies, models, raised)
        if best is None or value < best - 1e-9 * max(1.0, abs(best)):
            best, nodes = value, [(levels, len(outcome[1]))]
        elif abs(value - best) <= 1e-9 * max(1.0, abs(best)):
            nodes.append((levels, len(outcome[1])))
    return None if best is None else (best, nodes)


def subsets(m, size):
    return list(combinations(range(m), size))
