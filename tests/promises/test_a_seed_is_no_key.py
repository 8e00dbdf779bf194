"""A seed brings the file back and is no key to the original.

For every masker of the registry that draws, an intruder with release, source, parameters, seed and a tenth of the
records gets no further than somebody with a wrong seed.
"""

from __future__ import annotations

import functools
import math
import random

import numpy as np
import pytest
from tests.promises import intruder, judge, releases, tables

import discreet as dc

SEED = 1  # the first that anybody would try
N = 300
KNOWN = sorted(random.Random(3).sample(range(N), N // 10))  # noqa: S311 - who is known is no secret
DRAWING = {name: cls for name, cls in dc.methods("masker").items() if "random_state" in cls.parameter_names()}
EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{example}")
    for name, cls in DRAWING.items()
    for example in range(len(cls.examples()))
]
REAL, STRANGE = tables.survey(N, seed=11), tables.survey(N, seed=12)


def masked(method, example, seed, table, where=None):
    """Write a table, mask it, write the release, and return its cells."""
    masker = DRAWING[method].examples()[example].set_params(random_state=seed)
    source, target = releases.folder() / "seed-in.csv", releases.folder() / "seed-out.csv"
    if where == "out of core":
        source, target = source.with_suffix(".parquet"), target.with_suffix(".parquet")
    tables.write(table, source)
    with releases.quiet():
        if where == "out of core":
            dc.protect(dc.scan(source, source.with_suffix(".toml")), masker, output=target)
        else:
            dc.write(masker.mask(dc.read(source, source.with_suffix(".toml"))), target)
    return intruder.cells_of(target)


def findings(method, example, where=None):
    """Play every attack against a masker and return those that beat luck."""
    run = functools.cache(lambda seed, place: masked(method, example, seed, tries[place], where))
    release = masked(method, example, SEED, REAL, where)
    original = intruder.cells_of(releases.folder() / f"seed-in.{'parquet' if where else 'csv'}")
    # Groups are formed by a search: its draws move borders and reach no cell, so that dealing anew shows nothing more.
    tries = intruder.surrogates(REAL, STRANGE, release, KNOWN, 0 if DRAWING[method].groups else 4)
    drawn = [intruder.columns_of(table) for table in tries]
    runs = functools.cache(lambda seed: [(drawn[place], run(seed, place)) for place in range(len(tries))])
    noise = 4.0 / math.sqrt(N)
    one = (original, release)
    found = {}

    def play(name, attack, least):
        verdict = intruder.more_than_luck(attack, SEED, least)
        if verdict:
            found[name] = verdict

    if len(release["serial"]) != N or release["serial"] != original["serial"]:
        play("places", lambda seed: intruder.same_places(original, release, runs(seed)), 6)
        return found
    for name, scale in tables.SCALES.items():
        changed = [row for row in range(N) if not judge.equal_cells(original[name][row], release[name][row])]
        if not changed or scale == "sequence":
            continue
        if scale == "numeric":
            play(f"{name}: undone", lambda seed, n=name: intruder.undo_number(*one, runs(seed), n, KNOWN), 6)
            play(f"{name}: noise", lambda seed, n=name: intruder.shared_noise(*one, runs(seed), n), noise)
            play(f"{name}: ranks", lambda seed, n=name: intruder.shared_values(release, runs(seed), n), noise)
        else:
            play(f"{name}: undone", lambda seed, n=name: intruder.undo_category(*one, runs(seed), n, set(KNOWN)), 8)
            play(f"{name}: changes", lambda seed, n=name: intruder.shared_changes(*one, runs(seed), n), noise)
    return found


@pytest.mark.parametrize(("method", "example"), EXAMPLES)
def test_the_seed_undoes_nothing(method, example):
    assert findings(method, example) == {}


@pytest.mark.parametrize(("method", "example"), [one for one in EXAMPLES if not DRAWING[one.values[0]].groups])
def test_the_seed_undoes_nothing_out_of_core(method, example):
    try:
        masked(method, example, SEED, REAL, "out of core")
    except dc.DiscreetError:
        return  # the method is not offered there; nothing was written
    assert findings(method, example, "out of core") == {}


CHAINS = {
    "two steps": ([("rank-swapping", ["wealth"]), ("additive-noise", ["income", "age"])], None),
    "the same step twice": ([("additive-noise", ["income", "age"]), ("additive-noise", ["income", "age"])], None),
    "once a household": ([("additive-noise", ["income", "age"])], "hid"),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_the_seed_of_a_protocol_undoes_nothing(chain, tmp_path):
    """Draws of a step follow from the protocol's seed: he runs the same steps on the release and on strange data."""
    methods, unit = CHAINS[chain]
    steps = [dc.release.Step(method, {"attributes": names}, unit=unit) for method, names in methods]
    real, strange = (tables.survey(N, seed=seed, households=unit is not None) for seed in (13, 14))

    def release(table, seed):
        path = tables.write(table, tmp_path / "chain.csv")
        with releases.quiet():
            dc.write(dc.Chain(steps, seed=seed).mask(dc.read(path, path.with_suffix(".toml"))), tmp_path / "out.csv")
        return intruder.cells_of(tmp_path / "out.csv")

    seen, original = release(real, SEED), intruder.columns_of(real)
    tries = [intruder.with_cells(real, seen), *([strange] if unit is None else [])]
    drawn = [intruder.columns_of(table) for table in tries]
    for name in ("income", "age"):

        def undone(seed, name=name):
            runs = [(before, release(table, seed)) for before, table in zip(drawn, tries, strict=True)]
            return intruder.undo_number(original, seen, runs, name, KNOWN)

        assert intruder.more_than_luck(undone, SEED, 6) == ""


def noise_of(path_of_original, path_of_release, name, level=0.1):
    """Return what was added to a column, in standard deviations of the noise: an intruder reads these off reports."""
    before, after = (intruder.numbers(intruder.cells_of(p)[name]) for p in (path_of_original, path_of_release))
    return (after - before) / (level * before.std())


def noisy(ending, seed, tmp_path):
    """Release a survey of decimals by additive noise, in memory or out of core; nothing where that is not offered."""
    path = tables.write(REAL, tmp_path / f"noisy.{ending}")
    target = tmp_path / f"noisy-out.{ending}"
    try:
        with releases.quiet():
            if ending == "parquet":
                dc.protect(dc.scan(path, path.with_suffix(".toml")), "additive-noise", output=target, random_state=seed)
            else:
                dc.write(dc.AdditiveNoise(random_state=seed).mask(dc.read(path, path.with_suffix(".toml"))), target)
    except dc.DiscreetError:
        return None
    return path, target


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_short_seed_gives_the_noise_by_a_generator_that_everybody_has(ending, tmp_path):
    """He does not know the seed, but that it is short: numpy's generators are tried against the records he knows."""
    files = noisy(ending, 123, tmp_path)
    if files is None:
        return
    noise = np.stack([noise_of(*files, name) for name in tables.NUMBERS], axis=1)
    found = {}
    for seed in range(200):
        for place, draws in enumerate(intruder.streams_of_numpy(seed, *noise.shape)):
            fit = np.corrcoef(draws[KNOWN].ravel(), noise[KNOWN].ravel())[0, 1]
            if abs(fit) > 0.9:
                found[seed, place] = round(float(fit), 3)
    assert found == {}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_known_record_does_not_give_the_draws_of_others(ending, tmp_path):
    """SplitMix64 is turned back from the draw of one record that he knows."""
    files = noisy(ending, 2**60 + 7, tmp_path)
    if files is None:
        return
    for name in ("income", "wealth"):
        uniforms = intruder.normal_to_uniform(noise_of(*files, name)[KNOWN])
        assert intruder.start_of_split_mix(uniforms[:5], KNOWN[:5]) is None


def test_that_attack_works_on_the_generator_it_is_made_for():
    start = 0xDEAD_BEEF_0123_4567
    places = [3, 40, 77, 160]
    uniforms = intruder.split_mix(start, np.array(places)) + 3e-15  # as blurred as differences of numbers are
    assert intruder.start_of_split_mix(uniforms, places) == start


def test_fresh_numbers_follow_neither_the_seed_nor_the_order():
    numbers = []
    for table in (REAL, STRANGE):
        path = tables.write(table, releases.folder() / "fresh.csv")
        renumbering = dc.release.Step("identifiers", {"renumber": ["person"], "random_state": SEED})
        with releases.quiet():
            dc.write(dc.Chain([renumbering]).mask(dc.read(path, path.with_suffix(".toml"))), path.with_name("f.csv"))
        numbers.append(intruder.numbers(intruder.cells_of(path.with_name("f.csv"))["person"]))
    limit = 6.0 / math.sqrt(N)
    assert abs(np.corrcoef(*numbers)[0, 1]) < limit
    assert abs(np.corrcoef(numbers[0], np.arange(N))[0, 1]) < limit
