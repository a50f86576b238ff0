"""What a list had to leave out because it cannot be understood: named after the list, with what to do."""

__all__ = ["end_list"]

import sys
from collections.abc import Sequence

import typer

from sparktune.cli.app import print_error
from sparktune.errors import SparktuneError


def end_list(unreadable: Sequence[SparktuneError]) -> None:
    """Name what is missing from the list that was printed, and leave with the exit code of the first; else return."""
    if not unreadable:
        return
    sys.stdout.flush()
    for error in unreadable:
        print_error(error)
    raise typer.Exit(int(unreadable[0].exit_code))
