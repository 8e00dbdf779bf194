"""Pages of the studio with 100,000 records of 10 attributes, with and without a job at work; a million-row Parquet.

    python benchmarks/studio.py [--quick]

Every page is asked for through HTTP on this machine; the table shows the median and the largest of several requests
and the processor time of the server in between. The promise is 500 ms a page.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import uvicorn

from discreet.studio.app import create_app, listen

PAGES = ("/open", "/open?rows=1", "/declare", "/risk", "/protect", "/protect?method=mixed-mdav", "/compare", "/attack",
         "/release", "/job")  # fmt: skip


def survey(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    amounts = {f"amount_{i}": np.round(rng.lognormal(8, 1, n), 2) for i in range(4)}
    words = {f"group_{i}": rng.choice([f"g{j}" for j in range(3 + 4 * i)], n) for i in range(5)}
    return pl.DataFrame({"person_id": [f"p{i:08d}" for i in range(n)], **amounts, **words})


class Browser:
    """A browser without a screen."""

    def __init__(self, address: str, studio: Any) -> None:
        self.session = studio.projects.create()
        base = address + self.session.root
        self.http = httpx.Client(base_url=base, follow_redirects=True, timeout=600, headers={"Origin": address})
        self.http.get(f"{address}/start?token={studio.gate.issue()}")

    def post(self, path: str, data: dict[str, str] | None = None, **options: Any) -> httpx.Response:
        return self.http.post(path, data={"csrf": self.session.csrf, **(data or {})}, **options)

    def wait(self) -> float:
        job = self.session.worker.job
        while job.running:
            time.sleep(0.05)
        assert job.state == "done", (job.state, job.message)
        return job.seconds

    def open(self, path: Path) -> tuple[float, float]:
        start = time.perf_counter()
        with path.open("rb") as file:
            self.post("/open/file", files={"file": (path.name, file)})
        sent = time.perf_counter() - start
        return sent, self.wait()


def pages(browser: Browser, rounds: int) -> list[tuple[str, float, float, float]]:
    rows = []
    for path in PAGES:
        times, cpu = [], time.process_time()
        for _ in range(rounds):
            start = time.perf_counter()
            assert browser.http.get(path).status_code == 200
            times.append(1000 * (time.perf_counter() - start))
        rows.append((path, statistics.median(times), max(times), 1000 * (time.process_time() - cpu) / rounds))
    return rows


def show(title: str, rows: list[tuple[str, float, float, float]]) -> None:
    print(f"\n{title}\n{'page':<32}{'median ms':>12}{'largest ms':>12}{'CPU ms':>10}")
    for path, median, most, cpu in rows:
        print(f"{path:<32}{median:>12.1f}{most:>12.1f}{cpu:>10.1f}")
    print(f"largest of all: {max(row[2] for row in rows):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n, million, rounds = (10_000, 50_000, 3) if quick else (100_000, 1_000_000, 7)
    listener = listen()
    port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(port=port, base=Path(folder), projects=Path(folder) / "projects")
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        browser = Browser(f"http://127.0.0.1:{port}", app.studio)

        small, large = Path(folder) / "survey.csv", Path(folder) / "large.parquet"
        survey(n).write_csv(small)
        sent, opened = browser.open(small)
        print(f"{n:,} x 10 as CSV: sent in {sent:.1f} s, opened in {opened:.1f} s")
        show("Pages, nothing at work", pages(browser, rounds))
        browser.post("/risk")
        show("Pages, while the risk is measured", pages(browser, rounds))
        print(f"risk measured in {browser.wait():.1f} s")
        browser.post("/protect/add", {"method": "rank-swapping", "p-p": "5"})
        print(f"protected and assessed in {browser.wait():.1f} s")
        show("Pages, with a result", pages(browser, rounds))

        survey(million).write_parquet(large)
        browser = Browser(f"http://127.0.0.1:{port}", app.studio)  # a file is a project
        sent, opened = browser.open(large)
        print(f"\n{million:,} x 10 as Parquet: sent in {sent:.1f} s, opened in {opened:.1f} s")
        show("Pages, with the large file", pages(browser, rounds))
        server.should_exit = True
        thread.join(20)


if __name__ == "__main__":
    main()
