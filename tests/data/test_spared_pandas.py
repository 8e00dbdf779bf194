"""A command does without pandas; a program that has it keeps all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("pandas")


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_arrays_are_made_without_it():
    script = "from discreet.data.spared_pandas import spare_pandas; spare_pandas()\n"
    script += "import sys, numpy as np, pyarrow as pa\n"
    script += "print(pa.array(np.array([1.5, np.nan]), from_pandas=True).to_pylist(), 'pandas' in sys.modules)\n"
    script += "import pandas as pd; print(len(pd.DataFrame({'a': [1]})))"
    assert run(script) == "[1.5, None] False\n1\n"


def test_who_has_loaded_it_keeps_it():
    script = "import pandas as pd; from discreet.data.spared_pandas import spare_pandas; spare_pandas()\n"
    script += (
        "import pyarrow as pa; print(pa.array(pd.Series([1, 2])).to_pylist(), len(pa.table({'a': [1]}).to_pandas()))"
    )
    assert run(script) == "[1, 2] 1\n"


def test_python_is_not_spared():
    """Whoever imports the package, or calls its commands from his own program, may hand in frames."""
    script = "import sys; from discreet.cli.main import _is_own_process; print(_is_own_process())"
    assert run(script) == "False\n"
