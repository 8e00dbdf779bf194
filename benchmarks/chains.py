"""Chains compared, measured: what shared first steps save, and how many whole-file attacks a search needs.

    python benchmarks/chains.py            # 24 chains on 4,000 records, a search among 45
    python benchmarks/chains.py --quick    # on fewer records

CPU seconds of this process, because other work on the machine does not change them. "Alone" is the naive loop: every
chain masked from the original. The figures of both are compared, row by row.
"""

from __future__ import annotations

import argparse
import time

from discreet.contracts.engine import InProcess
from discreet.datasets import business
from discreet.evaluation.candidates import grid
from discreet.evaluation.experiment import Originals, Scoring, plan, run
from discreet.evaluation.prefixes import Prefixes, in_prefix_order
from discreet.evaluation.tuning import tune
from discreet.release.alternatives import chains
from discreet.release.ceilings import release_type
from discreet.release.proposed_chains import propose_chains


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    records = 600 if parser.parse_args().quick else 4000
    table = business(records)
    candidates = chains(
        grid("top-coding", share=[0.01, 0.05]),
        grid("ward", k=[3, 5, 8]),
        [*grid("additive-noise", level=[0.05, 0.1]), *grid("rank-swapping", p=[2, 5])],
    )
    assert len(candidates) == 24
    candidates[0].seeded(1).mask(table)  # compiled before anything is measured

    def masked_alone() -> list[object]:
        return [chain.seeded(1).mask(table, engine=InProcess()).to_native() for chain in candidates]

    prefixes = Prefixes()

    def masked_shared() -> list[object]:
        paths = [(chain, chain.seeded(1).step_keys()) for chain in candidates]
        releases = {
            id(c): prefixes.mask(c.seeded(1), table, InProcess()).to_native() for c, _ in in_prefix_order(paths)
        }
        return [releases[id(chain)] for chain in candidates]

    seconds = {}
    for name, work in (("alone", masked_alone), ("shared", masked_shared)):
        start = time.process_time()
        releases = work()
        seconds[name] = time.process_time() - start
        if name == "alone":
            expected = releases
    assert all(one.equals(other) for one, other in zip(expected, releases, strict=True))  # type: ignore[attr-defined]
    ratio = seconds["alone"] / seconds["shared"]
    print(f"masking 24 chains of 3 steps, {records} records: alone {seconds['alone']:.2f} CPU s, shared "
          f"{seconds['shared']:.2f} CPU s ({ratio:.1f} times), {prefixes.steps_taken} of 72 steps taken")  # fmt: skip

    experiments = plan(candidates, {"all keys": table.schema.keys}, 1, 1)
    how = Scoring(defaults=False)
    whole = {}
    for name in ("alone", "shared"):
        originals = Originals(table)
        start, rows = time.process_time(), []
        for experiment, _ in in_prefix_order([(one, one.path()) for one in experiments]):
            if name == "alone":
                originals.prefixes = Prefixes()
            rows.append(run(experiment, originals, [], how))
        whole[name] = (time.process_time() - start, [(row["risk"], row["loss"]) for row in rows])
    assert whole["alone"][1] == whole["shared"][1]
    print(f"masked, attacked and measured: alone {whole['alone'][0]:.2f} CPU s, shared {whole['shared'][0]:.2f} CPU s "
          f"({whole['alone'][0] / whole['shared'][0]:.2f} times)")  # fmt: skip

    space = propose_chains(table.schema, records, release_type("research"))
    limits = {"risk_at_most": 20.0, "smallest_group": 3}
    for budget in (len(space), 12):
        start = time.process_time()
        tuned = tune(table, space, thresholds=limits, budget=budget, measures=[], random_state=1, workers=1)
        rungs = ", ".join(f"{rung.candidates} on {rung.records}" for rung in tuned.rungs)
        spent, best = time.process_time() - start, tuned.best
        print(f"search among {len(space)}, budget {budget}: {rungs}; {len(tuned.study)} attacked in every way; "
              f"{spent:.2f} CPU s; {best['label']}, loss {best['loss']:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
