"""Linkage without common attributes: the papers' tables, the automatic attack, variables, baselines, worst case, speed.

    python benchmarks/structural_linkage.py [--quick] [part …]

Parts: tables (P2, V–VIII), attack, unseen (files that no constant of the attack was chosen on), variables (P1d, IV),
baselines, supervised, speed,
large (groups first, beside the exact search). The data folder is that of the tests: environment variable DISCREET_DATA.
"""

from __future__ import annotations

import csv
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.linkage.unshared import problems  # noqa: E402
from tests.linkage.unshared.test_structural import latent  # noqa: E402
from tests.linkage.unshared.test_variables import correct, scaled  # noqa: E402
from tests.reference import representatives as reference  # noqa: E402

from discreet.linkage.chance import significance  # noqa: E402
from discreet.linkage.unshared import structural  # noqa: E402
from discreet.linkage.unshared.rank_to_rank import FirstComponentLinkage, SumOfScoresLinkage  # noqa: E402
from discreet.linkage.unshared.representatives import FAMILIES, RepresentativeLinkage  # noqa: E402
from discreet.linkage.unshared.structural import StructuralLinkage  # noqa: E402
from discreet.linkage.unshared.supervised import SupervisedLinkage  # noqa: E402

DATA = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
QUICK = "--quick" in sys.argv
WANTED = {"wdbc": 95, "water-treatment": 50, "census": 20, "abalone": 13, "ionosphere": 22}
BEST_PRINTED = {"wdbc": 18.2, "water-treatment": 10, "census": 10.4, "abalone": 9.9, "ionosphere": 22.2}
# P2's other splits, and Tarragona with every other column in the other file.
UNSEEN = {
    "iris": ("uci/iris.csv", ["sepal_length", "petal_length"], ["sepal_width", "petal_width"]),
    "housing": ("uci/housing.csv", ["INDUS", "RM", "AGE", "RAD"], ["NOX", "TAX", "MEDV"]),
    "tarragona": ("sdc/Tarragona.csv", slice(0, None, 2), slice(1, None, 2)),
}


def tables() -> None:
    runs = 20 if QUICK else 200
    print(f"P2, Tables V-VIII, distance-based, mean of {runs} runs of 100 records (print in brackets)")
    for name, printed in problems.PRINTED.items():
        halves, rng = problems.load(DATA, name), np.random.default_rng(0)
        found = np.zeros((2, 6))
        for _ in range(runs):
            a, b, truth = problems.draw(halves, 100, rng)
            for row, how in enumerate(("ranging", "standard")):
                for column, operators in enumerate(FAMILIES):
                    linker = RepresentativeLinkage(operators=operators, normalise=how)
                    found[row, column] += linker.link(a, b).evaluate(truth).expected / runs
        gaps = found - np.array(printed)
        for row, label in enumerate(("N1", "N2")):
            cells = "  ".join(f"{v:5.1f} ({p:4.1f})" for v, p in zip(found[row], printed[row], strict=True))
            print(f"{name:11} {label}  {cells}")
        print(f"{'':11} largest gap {np.abs(gaps).max():.2f}, root mean square {np.sqrt((gaps**2).mean()):.2f}")


