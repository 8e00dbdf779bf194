"""``python -m discreet``."""

from discreet.cli.main import run

run()
