"""Event sequences: speed of the dissimilarity, and two real files protected.

    python benchmarks/sequences.py [--quick] [--speed] [--data ../shared/data]

1. Pairs a second of d_OSS-OWA against the definition in plain Python and against the edit distance of rapidfuzz (if it
   is installed), single-threaded, on the same strings: bundled itineraries and, where the data is there, web sessions.
2. Web sessions (msnbc) with k = 5 under three policies: seconds, peak memory, loss and risk before and after.
3. Places visited (geolife), a sequence a person and day, on a grid of 500 m, k = 3.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.scales.dissimilarities import OSSOWA, Levenshtein
from discreet.data.sequence_shapes import declare_sequence, from_long, grid_cells
from discreet.datasets.itineraries import itineraries_lists
from discreet.engines.memory import MemoryEngine
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.masking.microaggregation.sequences.sequence_mdav import SequenceMDAV
from discreet.measures.loss.sequence_movement import SequenceDissimilarity
from discreet.measures.loss.sequence_patterns import FrequentSubsequences
from discreet.measures.loss.sequence_tallies import EventFrequencies, SequenceLengths, Transitions
from discreet.measures.risk.linked import SequenceLinkageRisk
from discreet.measures.risk.sequence_knowledge import KnownEvents
from discreet.operators.numbers.quantifiers import Power

POLICIES = {"small α (power:0.4)": "power:0.4", "medium α (power:0.9)": "power:0.9", "large α (power:4)": "power:4"}


def plain_oss_owa(s: Sequence[int], r: Sequence[int], quantifier: Callable[[float], float]) -> float:
    """Definitions 3 and 4 as one would write them: pair, list the distances, sort, weigh."""
    total = len(s) + len(r)
    places: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    for side, sequence in zip(places, (s, r), strict=True):
        for i, event in enumerate(sequence):
            side.setdefault(event, []).append(i)
    distances: list[float] = []
    for event in places[0].keys() | places[1].keys():
        few, many = sorted((places[0].get(event, []), places[1].get(event, [])), key=len)
        spare = len(many) - len(few)
        best = [[0] * (spare + 1) for _ in range(len(few) + 1)]
        for i in range(len(few) - 1, -1, -1):
            for o in range(spare, -1, -1):
                here = best[i + 1][o] + abs(few[i] - many[i + o])
                best[i][o] = here if o == spare else min(here, best[i][o + 1])
        o = 0
        for i, place in enumerate(few):
            while o < spare and best[i][o] == best[i][o + 1] and best[i + 1][o] + abs(place - many[i + o]) > best[i][o]:
                o += 1
            distances += [abs(place - many[i + o]) / total] * 2
        distances += [1.0] * spare
    distances.sort(reverse=True)
    return sum((quantifier((i + 1) / total) - quantifier(i / total)) * d for i, d in enumerate(distances))


def rate(work: Callable[[], object], pairs: int, repeats: int = 5) -> float:
    """Pairs a CPU second, the best of a few runs; other work on the machine does not count."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return pairs / best


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[j]) for row in (head, *rows)) for j in range(len(head))]
    print(f"\n{title}")
    for row in (head, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in
                        enumerate(zip(row, widths, strict=True))))  # fmt: skip


def speed(name: str, codes: list[list[int]], quick: bool) -> None:
    sequences = EncodedSequences.of(codes)
    n, few = len(codes), 40 if quick else 120
    owa, edits = OSSOWA(Power(2)).compare(sequences), Levenshtein().compare(sequences)
    owa.rows([0])
    owa.matrix()
    edits.rows([0])
    plain_pairs = [(s, r) for s in codes[:few] for r in codes[-few:]]
    checked = max(abs(plain_oss_owa(s, r, lambda x: x * x) - owa_of) for (s, r), owa_of in
                  zip(plain_pairs, owa.rows(np.arange(few), np.arange(n - few, n)).ravel(), strict=True))  # fmt: skip
    assert checked < 1e-12
    plain = rate(lambda: [plain_oss_owa(s, r, lambda x: x * x) for s, r in plain_pairs], len(plain_pairs), 2)
    figures = {
        "plain Python, definition": plain,
        "d_OSS-OWA, rows": rate(lambda: owa.rows(np.arange(n)), n * n),
        "d_OSS-OWA, matrix of a file with itself": rate(owa.matrix, n * n),
        "our edit distance, rows": rate(lambda: edits.rows(np.arange(n)), n * n),
    }
    try:
        from rapidfuzz.distance import Levenshtein as Peer
        from rapidfuzz.process import cdist

        # Plain ASCII and two list objects, the peer's fastest case: given one object twice it leaves its vector path.
        strings = ["".join(chr(48 + code) for code in one) for one in codes]
        for what, others in (("two lists", list(strings)), ("one list twice", strings)):
            figures[f"rapidfuzz edit distances, {what}"] = rate(
                lambda others=others: cdist(
                    strings, others, scorer=Peer.normalized_distance, dtype=np.float32, workers=1
                ),
                n * n,
            )
        peer = max(found for what, found in figures.items() if what.startswith("rapidfuzz"))
    except ImportError:
        peer = float("nan")
    rows = [
        [what, f"{found / 1e6:.3f}", f"{found / plain:.0f}", "" if np.isnan(peer) else f"{peer / found:.1f}"]
        for what, found in figures.items()
    ]
    if np.isnan(peer):
        rows.append(["rapidfuzz", "not installed", "", ""])
    mean = sequences.lengths.mean()
    table(
        f"{name}: {n} sequences, mean length {mean:.1f}", ["", "M pairs/s", "× plain", "fastest rapidfuzz / it"], rows
    )


