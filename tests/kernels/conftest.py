"""What tests of kernels may ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from discreet.stopping import FLAG, Stopped


@pytest.fixture
def stops() -> Callable[..., Any]:
    """Return what a block is put into whose kernel is told to stop, and must."""

    @contextmanager
    def told() -> Iterator[None]:
        FLAG.value = 1
        try:
            with pytest.raises(Stopped):
                yield
        finally:
            FLAG.value = 0

    return told
