"""Record linkage as attack, measured.

    python benchmarks/linkage.py --quick    # up to 10,000 records, a minute
    python benchmarks/linkage.py            # up to 100,000 records
    python benchmarks/linkage.py --full     # up to 1,000,000 records
    python benchmarks/linkage.py --only distance estimators

Every case runs in a process of its own: wall seconds and CPU seconds of the second call, after compilation, and the
most memory that the process ever had. Columns are a byte wide, and our cases run without pandas, which Discreet does
not need and Arrow would load where it finds it. splink, recordlinkage and faiss are used where they are installed.
Records are those of the bundled housing survey on ten categories, the masked version has 15 % of every column drawn
anew. The census file is looked for in DISCREET_DATA, by default ../shared/data.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import discreet as dc
from discreet.engines.memory import MemoryEngine
from discreet.linkage.combined import combine
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.masking_aware import MaskingAwareLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.yardstick import prepare

NAMES = ["BUILT", "DEGREE", "GRADE1", "METRO", "SCH", "SHP", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"]
# Domingo-Ferrer and Torra 2002, Table 2.
GROUPS = {
    "u": ["BUILT", "GRADE1", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"],
    "l": ["BUILT", "GRADE1", "WHYMOVE"],
    "s": ["DEGREE", "METRO", "SCH", "SHP"],
    "m": ["TRAN1", "WHYTOH", "WHYTON"],
    "o": ["BUILT", "DEGREE", "GRADE1"],
}


def table(title: str, head: list[str], rows: list[list[Any]]) -> None:
    cells = [head, *[[f"{c:.3g}" if isinstance(c, float) else str(c) for c in row] for row in rows]]
    widths = [max(len(row[j]) for row in cells) for j in range(len(head))]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), flush=True)


def codes(
    n: int, rate: float | list[float] = 0.15, names: list[str] = NAMES
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return the survey and its masked version as codes; kept on disk, because making a million takes half a minute."""
    kept = Path(tempfile.gettempdir()) / f"discreet-housing-{n}-int8.npy"
    schema = dc.datasets.housing(2).schema
    if kept.exists():
        a = np.load(kept)
    else:
        survey = dc.datasets.housing(n)
        a = np.stack([survey.encoded(name) for name in NAMES], axis=1).astype(np.int8)
        np.save(kept, a)
    sizes = [len(schema[name].scale) for name in NAMES]
    rates = rate if isinstance(rate, list) else [rate] * len(NAMES)
    rng = np.random.default_rng(1)
    b = a.copy()
    for j, size in enumerate(sizes):
        changed = rng.random(n) < rates[j]
        b[changed, j] = rng.integers(0, size, int(changed.sum()))
    chosen = [NAMES.index(name) for name in names]
    return a[:, chosen], b[:, chosen], [sizes[j] for j in chosen]


def level_dependent(first: np.ndarray, sizes: list[int], theta: float) -> np.ndarray:
    """Return a version in which a level is left the more often the rarer it is, as a PRAM by frequencies does."""
    rng = np.random.default_rng(1)
    second = first.copy()
    for j, size in enumerate(sizes):
        counts = np.bincount(first[:, j], minlength=size)
        occurs = np.flatnonzero(counts)
        leave = theta * np.minimum(1.0, counts[occurs].mean() / np.maximum(counts, 1))
        changed = rng.random(len(first)) < leave[first[:, j]]
        second[changed, j] = rng.choice(occurs, int(changed.sum()))
    return second


def microdata(values: np.ndarray, sizes: list[int], names: list[str] = NAMES) -> dc.Microdata:
    ordered = {"BUILT", "DEGREE", "GRADE1"}
    schema = dc.Schema(
        dc.Attribute(name, (dc.Ordinal if name in ordered else dc.Nominal)(tuple(range(size))), "key")
        for name, size in zip(names, sizes, strict=True)
    )
    return dc.Microdata(pa.table({name: values[:, j] for j, name in enumerate(names)}), schema)


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, float, Any]:
    wall, cpu, result = np.inf, np.inf, None
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        result = work()
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, time.process_time() - used)
    return wall, cpu, result


# ------------------------------------------------------------------------------------------- cases, each in a process