def protect(name: str, data: Microdata, column: str, k: int, known: int) -> None:
    rows = []
    engine = MemoryEngine(workers=2)
    before = SequenceLinkageRisk().measure(data, data, engine=engine)
    glimpses = {o: KnownEvents(known=known, ordered=o).measure(data, data) for o in (True, False)}
    rows.append(["unmasked", "", "", "0", "0.0", "0.0", "0.0", "0.0", f"{before.value:.1f}",
                 f"{glimpses[True].value:.1f}", f"{glimpses[False].value:.1f}"])  # fmt: skip
    maskers = {what: KSHC(k, quantifier=policy) for what, policy in POLICIES.items()}
    maskers["medium α, sequence-mdav"] = SequenceMDAV(k, quantifier="power:0.9")  # type: ignore[assignment]
    for what, masker in maskers.items():
        start, cpu = time.perf_counter(), time.process_time()
        masked = masker.mask(data, engine=engine)
        took, cpu = time.perf_counter() - start, time.process_time() - cpu
        assert min(Counter(map(str, masked.microdata.column(column).to_pylist())).values()) >= k
        losses = [m.measure(data, masked).value for m in
                  (SequenceDissimilarity(), EventFrequencies(), Transitions(), FrequentSubsequences())]  # fmt: skip
        risks = [SequenceLinkageRisk(quantifier=masker.quantifier).measure(data, masked, engine=engine).value]
        risks += [KnownEvents(known=known, ordered=o).measure(data, masked).value for o in (True, False)]
        length = SequenceLengths().measure(data, masked).value
        assert masked.labels is not None
        rows.append([what, f"{took:.1f}", f"{cpu:.1f}", str(masked.labels.max() + 1), *(f"{x:.1f}" for x in losses),
                     *(f"{x:.1f}" for x in risks)])  # fmt: skip
        rows[-1][0] += f" (lengths {length:.1f} %)"
    head = [
        "",
        "s",
        "CPU s",
        "groups",
        "moved",
        "events",
        "steps",
        "patterns",
        "linked",
        f"{known} in order",
        f"{known} any order",
    ]
    table(f"{name}: {len(data)} sequences, k = {k}; losses and risks in %", head, rows)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def sessions(folder: Path) -> Microdata:
    frame = pl.read_csv(folder / "uci" / "msnbc_sessions_sample20000.csv", columns=["sequence"])
    return declare_sequence(frame, "sequence")


def places(folder: Path) -> Microdata:
    points = pl.read_csv(folder / "uci" / "geolife_sample.csv.gz", schema_overrides={"uid": pl.String})
    day = points["uid"] + " " + points["datetime"].str.slice(0, 10)
    cells = grid_cells(points["lat"].to_numpy(), points["lng"].to_numpy(), size=500)
    long = pa.table({"day": day.to_arrow(), "time": points["datetime"].to_arrow(), "place": cells})
    days = from_long(long, identifier="day", time="time", event="place", collapse=True)
    return declare_sequence(days.select(["place"]), "place")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller collections, sessions cut to 4,000")
    parser.add_argument("--speed", action="store_true", help="the first part only")
    parser.add_argument("--data", type=Path, default=Path(__file__).parent.parent.parent / "shared" / "data")
    given = parser.parse_args()
    size = 1000 if given.quick else 3000
    park = itineraries_lists(size, 0)
    speed("Itineraries", [one.tolist() for one in np.split(park.codes, park.offsets[1:-1])], given.quick)
    if not (given.data / "uci").is_dir():
        print(f"\nreal data not found in {given.data}")
        return
    web = sessions(given.data)
    encoded = web.encoded("sequence")
    distinct = [list(one) for one in dict.fromkeys(tuple(one.tolist()) for one in
                np.split(encoded.codes, encoded.offsets[1:-1])) if len(one) <= 64][:size]  # fmt: skip
    speed("Web sessions of up to 64 pages", distinct, given.quick)
    if given.speed:
        return
    protect("Web sessions", web.take(np.arange(4000)) if given.quick else web, "sequence", 5, 6)
    protect("Places visited by day", places(given.data), "place", 3, 3)


if __name__ == "__main__":
    main()
