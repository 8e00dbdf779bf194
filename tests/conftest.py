"""What every test may ask for."""

from __future__ import annotations

import gc
import os
import random
import re
import secrets
import signal
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.doctest import DoctestModule
from tests.nursery import Nursery

# Examples are drawn from a fixed seed, so that a red run is red for everybody; machines are shared, so no deadlines.
# `make test` tries the first of them, `make test-all`, and whoever calls pytest, all.
hypothesis.settings.register_profile("full", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("full"), max_examples=8)
hypothesis.settings.load_profile("full")

TESTS = Path(__file__).parent
ROOT = TESTS.parent

# A suite started in the background may inherit that Ctrl-C is ignored; tests of Ctrl-C would then wait for ever.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def slow_tests() -> dict[str, tuple[int, int]]:
    """By path::function, one in how many cases stays in the quick suite (0: none), and which is the first to stay."""
    lines = (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines()
    entries = [line.split() for line in lines if line and not line.startswith("#")]
    shares = {name: [int(number) for number in numbers] for name, *numbers in entries}
    return {name: (numbers[0] if numbers else 0, sum(numbers[1:])) for name, numbers in shares.items()}


MOST_CASES = 8
"""About so many cases of a test that is not in `slow.txt` stay in the quick suite, from here and there among all."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow."""
    # What is not of the tests is an example in the package.
    names = [
        f"{item.path.relative_to(TESTS).as_posix()}::{getattr(item, 'originalname', item.name)}"
        if item.path.is_relative_to(TESTS)
        else ""
        for item in items
    ]
    # Many cases begin elsewhere in each test, so that no method is left out of every battery.
    shares = {
        name: (-(-count // MOST_CASES), sum(name.encode())) for name, count in Counter(names).items()
    } | slow_tests()
    seen: Counter[str] = Counter()
    for item, name in zip(items, names, strict=True):
        one_in, first = shares[name]
        left_out = name and (not one_in or seen[name] % one_in != first % one_in)
        # A browser is not there on every machine, and where it is, it takes the time of many other tests.
        if left_out or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
        seen[name] += 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let every second process read the tests from the last to the first.

    Each of them reads all tests. What one process has compiled the others find ready, if they are not all at the same
    file at the same time.
    """
    worker = getattr(session.config, "workerinput", {}).get("workerid", "gw0")
    if int(worker.removeprefix("gw")) % 2 and TESTS in {ROOT / place for place in session.config.args}:
        for file in sorted(TESTS.rglob("test_*.py"), reverse=True):
            # What is wrong with a file, or why it is left out, is said when its turn comes.
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, Any, list[pytest.Collector]]:
    """Seek examples in the package alone: tests have none, and half of all files are theirs."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


def pytest_collection_finish() -> None:
    """Let garbage be sought among what tests leave, not again and again among the tests themselves.

    They, their modules and libraries are some millions of objects, and looking at them took a tenth of the time.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def signals_stay() -> Iterator[None]:
    """A test that leaves Ctrl-C to somebody else fails by itself, not a later one that presses it."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    after = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    if after != before and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert after == before, "whoever hears signals is somebody else after this test"


def shared_work(nodeid: str) -> str:
    """Return what a test shares its costly work with: its file, or the promises of one masker's releases."""
    release = re.search(r"promises/.*\[(.+?)-\d+-(?:csv|tsv|parquet|arrow|xlsx|sav|dta)-", nodeid)
    return f"releases of {release[1]}" if release else nodeid.split("::", 1)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep tests in one process that share what is costly, and let processes begin far from each other.

    Side by side in the list are tests of the same methods, and processes that begin there compile the same kernels at
    the same time; so every second one takes its work from the end of the list.
    """
    from xdist.scheduler import LoadScopeScheduling

    class TogetherScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return shared_work(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

    return TogetherScheduling(config, log)


@pytest.fixture(autouse=True)
def compiled_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels do also the small work for which plain twins stand in elsewhere: it is they that tests look for.

    A test marked ``plain_code`` gets the twins, whatever was compiled before it; processes of their own always do.
    """
    from discreet.kernels.jit import PlainTwin

    plain = request.node.get_closest_marker("plain_code") is not None
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: plain)


class RepeatedChance:
    """What the operating system is asked for where no seed is given: the same whenever a test runs, and in any order.

    It follows the name of the test, or of the fixture that several tests share. Draws of one test differ from each
    other. Processes that a test starts ask the system itself.
    """

    def __init__(self) -> None:
        self._streams = [random.Random(0)]  # noqa: S311 - to be repeated, not to be secret

    def bits(self, count: int) -> int:
        """Return as many random bits, in place of `secrets.randbits`."""
        return self._streams[-1].getrandbits(count)

    @contextmanager
    def named(self, name: str) -> Iterator[None]:
        """Draw meanwhile what follows a name."""
        self._streams.append(random.Random(name))  # noqa: S311 - as above
        try:
            yield
        finally:
            self._streams.pop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Let every test draw its own."""
        with self.named(item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Let what several tests share not depend on which of them asked for it first."""
        if fixturedef.scope == "function":
            return (yield)
        with self.named(f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"):
            return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Ask for random bits at one place; as a plugin, because examples in the package are tests too."""
    gc.disable()  # until all tests are read: hardly any of what is made then can go
    chance = RepeatedChance()
    secrets.randbits = chance.bits
    config.pluginmanager.register(chance)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data sets: environment variable DISCREET_DATA, by default ../shared/data."""
    folder = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}; set DISCREET_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where processes begin warm."""
    nursery = Nursery()
    yield nursery
    nursery.close()