def case_probabilistic(n: int, m: str = "anchored") -> dict[str, Any]:
    warm_a, warm_b, sizes = codes(1000)
    linker = ProbabilisticLinkage(m=m)
    linker.link(microdata(warm_a, sizes), microdata(warm_b, sizes), engine=MemoryEngine())
    first, second, _ = codes(n)
    a, b = microdata(first, sizes), microdata(second, sizes)
    wall, cpu, links = timed(lambda: linker.link(a, b, engine=MemoryEngine()), 3 if n <= 10_000 else 1)
    return {"wall": wall, "cpu": cpu, "correct": 100 * links.evaluate().rate}


def case_categorical(n: int) -> dict[str, Any]:
    warm_a, warm_b, sizes = codes(1000)
    DistanceLinkage().link(microdata(warm_a, sizes), microdata(warm_b, sizes), engine=MemoryEngine())
    first, second, _ = codes(n)
    a, b = microdata(first, sizes), microdata(second, sizes)
    del first, second
    wall, cpu, links = timed(lambda: DistanceLinkage().link(a, b, engine=MemoryEngine()))
    return {"wall": wall, "cpu": cpu, "correct": 100 * links.evaluate().rate}


def case_brute(n: int) -> dict[str, Any]:
    """Compare a part of the records with everybody, in blocks of a matrix."""
    first, second, sizes = codes(n)
    a, b = microdata(first, sizes), microdata(second, sizes)
    terms = prepare("brute force", a, b, tuple(NAMES))
    few, block = min(n, 100_000_000 // n), max(1, 10_000_000 // n)
    work = lambda: [np.partition(terms.matrix(slice(k, k + block)), 1) for k in range(0, few, block)]  # noqa: E731
    wall, cpu, _ = timed(work)
    return {"wall": wall * n / few, "cpu": cpu * n / few, "correct": float("nan")}


def numbers(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    return x, x + 0.1 * rng.normal(size=(n, d))


def case_numeric(n: int, d: int) -> dict[str, Any]:
    names = [f"v{j}" for j in range(d)]
    schema = dc.Schema(dc.Attribute(name, dc.Numeric(), "key") for name in names)

    def data(values: np.ndarray) -> dc.Microdata:
        return dc.Microdata(pa.table({name: values[:, j] for j, name in enumerate(names)}), schema)

    DistanceLinkage().link(*map(data, numbers(500, d)), engine=MemoryEngine())
    a, b = map(data, numbers(n, d))
    wall, cpu, links = timed(lambda: DistanceLinkage().link(a, b, engine=MemoryEngine()))
    return {"wall": wall, "cpu": cpu, "correct": 100 * links.evaluate().rate}


def case_scipy(n: int, d: int) -> dict[str, Any]:
    from scipy.spatial import cKDTree

    x, y = numbers(n, d)
    wall, cpu, found = timed(lambda: cKDTree(x).query(y, k=2, workers=-1))
    return {"wall": wall, "cpu": cpu, "correct": 100 * float((found[1][:, 0] == np.arange(n)).mean())}


def case_sklearn(n: int, d: int) -> dict[str, Any]:
    from sklearn.neighbors import NearestNeighbors

    x, y = numbers(n, d)
    wall, cpu, found = timed(lambda: NearestNeighbors(n_neighbors=2, n_jobs=-1).fit(x).kneighbors(y))
    return {"wall": wall, "cpu": cpu, "correct": 100 * float((found[1][:, 0] == np.arange(n)).mean())}


def case_faiss(n: int, d: int) -> dict[str, Any]:
    import faiss

    x, y = (np.ascontiguousarray(v, dtype=np.float32) for v in numbers(n, d))

    def work() -> Any:
        index = faiss.IndexFlatL2(d)
        index.add(x)
        return index.search(y, 2)

    wall, cpu, found = timed(work)
    return {"wall": wall, "cpu": cpu, "correct": 100 * float((found[1][:, 0] == np.arange(n)).mean())}


# What splink compares: the more records, the more they must agree on before, or the pairs do not fit into memory.
# At 1,000,000 records the rules of 10,000 would leave 8,000,000,000 pairs.
BLOCKS = {
    10_000: [["BUILT", "GRADE1", "WHYMOVE"], ["TRAN1", "WHYTOH", "WHYTON", "METRO"]],
    100_000: [["BUILT", "GRADE1", "WHYMOVE"], ["DEGREE", "METRO", "SCH", "SHP", "WHYTON"]],
    1_000_000: [
        ["BUILT", "DEGREE", "GRADE1", "METRO", "SCH", "SHP", "TRAN1"],
        ["BUILT", "DEGREE", "GRADE1", "METRO", "WHYMOVE", "WHYTOH", "WHYTON"],
    ],
}
# With these besides, more of the true pairs are among those that are compared.
MORE_BLOCKS = [
    ["BUILT", "GRADE1", "SCH", "SHP", "TRAN1", "WHYMOVE", "WHYTOH"],
    ["BUILT", "DEGREE", "METRO", "SCH", "TRAN1", "WHYTOH", "WHYTON"],
]
# What it learns from: records that agree on so much are mostly matches, without which its estimates drift away.
LEARNT_FROM = [
    ["BUILT", "DEGREE", "GRADE1", "METRO", "SCH"],
    ["BUILT", "GRADE1", "TRAN1", "WHYMOVE", "WHYTON"],
    ["DEGREE", "SHP", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"],
]
TRAINED_ON = 30_000


def case_splink(n: int, blocked: int = 0) -> dict[str, Any]:
    """Run splink; with blocking, its parameters come from a part of the records, as its users do with large files."""
    import logging

    import pandas as pd
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on
    from splink.internals.duckdb.database_api import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    first, second, _ = codes(n)
    frames = [pd.DataFrame(x, columns=NAMES).assign(unique_id=np.arange(n)) for x in (first, second)]
    some = min(n, TRAINED_ON) if blocked else n
    training = [block_on(*names) for names in LEARNT_FROM] if blocked else ["1=1"]
    chosen = [*BLOCKS[max(n, 10_000)], *(MORE_BLOCKS if blocked > 1 else [])] if blocked else []
    rules = [block_on(*names) for names in chosen] or ["1=1"]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[cl.ExactMatch(name) for name in NAMES],
        blocking_rules_to_generate_predictions=rules,
        probability_two_random_records_match=1 / some,
        retain_matching_columns=False,
    )

    def started(settings: Any, api: Any, size: int) -> Any:
        pairs = zip(frames, ("first", "second"), strict=True)
        return Linker([api.register(frame[:size], dataset_display_name=name) for frame, name in pairs], settings)

    def work() -> Any:
        api = DuckDBAPI()
        linker = started(settings, api, some)
        linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
        for rule in training:
            linker.training.estimate_parameters_using_expectation_maximisation(
                rule, estimate_without_term_frequencies=True
            )
        if some < n:
            learnt = {**linker.misc.save_model_to_json(), "probability_two_random_records_match": 1 / n}
            api = DuckDBAPI()
            linker = started(learnt, api, n)
        predicted = linker.inference.predict()
        name = predicted.physical_name
        query = f"select unique_id_r, arg_max(unique_id_l, match_weight) from {name} group by 1"  # noqa: S608
        return api.duckdb_con.execute(query).fetchall()  # the best pair of every masked record

    wall, cpu, best = timed(work)
    return {"wall": wall, "cpu": cpu, "correct": 100 * sum(i == j for i, j in best) / n}


def case_recordlinkage(n: int) -> dict[str, Any]:
    import pandas as pd
    import recordlinkage as rl

    first, second, _ = codes(n)
    a, b = (pd.DataFrame(x, columns=NAMES) for x in (first, second))

    def work() -> Any:
        index = rl.Index()
        index.full()
        compare = rl.Compare()
        for name in NAMES:
            compare.exact(name, name, label=name)
        pairs = compare.compute(index.index(a, b), a, b)
        model = rl.ECMClassifier(binarize=0.5)
        model.fit(pairs)
        probability = model.prob(pairs)
        return probability.groupby(level=1).idxmax()

    wall, cpu, best = timed(work)
    return {"wall": wall, "cpu": cpu, "correct": 100 * float(np.mean([pair[0] == j for j, pair in best.items()]))}


CASES = {name.removeprefix("case_"): function for name, function in list(globals().items()) if name.startswith("case_")}


def run(case: str, *arguments: Any, limit: float = 900.0, needs: str = "") -> list[Any]:
    """Run a case in a process of its own and return wall, CPU, memory and correct links, or what went wrong."""
    if needs and importlib.util.find_spec(needs) is None:
        return ["not installed", "", "", ""]
    command = [sys.executable, __file__, "--case", case, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return [f"> {limit:.0f} s", "", "", ""]
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return [reason[:40], "", "", ""]
    got = json.loads(done.stdout.strip().splitlines()[-1])
    return [got["wall"], got["cpu"], got["memory"], got["correct"]]


HEAD = ["seconds", "CPU s", "GB", "correct %"]


def section_probabilistic(sizes: list[int]) -> None:
    rows: list[list[Any]] = []
    for n in sizes:
        rows.append([n, "all pairs", "discreet", *run("probabilistic", n)])
        rows.append([n, "all pairs", "discreet, known m", *run("probabilistic", n, "known")])
        if n <= 10_000:
            rows.append([n, "all pairs", "splink", *run("splink", n, needs="splink")])
        rows.append([n, "blocked", "splink", *run("splink", n, 1, needs="splink")])
        if n > 100_000:
            rows.append([n, "four blocks", "splink", *run("splink", n, 2, needs="splink")])
        if n <= 1000:
            rows.append([n, "all pairs", "recordlinkage", *run("recordlinkage", n, needs="recordlinkage")])
    table("Probabilistic linkage, 10 categories, 15 % drawn anew", ["records", "pairs", "who", *HEAD], rows)


def section_distance(sizes: list[int]) -> None:
    rows: list[list[Any]] = []
    most = max(sizes)
    for n, d in ((most, 5), (min(most, 100_000), 10)):
        rows.append([f"{n} × {d}", "discreet", *run("numeric", n, d)])
        rows.append([f"{n} × {d}", "scipy cKDTree", *run("scipy", n, d)])
        if n * d <= 1_000_000:
            rows.append([f"{n} × {d}", "scikit-learn", *run("sklearn", n, d)])
            rows.append([f"{n} × {d}", "faiss (float32)", *run("faiss", n, d, needs="faiss")])
    table("Nearest and second nearest, numbers and noise of 0.1", ["file", "who", *HEAD], rows)
    rows = [
        [n, who, *run(case, n)]
        for n in sizes
        for who, case in (("prefix tree", "categorical"), ("brute force", "brute"))
    ]
    table("Nearest and second nearest, 10 categories (brute force from a part)", ["records", "who", *HEAD], rows)


def section_estimators(sizes: list[int]) -> None:
    rows: list[list[Any]] = []
    unequal = [0.05, 0.4, 0.1, 0.3, 0.02, 0.2, 0.15, 0.25, 0.35, 0.05]
    masks: dict[str, Any] = {"15 % each": 0.15, "2 to 40 %": unequal, "40 % each": 0.4, "by level, θ 0.4": None}
    for label, rate in masks.items():
        for names in (NAMES, NAMES[:6]):
            for n in sizes:
                first, second, counts = codes(n, rate or 0.0, names)
                if rate is None:
                    second = level_dependent(first, counts, 0.4)
                a, b = microdata(first, counts, names), microdata(second, counts, names)
                found = {
                    m: ProbabilisticLinkage(m=m).link(a, b, engine=MemoryEngine()).evaluate().expected
                    for m in (("known", "anchored", "em") if n > 100_000 else ("known", "anchored", "em", "free"))
                }
                known = found["known"]
                shares = [100 * found[m] / known if m in found else "" for m in ("anchored", "em", "free")]
                rows.append([label, len(names), n, 100 * known / n, *shares])
    head = ["drawn anew", "attributes", "records", "known m: correct %", "anchored", "em", "free"]
    table("Correct links without the truth, in percent of those with known m", head, rows)


def section_p4(n: int) -> None:
    from discreet.masking.perturbing.pram import PRAM
    from discreet.masking.recoding.coding import BottomCoding, TopCoding
    from discreet.masking.recoding.global_recoding import GlobalRecoding

    survey = dc.datasets.housing(n)
    methods: dict[str, Callable[[int, list[str]], Any]] = {
        "Bottom": lambda p, names: BottomCoding(p, attributes=names),
        "Global": lambda p, names: GlobalRecoding(p, attributes=names),
        "PRAM": lambda p, names: PRAM(p / 10, attributes=names, random_state=p),
        "Top": lambda p, names: TopCoding(p, attributes=names),
    }
    rows, by_kind = [], {"probabilistic": [], "distance": [], "masking-aware": [], "union of two": []}
    skipped = 0
    for p in range(1, 10):
        row: dict[str, list[float]] = {}
        for group, names in GROUPS.items():
            for method, make in methods.items():
                try:
                    masked = make(p, names).mask(survey)
                    links = [linker(attributes=names).link(survey, masked)
                             for linker in (ProbabilisticLinkage, DistanceLinkage, MaskingAwareLinkage)]  # fmt: skip
                except dc.DiscreetError:
                    skipped += 1  # such as coding levels of an attribute that has no more, or no order
                    continue
                union = combine(links[:2])
                values = [*(one.evaluate().expected for one in links), union.expected]
                for kind, value in zip(by_kind, values, strict=True):
                    by_kind[kind].append(value)
                if group == "s":
                    row[method] = values
        rows.append([p, *(f"{row[m][0]:.0f} {row[m][1]:.0f} {row[m][2]:.0f}" if m in row else "" for m in methods)])
    table("Group 's', records of a thousand: probabilistic, distance, masking-aware", ["p", *methods], rows)
    means = [[kind, float(np.mean(values)), len(values)] for kind, values in by_kind.items()]
    table(f"Mean over the experiments ({skipped} impossible)", ["attack", "re-identified", "experiments"], means)


def census_file() -> dc.Microdata | None:
    folder = Path(os.environ.get("DISCREET_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "sdc" / "CASCrefmicrodata.csv"
    if not file.exists():
        print(f"\nThe census file is not in {folder}; set DISCREET_DATA.")
        return None
    import polars as pl

    frame = pl.read_csv(file).cast(pl.Float64)
    return dc.Microdata(frame, dc.Schema(dc.Attribute(name, dc.Numeric(), "key") for name in frame.columns))


def section_swapping() -> None:
    census = census_file()
    if census is None:
        return
    rows = []
    for p in (2, 5, 10, 20):
        masked = dc.RankSwapping(p, random_state=0).mask(census)
        for known in (2, 3, 4, 13):
            names = list(census.names[:known])
            generic = DistanceLinkage(attributes=names).link(census, masked)
            aware = MaskingAwareLinkage(attributes=names).link(census, masked)
            weighed = (
                "" if known > 7 else 100 * ProbabilisticLinkage(attributes=names).link(census, masked).evaluate().rate
            )
            rows.append([p, known, weighed, 100 * generic.evaluate().rate, 100 * aware.evaluate().rate])
    head = ["p", "known", "probabilistic", "distance", "within the window"]
    table("Rank swapping of the census file: percent re-identified", head, rows)


def section_microaggregation() -> None:
    from discreet.masking.microaggregation.records.kmodes import KModes

    rows: list[list[Any]] = []
    linkers = (ProbabilisticLinkage, DistanceLinkage, MaskingAwareLinkage)
    survey = dc.datasets.housing(1000)
    for n_vars in (None, 5, 3, 2):
        for k in (3, 6):
            masked = KModes(k, n_vars=n_vars, attributes=NAMES, random_state=0).mask(survey)
            found = [100 * linker(attributes=NAMES).link(survey, masked).evaluate().rate for linker in linkers]
            rows.append(["housing", f"k-modes, {n_vars or 10} attributes a block", k, *found])
    census = census_file()
    if census is not None:
        for blocks in (None, 5, 4, 3):
            for k in (5, 20):
                masked = dc.MDAV(k=k, blocks=blocks).mask(census)
                found = [100 * linker().link(census, masked).evaluate().rate for linker in linkers[1:]]
                rows.append(["census", f"MDAV, {blocks or 13} attributes a block", k, "", *found])
    head = ["file", "method", "k", "probabilistic", "distance", "masking-aware"]
    table("Microaggregation, attacked with its provenance: percent re-identified", head, rows)


class WithoutPandas(importlib.abc.MetaPathFinder):
    """Lets nobody import pandas."""

    def find_spec(self, fullname: str, *_: Any) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument(
        "--only", nargs="+", choices=["probabilistic", "distance", "estimators", "p4", "swapping", "microaggregation"]
    )
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        name, *arguments = given.case
        if name in ("probabilistic", "categorical", "numeric"):
            sys.meta_path.insert(0, WithoutPandas())
        result = CASES[name](*(int(x) if x.isdigit() else x for x in arguments))
        result["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(json.dumps(result))
        return
    sizes = [1000, 10_000] if given.quick else [1000, 10_000, 100_000] + ([1_000_000] if given.full else [])
    sections: dict[str, Callable[[], None]] = {
        "probabilistic": lambda: section_probabilistic(sizes),
        "distance": lambda: section_distance(sizes),
        "estimators": lambda: section_estimators(sizes),
        "p4": lambda: section_p4(200 if given.quick else 1000),
        "swapping": section_swapping,
        "microaggregation": section_microaggregation,
    }
    for name, section in sections.items():
        if not given.only or name in given.only:
            section()


if __name__ == "__main__":
    main()
