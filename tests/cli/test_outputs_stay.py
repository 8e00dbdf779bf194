"""What every command prints and writes, in a story from the first look at a file to the sealed release.

``python -m tests.cli.test_outputs_stay`` records what the present code gives; a commit that does so says why. Dates,
hashes, times and folders are left out; numbers may be off by what another solver leaves, words may not.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import re
import shlex
import shutil
import tempfile
from functools import cache
from pathlib import Path
from unittest import mock

from tests.measures.test_figures_stay import differences

from discreet.cli import console, main

RECORDED = Path(__file__).with_name("outputs.json")

STORY = """
datasets
datasets housing --n 120 --seed 3 -o h.csv
datasets business --n 60 --seed 3 -o b.csv
datasets itineraries --n 60 --seed 3 -o visits.csv
methods mdav
methods probabilistic-linkage
methods no-such-method
inspect h.csv
inspect b.csv -o b.toml
inspect b.csv --json
inspect nothing.csv
risk h.csv --keys BUILT,DEGREE,METRO,WFUEL
risk h.csv --keys BUILT,DEGREE --at-most 1
risk h.csv -s h.toml --fraction 0.05 --json
risk h.csv -s h.toml --keys NOTHING
protect b.csv -s b.toml --k 4 --seed 77001 -o b-mdav.csv --report internal.html --external external.html
protect b.csv -s b.toml --method rank-swapping --set p=5 --seed 77001 -o b-swapped.csv --json
protect b.csv -s b.toml --method mdav --k 3 --operator owa:most --seed 77001 -o b-most.csv
protect h.csv -s h.toml --method pram --seed 77001 -o h-pram.csv
protect h.csv -s h.toml --method local-suppression --k 2 --attributes BUILT,DEGREE,METRO --seed 77001 -o h-supp.csv
protect visits.csv -s visits.toml --method kshc --k 5 --seed 77001 -o visits-masked.csv
protect b.csv -s b.toml --k 1000 -o b-none.csv
protect b.csv -s b.toml --k 4 -o b.csv
assess b.csv b-mdav.csv -s b.toml
assess b.csv b-mdav.csv -s b.toml --all
assess b.csv b-swapped.csv -s b.toml --method 'rank-swapping p=5' --max-risk 1
assess h.csv h-pram.csv -s h.toml --json
assess visits.csv visits-masked.csv -s visits.toml
certify b.csv b-mdav.csv -s b.toml --k 4 --budget 0s
attack b.csv b-mdav.csv -s b.toml
attack b.csv b-mdav.csv -s b.toml --attributes TURNOVER,ASSETS --linker probabilistic
attack b.csv b-swapped.csv -s b.toml --linker masking-aware --method 'rank-swapping p=5'
attack b.csv b-swapped.csv -s b.toml --linker masking-aware
attack b.csv b-swapped.csv -s b.toml --linker combined --json
link b.csv b-mdav.csv -s b.toml --attributes TURNOVER,ASSETS,DEBT -o pairs.csv
match b.csv b-mdav.csv -s b.toml
compare b.csv -s b.toml -c 'mdav k=3,5' -c 'rank-swapping p=5' --seed 5 --map map.html
tune b.csv -s b.toml -c 'mdav k=3,5,8' --budget 3 --seed 5 -o tuned.csv
hierarchy h.csv VALUE --steps '50000; 500000' -o value.csv
hierarchy h.csv DEGREE -o degree.csv
lattice h.csv --keys DEGREE,METRO --k 3
lattice h.csv -s h.toml --keys DEGREE,METRO --k 3
lattice h.csv --keys DEGREE,METRO --k 3 --suppression 0.1 --json
init b.csv -s b.toml -o protocol.toml
init b.csv -s b.toml -o protocol.toml
run own.toml -o release
run own.toml -o release
run own.toml -o again --json
check own.toml release/b-masked.csv
check own.toml b-mdav.csv
verify release
approve release --by 'A. Smith' --reason 'Thresholds met.'
verify release
key new register.key
import script.R --data b.csv -o imported.toml
import script.R --data b.csv -o imported-2.toml --json
import h.csv -o no.toml
reveal b.csv --column COMPANY --key register.key -o clear.csv
renumber b.csv -o renumbered --on COMPANY --seed 5
papers p3
papers P9
""".strip().splitlines()

OWN = """
[data]
file = "b.csv"

