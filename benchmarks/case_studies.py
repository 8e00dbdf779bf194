"""CPU seconds of the case studies, section by section, at the size of their pages and at that of the practice guide.

    python benchmarks/case_studies.py [--quick]

Every block of a page is run as it stands there, in one process; only the number of persons is exchanged. Loops are
compiled before (`discreet warm` does that once for an installation), so that what is measured is the work itself.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from discreet.cli import main as command_line

PAGES = Path(__file__).parent.parent / "docs" / "case-studies"
_PART = re.compile(r"^## (?P<title>[^\n]+)$|^```(?P<kind>python|sh)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def times(page: Path, persons: int) -> dict[str, float]:
    """Return the CPU seconds of every section that runs something."""
    text = page.read_text(encoding="utf-8").replace("--n 4000", f"--n {persons}")
    seconds: dict[str, float] = {}
    namespace: dict[str, Any] = {}
    title = ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in _PART.finditer(text):
            if part["title"]:
                title = part["title"]
                continue
            start = time.process_time()
            silence = io.StringIO()
            with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
                _run(part["kind"], part["code"], namespace)
            seconds[title] = seconds.get(title, 0.0) + time.process_time() - start
    return seconds


def _run(kind: str, code: str, namespace: dict[str, Any]) -> None:
    if kind == "python":
        exec(compile(code, "page", "exec"), namespace)  # noqa: S102 - our own documentation
        return
    for line in code.splitlines():
        command_line._code(shlex.split(line, comments=True)[1:])  # noqa: SLF001 - our own door, without a process


def main() -> None:
    """Print a table a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1,000 persons only")
    sizes = (1000,) if parser.parse_args().quick else (4000, 10574)
    for page in sorted(PAGES.glob("*.md"), reverse=True):
        times(page, sizes[0])  # compiles
        columns = [times(page, persons) for persons in sizes]
        print(f"\n{page.name}\n")
        print("| CPU s | " + " | ".join(f"{persons:,} persons" for persons in sizes) + " |")
        print("| --- |" + " ---: |" * len(sizes))
        for title in columns[0]:
            print(f"| {title} | " + " | ".join(f"{column[title]:.2f}" for column in columns) + " |")
        print("| all | " + " | ".join(f"{sum(column.values()):.1f}" for column in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
