from __future__ import annotations

import signal

from tests.nursery import Nursery


def test_a_process_hears_ctrl_c_also_where_the_suite_was_told_to_ignore_it(tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        nursery = Nursery()
    finally:
        signal.signal(signal.SIGINT, before)
    run = nursery.run("import signal\nsignal.raise_signal(signal.SIGINT)\nprint('deaf')", [], tmp_path)
    nursery.close()
    assert run.stdout == ""
    assert run.stderr.rstrip().endswith("KeyboardInterrupt")
    assert run.returncode != 0


def test_a_process_has_the_folder_arguments_and_environment_it_was_given(nursery, tmp_path):
    program = "import os, sys\nprint(os.getcwd(), sys.argv[1:], os.environ['COLOUR'])\nsys.exit(3)"
    run = nursery.run(program, ["a", 2], tmp_path, {"COLOUR": "red"})
    assert run.stdout.split("\n")[0] == f"{tmp_path} ['a', '2'] red"
    assert run.returncode == 3
