"""The picture of peers is what its results say, and every result names the command that measured it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import bench_chart  # noqa: E402

JOBS = json.loads(bench_chart.RESULTS.read_text(encoding="utf-8"))["jobs"]


def test_the_picture_in_the_documentation_is_drawn_from_the_results():
    assert bench_chart.PICTURE.read_text(encoding="utf-8") == bench_chart.drawn(JOBS)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["job"])
def test_every_result_has_its_command_and_a_row_in_the_readme(job):
    script = (ROOT / "benchmarks" / "peers.py").read_text(encoding="utf-8")
    assert job["command"] == f"python benchmarks/peers.py --jobs {job['job']}"
    assert f'"{job["job"]}": (' in script
    # The run that is drawn stands first in its cell; others may follow it.
    peer = f"{job['peer']} {job['version']} {job['peer_cpu_s']:.2g}"
    row = f"| {job['title']} | {job['ours_cpu_s']:.2g}[^|]* | {peer}[^|]* |"
    pattern = re.escape(row).replace(re.escape("[^|]*"), "(?:;[^|]*)?")
    assert re.search(pattern, (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"))


def test_bars_are_as_long_as_the_powers_of_ten_between_them():
    job = {"title": "t", "peer": "p", "version": "1", "ours_cpu_s": 0.1, "peer_cpu_s": 10.0}
    other = job | {"ours_cpu_s": 1.0, "peer_cpu_s": 0.1}
    picture = bench_chart.drawn([job, other])
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="15"', picture)]
    whole = bench_chart.WIDTH - bench_chart.LEFT - bench_chart.RIGHT
    assert widths == pytest.approx([1.0, whole, whole / 2, 1.0], abs=0.06)
    assert "100.0 times<" in picture
    assert "10.0 times slower<" in picture


def test_text_of_results_is_escaped():
    job = {"title": "a < b & c", "peer": "p", "version": "1", "ours_cpu_s": 0.1, "peer_cpu_s": 0.2}
    assert "a &lt; b &amp; c" in bench_chart.drawn([job])
