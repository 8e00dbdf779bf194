"""`discreet protect --sequence --quantifier`, as a user types it."""

from __future__ import annotations

import contextlib
import io
from collections import Counter

import pytest

from discreet.cli import main


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, out.getvalue() + err.getvalue()


@pytest.fixture
def trips(tmp_path):
    rows = [
        "gate lake tower",
        "gate lake",
        "gate tower lake",
        "shop gate",
        "shop",
        "shop gate lake",
        "lake",
        "lake gate",
    ]
    lines = [f"v{i},{row}" for i, row in enumerate(rows * 2)]
    (tmp_path / "trips.csv").write_text("visitor_id,visits\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_protects_a_column_as_a_sequence_and_draws_the_steps(trips):
    arguments = ("--sequence", "visits", "--k", 5, "--method", "kshc", "--quantifier", "power:2")
    code, said = discreet("protect", "trips.csv", *arguments, "-o", "out.csv", "--report", "r.html", "-q", cwd=trips)
    assert code == 0, said
    released = (trips / "out.csv").read_text().splitlines()
    assert len(released) == 17
    assert min(Counter(released[1:]).values()) >= 5
    assert "Steps from event to event" in (trips / "r.html").read_text()


def test_the_policy_reaches_the_method(trips):
    outputs = []
    for policy in ("power:0.1", "power:9"):
        arguments = ("--sequence", "visits", "--k", 2, "--method", "sequence-mdav", "--quantifier", policy, "--json")
        code, said = discreet("protect", "trips.csv", *arguments, "-o", f"{policy[6:]}.csv", cwd=trips)
        assert code == 0, said
        outputs.append(said)
    assert '"quantifier": "power:9"' in outputs[1]
    assert outputs[0] != outputs[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sequence", "path"), "no attribute named 'path'"),
        (("--sequence", "visits", "--quantifier", "several"), "no quantifier named 'several'"),
        (("--sequence", "visits", "--k", "99"), "k must be at most the number of records, 16; got 99"),
        (("--sequence", "visits", "--quantifier", "power:2", "--set", "distance=lcs"), "quantifier must be None"),
    ],
)
def test_bad_options_are_refused_and_nothing_is_written(trips, arguments, message):
    code, said = discreet("protect", "trips.csv", "--method", "kshc", *arguments, "-o", "out.csv", cwd=trips)
    assert code == 2
    assert message in " ".join(said.split())
    assert not (trips / "out.csv").exists()


def test_a_method_without_a_policy_says_so(trips):
    arguments = ("--sequence", "visits", "--method", "mdav", "--quantifier", "power:2")
    code, said = discreet("protect", "trips.csv", *arguments, "-o", "out.csv", cwd=trips)
    assert code == 2
    assert "there is no parameter 'quantifier'" in " ".join(said.split())
