"""The study, measured: how fast experiments run, what shared work saves, how few a search needs, who wins.

    python benchmarks/study.py            # a sample of Torra's study: about a minute
    python benchmarks/study.py --quick    # a small sample
    python benchmarks/study.py --full     # all 24,525 experiments, and the search against the whole grid

Seconds are wall time; CPU seconds, those of all processes, stand beside them, because other work on the machine does
not change them. "Alone" is the plain path: a fresh table for every experiment, nothing shared.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

from discreet.contracts.engine import InProcess
from discreet.contracts.masker import Masker
from discreet.evaluation.experiment import Originals, Scoring, plan, run
from discreet.evaluation.score import mean_score
from discreet.evaluation.study import Study, compare
from discreet.evaluation.tuning import tune
from discreet.reproduction.subjects import categorical_study


def table(title: str, head: list[str], rows: list[list[Any]]) -> None:
    cells = [head, *[[f"{c:.3g}" if isinstance(c, float) else str(c) for c in row] for row in rows]]
    widths = [max(len(row[j]) for row in cells) for j in range(len(head))]
    print(f"\n{title}\n")
    for row in cells:
        print("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds of this process and its children, and the result."""

    def spent() -> float:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    wall, cpu = time.perf_counter(), spent()
    result = work()
    return time.perf_counter() - wall, spent() - cpu, result


def one_experiment() -> None:
    """Show what an experiment takes by set, with shared work and without."""
    measures, rows, papers = categorical_study.measures(), [], Scoring("mean", defaults=False)
    table_ = categorical_study.survey()
    for name, keys in categorical_study.SETS.items():
        candidates = categorical_study.candidates(full=False)[::3]
        experiments = plan(candidates, {name: keys}, 1, 0)
        originals = Originals(table_)
        run(experiments[0], originals, measures, papers)
        _, shared, found = timed(lambda e=experiments, o=originals: [run(one, o, measures, papers) for one in e])

        def alone(experiments: Any = experiments, keys: Any = keys) -> list[float]:
            scores = []
            for one in experiments:
                data = categorical_study.survey()
                data = data.select(keys)
                masker = one.masker.clone()
                if "random_state" in masker.get_params(deep=False):
                    masker.set_params(random_state=one.seed)
                masked = masker.mask(data)
                scores.append(mean_score([m.measure(data, masked, engine=InProcess()) for m in measures]).value)
            return scores

        _, fresh, scores = timed(alone)
        same = all(a["score"] == b for a, b in zip(found, scores, strict=True))
        n = len(experiments)
        rows.append([name, len(keys), n, 1000 * shared / n, 1000 * fresh / n, fresh / shared, "yes" if same else "NO"])
    head = ["set", "keys", "experiments", "ms", "ms alone", "ratio", "same scores"]
    table("One experiment: mask, both linkages, five losses (CPU milliseconds)", head, rows)
    seconds = sum(row[3] for row in rows) / len(rows) / 1000 * 24_525
    print(f"\n  At this rate 24,525 experiments take {seconds:.0f} CPU s: {seconds / 120:.1f} min on two idle cores.")


def whole(*, full: bool, quick: bool) -> Study:
    """Run the study of 2004."""
    if quick:
        work = lambda: compare(  # noqa: E731
            categorical_study.survey(), categorical_study.candidates(full=False)[::4],
            attribute_sets=categorical_study.SETS, measures=categorical_study.measures(), score="mean",
        )  # fmt: skip
    else:
        work = lambda: categorical_study.run(full)  # noqa: E731
    wall, cpu, study = timed(work)
    n = len(study)
    rows = [[n, wall, cpu, n / wall, 1000 * cpu / n]]
    head = ["experiments", "s", "CPU s, start of processes included", "experiments/s", "CPU ms each"]
    table("Torra's study on housing(1000); 24,525 experiments took 4.5 days there (16 s each)", head, rows)
    return study


def winners(study: Study, *, full: bool) -> None:
    ours = categorical_study.run_ours(full=full)
    for found in categorical_study.tables(study=study, ours=ours)[2:]:
        rows = [[row.label, *[cell.ours if cell else "" for cell in row.cells]] for row in found.rows]
        table(found.title, [found.corner, *found.columns], rows)


def search(*, full: bool, sets: str, seeds: int) -> None:
    """Set the search against the best of the whole grid, drawn with the same seeds.

    The best of thousands of runs was lucky as well as good, so both choices are also run again with seeds that neither
    has seen.
    """
    rows = []
    space = categorical_study.candidates(full=full)
    for name in sets:
        keys = categorical_study.SETS[name]
        for seed in range(seeds):
            given: dict[str, Any] = {"measures": categorical_study.measures(), "score": "mean", "random_state": seed}
            grid = compare(categorical_study.survey(), space, attribute_sets={name: keys}, **given)
            _, cpu, tuned = timed(
                lambda k=keys, given=given: tune(categorical_study.survey(), space, attributes=k, **given)
            )
            best, found = (
                min((row for row in study.rows if row["error"] is None), key=lambda row: row["score"])
                for study in (grid, tuned.study)
            )
            again = [_again(row["candidate"], space, {name: keys}) for row in (best, found)]
            gap = 100 * (found["score"] / best["score"] - 1)
            share = f"{100 * tuned.experiments / len(space):.1f} %"
            rows.append(
                [
                    name,
                    seed,
                    len(space),
                    tuned.experiments,
                    share,
                    best["score"],
                    found["score"],
                    f"{gap:.2f} %",
                    *again,
                    cpu,
                ]
            )
    head = [
        "set",
        "seed",
        "grid",
        "tried",
        "share",
        "grid's best",
        "found",
        "worse by",
        "again",
        "again, found",
        "CPU s",
    ]
    table("tune against the whole grid with the same seeds; both choices again, mean of 20 other seeds", head, rows)


def _again(label: str, space: list[Masker], sets: dict[str, Any]) -> float:
    masker = next(one for one in space if one.label() == label)
    found = compare(
        categorical_study.survey(),
        [masker],
        attribute_sets=sets,
        repetitions=20,
        measures=categorical_study.measures(),
        score="mean",
        random_state=977,
    )
    return sum(row["score"] for row in found.rows) / len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    one_experiment()
    study = whole(full=options.full, quick=options.quick)
    if not options.quick:
        winners(study, full=options.full)
    search(full=options.full, sets="p" if options.quick else "gmopz" if options.full else "pz", seeds=1 + options.full)


if __name__ == "__main__":
    main()
