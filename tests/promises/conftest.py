"""The promises of the README, one file each, held against written files.

Whoever publishes on our word has a file, not our arrays. So every test here writes a release the way a user would and
then judges its cells as text, with code that shares nothing with ``src``: plain loops, ``collections.Counter``, double
loops over records, an intruder's arithmetic.

* `tables.py` makes small surveys, with their declarations, in seven formats and five readings of missing values.
* `releases.py` takes every masker off the registry and crosses it with format, missing reading, weights and
  households in a pairwise design: a new masker is tested without being named here.
* `judge.py` turns any file into text and counts; `intruder.py` attacks with release, source, parameters and seed.

Only the public interface is used: ``dc.`` names, the command line, and what they write. Tables are fixed and seeds
named, so a red run is red for everybody; limits stand several standard deviations from what chance gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.promises import releases


@pytest.fixture(scope="session", autouse=True)
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the releases that several promises share are written, once a run."""
    folder = tmp_path_factory.mktemp("promises")
    releases.work_in(folder)
    return folder
