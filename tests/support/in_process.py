"""Run many commands of the command line in this process: a test of all of them would wait for their starts else."""

__all__ = ["commands", "invoke"]

import contextlib
import functools
import io
from collections.abc import Iterator
from typing import Any

from tests.support.cli import Finished
from typer.main import get_command

from sparktune.cli.app import app, register_commands
from sparktune.errors import SparktuneError


def invoke(*arguments: str) -> Finished:
    """Run a command to its end, with nothing on its stdin's side and no terminal."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            _root().main(list(arguments), "sparktune")
        except SystemExit as end:
            code = end.code
        except SparktuneError as error:
            code = int(error.exit_code)
            err.write(f"error: {error}\nhint: {error.hint}\n")
    return Finished(code=code or 0, out=out.getvalue(), err=err.getvalue())


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with its words; groups that do nothing alone are left out."""
    yield from _below(_root(), ())


@functools.cache
def _root() -> Any:  # noqa: ANN401 - typer's kind of click.Command has no public name
    """Return the command of all commands: to build it takes longer than to refuse a command line."""
    register_commands()
    return get_command(app)


def _below(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - click's
    below = getattr(command, "commands", {})
    if words and (not below or command.invoke_without_command):
        yield " ".join(words), command
    for name, one in below.items():
        yield from _below(one, (*words, name))
