"""What the command line shows, and where."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rich.console import Console

from discreet.cli import console
from discreet.progress import report


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Jordi Müller", "Jordi Müller"), ("[bold]a", r"\[bold]a"), ("a\x1b[31mb\n", "a�[31mb�"), ("", "")],
)
def test_text_of_a_file_is_shown_as_it_is(text, shown):
    assert console.safe(text) == shown


def test_json_is_for_machines(capsys):
    console.print_json({"naïve": [1, None]})
    assert capsys.readouterr().out == '{\n  "naïve": [\n    1,\n    null\n  ]\n}\n'
    with pytest.raises(ValueError, match="JSON compliant"):
        console.print_json({"risk": float("nan")})


def test_numbers_of_a_table_stand_on_the_right():
    grid = console.table("Risks", "name", "risk", "loss", numbers=("risk", "loss"))
    grid.add_row("a", "1", "22")
    assert [(column.header, column.justify, column.overflow) for column in grid.columns] == [
        ("name", "left", "fold"),
        ("risk", "right", "fold"),
        ("loss", "right", "fold"),
    ]
    assert (grid.title, grid.title_justify, grid.expand) == ("Risks", "left", False)
    assert [column.justify for column in console.table("", "a", "b").columns] == ["left", "left"]


def test_remarks_go_to_standard_error(capsys):
    console.advise(
        [SimpleNamespace(sentence="k is [2].", hint="Use 3."), SimpleNamespace(sentence="No seed.", hint="")]
    )
    assert capsys.readouterr() == ("", "Note: k is [2]. Use 3.\nNote: No seed. \n")


@pytest.mark.parametrize(
    ("count", "most", "more"),
    [(0, 5, []), (1, 5, []), (5, 5, []), (6, 5, [1]), (8, 5, [3]), (3, 2, [1])],
)
def test_the_first_few_promises_are_shown_and_the_others_counted(capsys, count, most, more):
    console.show_promises([f"Promise {i}." for i in range(count)], *([] if most == 5 else [most]))
    shown = [f"• Promise {i}. Counted in the written file.\n" for i in range(min(count, most))]
    shown += [f"• {rest} more such promises were counted; --json lists them.\n" for rest in more]
    assert capsys.readouterr() == ("".join(shown), "")


class Clock:
    """A clock that is moved by hand."""

    now = 100.0

    def perf_counter(self):
        return self.now


def work(clock):
    report("masking", 0, 4)
    clock.now += 1.5
    report("masking", 1, 4)
    report("reading", 0, 1)
    clock.now += 2.0
    report("masking", 4, 4)


@pytest.mark.parametrize(
    ("quiet", "verbose", "terminal", "bars", "said"),
    [
        (False, False, False, 0, ""),
        (False, True, False, 0, "masking: 4 steps in 3.5 s\nreading: 1 steps in 0.0 s\nDone in 3.5 s.\n"),
        (True, True, False, 0, "masking: 4 steps in 3.5 s\nreading: 1 steps in 0.0 s\nDone in 3.5 s.\n"),
        (True, True, True, 0, "masking: 4 steps in 3.5 s\nreading: 1 steps in 0.0 s\nDone in 3.5 s.\n"),
        (True, False, True, 0, ""),
        (False, True, True, 4, "masking: 4 steps in 3.5 s\nreading: 1 steps in 0.0 s\nDone in 3.5 s.\n"),
        (False, False, True, 4, ""),
    ],
)
def test_bars_are_for_terminals_and_the_time_for_who_asks(monkeypatch, capsys, quiet, verbose, terminal, bars, said):
    clock = Clock()
    shown = []

    class Bars:
        def __init__(self, *columns, console, transient):
            assert (len(columns), console.is_terminal, transient) == (7, True, True)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def add_task(self, label, *, total):
            shown.append((label, total))
            return f"bar of {label}"

        def update(self, task, *, completed, total, visible):
            shown.append((task, completed, total, visible))

    monkeypatch.setattr(console, "time", clock)
    monkeypatch.setattr(console, "Progress", Bars)
    if terminal:
        monkeypatch.setattr(console, "err", Console(stderr=True, force_terminal=True, color_system=None, width=80))
    with console.progress(quiet=quiet, verbose=verbose):
        work(clock)
    report("masking", 2, 4)  # nobody listens any more
    assert capsys.readouterr() == ("", said)
    assert shown == ([] if not bars else [
        ("masking", 4), ("bar of masking", 0, 4, True), ("bar of masking", 1, 4, True),
        ("reading", 1), ("bar of reading", 0, 1, True), ("bar of masking", 4, 4, False),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("finished", "speed", "shown"),
    [(None, None, ""), (None, 0.0, ""), (None, 1234.5678, "1.23e+03/s"), (2.0, 3.0, "2/s"), (None, 0.25, "0.25/s")],
)
def test_speed_is_what_it_was_in_the_end_or_is_now(finished, speed, shown):
    assert console._Speed().render(SimpleNamespace(finished_speed=finished, speed=speed)).plain == shown
