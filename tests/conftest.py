"""What every test may ask for."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import hypothesis
import pytest

# Examples are drawn from a fixed seed, so that a red run is red for everybody; machines are shared, so no deadlines.
hypothesis.settings.register_profile("discreet", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.load_profile("discreet")

ROOT = Path(__file__).parent.parent

# A suite started in the background may inherit that Ctrl-C is ignored; tests of Ctrl-C would then wait for ever.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data sets: environment variable DISCREET_DATA, by default ../shared/data."""
    folder = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}; set DISCREET_DATA to the folder that holds it")
    return folder