[release]
masked = "b-masked.csv"
internal = "b-internal.html"
external = "b-external.html"
manifest = "manifest.json"

[about]
title = "Accounts of companies"
purpose = "research"

[[step]]
method = "mdav"
k = 5

[thresholds]
risk_at_most = 60.0
"""

SCRIPT = """library(sdcMicro)
sdc <- createSdcObj(dat, keyVars = c("TURNOVER", "ASSETS"), numVars = c("DEBT", "WAGES"))
sdc <- localSuppression(sdc, k = 3)
sdc <- microaggregation(sdc, aggr = 4)
sdc <- somethingElse(sdc)
"""

WRITTEN = (
    "b.toml", "internal.html", "external.html", "map.html", "value.csv", "degree.csv", "protocol.toml", "imported.toml",
    "pairs.csv", "release/b-internal.html", "release/manifest.json",
)  # fmt: skip
"""Files that the story writes, whose words are kept too."""

_LEFT_OUT = [
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"), "DATE"),
    (re.compile(r"(?<![\d.])\b[0-9a-f]{12,}\b…?"), "HASH"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds|minutes)\b"), "TIME"),
    (re.compile(r"\b[\d.]+ experiments a second"), "SPEED"),
    (re.compile(r'"bytes": \d+|\b\d{1,3}(?:[\s\u202f]\d{3})+\b'), "SIZE"),
    (re.compile(r"discreet \d+\.\d+[\w.]*"), "discreet VERSION"),
]


def words_of(text, folder):
    """What a text says, without what differs from day to day."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, word in _LEFT_OUT:
        text = pattern.sub(word, text)
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


def read(file, folder):
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".html":
        text = re.sub(r"(?s)<(svg|style|script)\b.*?</\1>", " ", text)
        text = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    lines = words_of(text, folder)
    return lines if len(lines) <= 400 else [*lines[:300], f"{len(lines)} lines", *lines[-100:]]


@cache
def told():
    """Tell the story in a folder of its own; by command, its code and what it said."""
    folder = Path(tempfile.mkdtemp(prefix="story-"))
    (folder / "script.R").write_text(SCRIPT, encoding="utf-8")
    outcomes = {}
    try:
        with (
            contextlib.chdir(folder),
            mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}),
            mock.patch.object(console.out, "_width", 100),
            mock.patch.object(console.err, "_width", 100),
        ):
            for number, line in enumerate(STORY):
                if line.startswith("run ") and not (folder / "own.toml").exists():
                    schema = (folder / "b.toml").read_text(encoding="utf-8")
                    (folder / "own.toml").write_text(f"seed = 77001\n{OWN}\n{schema}", encoding="utf-8")
                out, err = io.StringIO(), io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    code = main._code(shlex.split(line))
                outcomes[f"{number:02d} {line}"] = {
                    "code": code, "out": words_of(out.getvalue(), folder), "err": words_of(err.getvalue(), folder)
                }  # fmt: skip
            for name in WRITTEN:
                if (folder / name).exists():
                    outcomes[name] = {"lines": read(folder / name, folder)}
            outcomes["files"] = {"names": sorted(str(one.relative_to(folder)) for one in folder.rglob("*"))}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def record():
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}" for key, one in told().items())
    RECORDED.write_text("{\n" + text + "\n}\n", encoding="utf-8")


def test_every_command_and_every_file_says_what_it_said():
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert set(told()) == set(expected), "record the story anew"
    assert [one for key in expected for one in differences(told()[key], expected[key], key)] == []


if __name__ == "__main__":
    record()
