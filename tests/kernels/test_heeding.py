"""Which compiled loops can be stopped: whoever could once can still.

``python -m tests.kernels.test_heeding`` records them; a loop that no longer heeds a stop needs a reason.
"""

from __future__ import annotations

import ast
from pathlib import Path

import discreet

PACKAGE = Path(discreet.__file__).parent
RECORDED = Path(__file__).with_name("heeding.txt")


def heeding():
    """Path, function and number of calls of `heed_stop` within loops, for every function that has any."""
    lines = []
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(source if "heed_stop()" in source else "")):
            if isinstance(function, ast.FunctionDef):
                loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
                calls = {call.lineno for loop in loops for call in ast.walk(loop)
                         if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "heed_stop"}  # fmt: skip
                if calls:
                    lines.append(f"{file.relative_to(PACKAGE).as_posix()} {function.name} {len(calls)}")
    return lines


def test_loops_that_could_be_stopped_still_can():
    assert heeding() == RECORDED.read_text(encoding="utf-8").splitlines(), "record them if this is meant"


if __name__ == "__main__":
    RECORDED.write_text("\n".join(heeding()) + "\n", encoding="utf-8")
