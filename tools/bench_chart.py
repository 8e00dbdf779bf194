"""Draw docs/pictures/peers.svg from benchmarks/results.json: CPU seconds of a job, ours and the peer's in one run.

    python tools/bench_chart.py

The same results give the same bytes. Bars are on a scale of powers of ten, because jobs differ by as much. What a bar
is of stands above it, so that the picture is no wider than a phone's screen can show.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS, PICTURE = ROOT / "benchmarks" / "results.json", ROOT / "docs" / "pictures" / "peers.svg"
WIDTH, LEFT, RIGHT, TOP, ROW, BAR = 440, 10, 60, 34, 76, 15
OURS, PEERS, GREY = "#0b6e4f", "#9a9a9a", "#555555"


def drawn(jobs: Sequence[Mapping[str, Any]]) -> str:
    """Return the picture of some results.

    Examples
    --------
    >>> job = {"title": "counting", "peer": "duckdb", "version": "2.0", "ours_cpu_s": 0.1, "peer_cpu_s": 0.2}
    >>> picture = drawn([job])
    >>> picture.count("<rect"), "0.1 s" in picture, "2.0 times" in picture
    (3, True, True)
    """
    seconds = [job[which] for job in jobs for which in ("ours_cpu_s", "peer_cpu_s")]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    high = max(high, low + 1)
    height = TOP + ROW * len(jobs) + 30

    def place(value: float) -> float:
        return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    style = 'font-family="sans-serif" font-size="12" role="img" aria-label="CPU seconds beside peers"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="18" fill="{GREY}">CPU seconds, less is better; a step of the scale is ten times</text>',
    ]
    for power in range(low, high + 1):
        x = place(10.0**power)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 26}" stroke="#dddddd"/>'
            f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" fill="{GREY}">{10.0**power:g}</text>'
        )
    for number, job in enumerate(jobs):
        top = TOP + ROW * number
        ours, theirs = job["ours_cpu_s"], job["peer_cpu_s"]
        said = f"{theirs / ours:.1f} times" if theirs >= ours else f"{ours / theirs:.1f} times slower"
        parts.append(f'<text x="{LEFT}" y="{top + 12}" font-weight="bold">{escape(job["title"])}</text>')
        parts.append(
            f'<text x="{LEFT}" y="{top + 12 + BAR}" fill="{GREY}">beside {escape(job["peer"])} '
            f"{escape(job['version'])}: {said}</text>"
        )
        for line, (value, colour) in enumerate(((ours, OURS), (theirs, PEERS))):
            y = top + BAR * 2 + 2 + line * (BAR + 2)
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{max(place(value) - LEFT, 1.0):.1f}" height="{BAR}" fill="{colour}"/>'
                f'<text x="{max(place(value), LEFT + 1.0) + 5:.1f}" y="{y + 12}">{value:.2g} s</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(json.loads(RESULTS.read_text(encoding="utf-8"))["jobs"]), encoding="utf-8")


if __name__ == "__main__":
    main()
