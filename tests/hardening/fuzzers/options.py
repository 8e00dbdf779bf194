"""Hostile command lines: any options with any values. Exit codes 0, 1 and 2, inputs as they were, no value told."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import numpy as np

from discreet.cli import main

PLANTED = "Xq7Planted"
COMMANDS = (
    ["inspect", "data.csv"], ["protect", "data.csv", "-s", "schema.toml"], ["assess", "data.csv", "masked.csv"],
    ["attack", "data.csv", "masked.csv", "-s", "schema.toml"], ["init", "data.csv"], ["run", "protocol.toml"],
    ["check", "protocol.toml", "masked.csv"], ["verify", "manifest.json"], ["renumber", "data.csv", "--on", "name"],
    ["link", "data.csv", "masked.csv"], ["compare", "data.csv", "-s", "schema.toml", "--workers", "1"],
    ["tune", "data.csv", "-s", "schema.toml", "--workers", "1"], ["methods"], ["datasets", "business", "--n", "20"],
    ["certify", "data.csv", "masked.csv", "--budget", "50ms"],
)  # fmt: skip
WORDS = (
    "-o", "out.csv", "data.csv", "schema.toml", "protocol.toml", "notes.txt", "DATA.CSV", "./data.csv", "link.csv", ".",
    "/dev/null", "absent/out.csv", "--schema", "--method", "-m", "mdav", "kmodes", "pram", "rank-swapping", "refine",
    "--k",
    "3", "0", "-1", "nan", "1e400", "9223372036854775808", "--set", "p=5", "p=", "=", "theta=2", "blocks=[", "budget=5",
    "--seed", "--linker", "probabilistic", "--attributes", "a,b", ",", "", " ", "--json", "--quiet", "-c", "mdav k=2,3",
    "mdav k=", "mdav", "--store", "rows.jsonl", "--resume", "--map", "map.svg", "--manifest", "--report", "r.html",
    "r.json",
    "--external", "--delimiter", ";", "é", "\x00", "--encoding", "utf-99", "latin-1", "hex", "--sequence", "name", "--",
    "-", "--max-risk", "--engine", "streaming", "memory", "--force", "--budget",
    "--risk-at-most", "50", "-a", "x=a",
)  # fmt: skip


def prepare(folder: Path) -> dict[str, bytes]:
    """Write the inputs, and return what must still be in them afterwards."""
    rows = "\n".join(f"{i % 5},{i * i % 7},{PLANTED}{i}" for i in range(12))
    (folder / "data.csv").write_text(f"a,b,name\n{rows}\n")
    (folder / "masked.csv").write_text("a,b\n" + "\n".join(f"{i % 5},{i * i % 7}" for i in range(12)) + "\n")
    attributes = "".join(f'[[attribute]]\nname = "{n}"\nscale = "numeric"\nrole = "key"\n' for n in "ab")
    identifier = '[[attribute]]\nname = "name"\nscale = "nominal"\nrole = "identifier"\nlevels = ["x"]\n'
    (folder / "schema.toml").write_text(attributes + identifier)
    (folder / "protocol.toml").write_text(
        f'seed = 1\n[data]\nfile = "data.csv"\n{attributes}{identifier}[[step]]\nmethod = "mdav"\nk = 3\n'
    )
    (folder / "manifest.json").write_text("{}")
    (folder / "notes.txt").write_text("my notes\n")
    os.link(folder / "data.csv", folder / "link.csv")
    kept = ("data.csv", "schema.toml", "protocol.toml", "notes.txt")
    return {name: (folder / name).read_bytes() for name in kept}


def case(rng: np.random.Generator, folder: Path) -> str | None:
    before = prepare(folder)
    command = list(COMMANDS[rng.integers(len(COMMANDS))])
    arguments = command + [str(WORDS[rng.integers(len(WORDS))]) for _ in range(int(rng.integers(0, 6)))]
    if command[0] in {"compare", "tune"} and rng.random() < 0.8:
        arguments += ["-c", "mdav k=2,3"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(arguments)
    said = out.getvalue() + err.getvalue()
    if code not in (0, 1, 2):
        return f"exit code {code} from {arguments}: {err.getvalue().splitlines()[:1]}"
    if PLANTED in said:
        return f"a value was told by {arguments}"
    # An option may name notes.txt as an output: results are written over what was there, but never a store.
    kept = [name for name in before if name != "notes.txt" or ("--store" in arguments and "-o" not in arguments)]
    changed = [name for name in kept if (folder / name).read_bytes() != before[name]]
    named = [name for name in changed if name in command or "--schema" in arguments or name == "data.csv"]
    if named:
        return f"{named[0]} was written over by {arguments}"
    return None if not list(folder.glob(".*.part")) else f"a temporary file was left by {arguments}"
