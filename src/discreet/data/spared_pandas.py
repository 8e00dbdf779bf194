"""pyarrow without pandas, in a process in which there are none of its frames."""

from __future__ import annotations

import sys

import pyarrow as pa

__all__ = ["spare_pandas"]


def spare_pandas() -> None:
    """Let pyarrow do without pandas for the rest of the process, unless somebody has loaded it.

    pyarrow loads it, where it is installed, as soon as it makes an array, to know its frames and series when they come:
    a third of what a small command takes. It tries once, so that it is let try where there is nothing to be found.
    pandas itself can be loaded as before; what pyarrow is handed of it, it would take for any other sequence.
    """
    if "pandas" in sys.modules:
        return
    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(absent)


class _Absent:
    """Finds that there is no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