def one_file(halves: tuple[np.ndarray, np.ndarray], linkers: dict[str, object], runs: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(11)
    found: dict[str, list[float]] = {label: [] for label in linkers}
    n = min(100, len(halves[0]))
    for _ in range(runs):
        a, b, truth = problems.draw(halves, n, rng)
        for label, linker in linkers.items():
            found[label].append(linker.link(a, b).evaluate(truth).expected)
    return found


def attack() -> None:
    runs = 10 if QUICK else 200
    print(f"Automatic structural linkage, mean of {runs} runs of 100 records, truth never used")
    for name, wanted in WANTED.items():
        start = time.perf_counter()
        found = one_file(problems.load(DATA, name), {"structural": StructuralLinkage()}, runs)["structural"]
        seconds = (time.perf_counter() - start) / runs
        spread = np.std(found) / np.sqrt(runs)
        print(
            f"{name:16} {np.mean(found):6.2f} ± {spread:.2f}   wanted {wanted}, paper's best {BEST_PRINTED[name]}"
            f"   {seconds:.2f} s a run"
        )


def unseen() -> None:
    runs = 10 if QUICK else 100
    print(f"Files on which no constant of the attack was chosen, mean of {runs} runs of 100 records; guessing finds 1")
    for name, (path, first, second) in UNSEEN.items():
        with (DATA / path).open(newline="") as lines:
            header, *rows = csv.reader(lines)
        names = [header[s] if isinstance(s, slice) else s for s in (first, second)]
        halves = tuple(np.array([[float(row[header.index(c)]) for c in side] for row in rows]) for side in names)
        linkers = {
            "representatives": RepresentativeLinkage(),
            "one to one": RepresentativeLinkage(normalise="rank_gauss", metric="root", one_to_one=True),
            "structural": StructuralLinkage(),
        }
        found = one_file(halves, linkers, runs)
        print(f"{name:16} " + "   ".join(f"{label} {np.mean(values):.2f}" for label, values in found.items()))


def variables() -> None:
    runs = 10 if QUICK else 100
    print(f"P1d, Table IV: variables matched on {runs} random splits")
    for name, printed in (("iris.csv", 0), ("abalone.csv", 6), ("ionosphere.csv", 10)):
        values = scaled(DATA, name)
        for method in ("owa", "marginal", "association", "both"):
            rng = np.random.default_rng(0)
            found = [correct(values, method, rng) for _ in range(runs)]
            print(f"{name:16} {method:12} {np.mean(found):6.2f} of {values.shape[1]}, least {min(found)} ({printed})")


def baselines() -> None:
    runs = 20 if QUICK else 200
    halves, rng = problems.load(DATA, "census"), np.random.default_rng(0)
    print(f"Census, 90 records, {runs} runs; the paper says 5 of 90 for both")
    methods = {"first component": FirstComponentLinkage(), "sum of z-scores": SumOfScoresLinkage()}
    found: dict[str, list[float]] = {label: [] for label in methods}
    for _ in range(runs):
        a, b, truth = problems.draw(halves, 90, rng)
        for label, linker in methods.items():
            found[label].append(linker.link(a, b).evaluate(truth).expected)
    for label, values in found.items():
        print(f"{label:16} {np.mean(values):.2f}")


def supervised() -> None:
    runs = 3 if QUICK else 20
    print(f"Worst case: 50 of 100 links known, correct among the other 50, mean of {runs} runs")
    for name in WANTED:
        halves, rng = problems.load(DATA, name), np.random.default_rng(0)
        found = dict.fromkeys(("improved", "bilinear", "weighted", "choquet"), 0.0)
        for _ in range(runs):
            a, b, truth = problems.draw(halves, 100, rng)
            rest = truth.copy()
            rest[:50] = -1
            for distance in found:
                known = [[int(truth[j]), j] for j in range(50)]
                linker = SupervisedLinkage(known, distance=distance, improve=False)
                if distance == "improved":
                    linker = SupervisedLinkage(known)
                found[distance] += linker.link(a, b).evaluate(rest).expected / runs
        print(f"{name:16} " + "   ".join(f"{label} {value:.1f}" for label, value in found.items()))


def speed() -> None:
    rng = np.random.default_rng(0)
    halves = problems.load(DATA, "wdbc")
    a, b, truth = problems.draw(halves, 100, rng)
    linker = RepresentativeLinkage()
    linker.link(a, b)
    start = time.perf_counter()
    links = linker.link(a, b)
    quick = time.perf_counter() - start
    first, second = (reference.standard(table.numeric(table.names).tolist()) for table in (a, b))
    start = time.perf_counter()
    u, v = (reference.representatives(rows, "owa:threshold") for rows in (first, second))
    for one in v:
        min(reference.distance(other, one, "euclidean") for other in u)
    naive = time.perf_counter() - start
    print(f"100 x 100 records: {quick:.4f} s, plain definition {naive:.2f} s, {naive / quick:.0f} times")
    print(significance(links, truth).sentence)
    sizes = (2_000,) if QUICK else (2_000, 10_000)
    for n in sizes:
        hidden = rng.gamma([1.0, 2.0, 4.0, 8.0], size=(n, 4))
        noisy = hidden * np.exp(0.02 * rng.normal(size=hidden.shape))
        a, b = problems.table(hidden, "a"), problems.table(noisy, "b")
        for label, one in (
            ("nearest", RepresentativeLinkage()),
            ("hubs corrected", RepresentativeLinkage(hubness=10)),
            ("L½, one to one", RepresentativeLinkage(metric="root", one_to_one=True)),
        ):
            start = time.perf_counter()
            found = one.link(a, b).evaluate().rate
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
            seconds = time.perf_counter() - start
            print(f"{n} x {n}: {label:16} {seconds:6.2f} s, {100 * found:.1f} % found, {memory:.2f} GB")


def large() -> None:
    print("Files of any size: groups first, then records within them; the exact search beside it where it can be done")
    sizes = [(600, 0.05), (1_000, 0.2), (10_000, 0.02)] if QUICK else [
        (600, 0.05), (1_000, 0.2), (2_000, 0.05), (10_000, 0.02), (100_000, 0.01)]  # fmt: skip
    for n, noise in sizes:
        rng = np.random.default_rng(0)
        x, y = latent(n, rng, noise)
        order = rng.permutation(n)
        a, b = problems.table(x, "a"), problems.table(y[order], "b")
        for label, most in (("exact", n * n), ("groups first", 0)):
            if label == "exact" and n > 2_000:
                continue
            structural.MOST_PAIRS = most
            start = time.process_time()
            found = StructuralLinkage().link(a, b).evaluate(order).rate
            seconds = time.process_time() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
            what = f"{100 * found:5.1f} % found, {seconds:6.1f} CPU s, {memory:.2f} GB"
            print(f"{n} x {n}, noise {noise}: {label:13} {what}")


PARTS = {f.__name__: f for f in (tables, attack, unseen, variables, baselines, supervised, speed, large)}

if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name in PARTS] or list(PARTS)
    for part in chosen:
        PARTS[part]()
        print()
