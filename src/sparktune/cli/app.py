"""The command line: what commands there are, and how an error is printed.

Command files import only typer at the top; what they need to do their work they import inside the function, so that
``sparktune --help`` starts fast. Each public file of this package but this one is found by its place and adds itself
with ``register(app)``.
"""

__all__ = ["app", "main", "print_error", "register_commands"]

import functools
import importlib
import os
import pkgutil
import signal
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Annotated, Any, Final, NoReturn, cast

import typer
from typer.core import TyperGroup

from sparktune import cli
from sparktune.cli._argv import join_lists
from sparktune.cli._front import ORDER, SECTIONS, speak_plainly
from sparktune.cli._given import refuse_unmeant
from sparktune.cli._streams import steady_streams
from sparktune.errors import ExitCode, SparktuneError

_EXIT_CODES: Final = (
    "Exit codes: 0 done, 1 failed, 2 usage, 3 differences found, 4 stopped by a guard, 5 inconclusive or invalid, "
    "130 interrupted."
)


_FAULT: Final = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""typer's error for a command line that it cannot read; the class has no public name."""


class _InOrder(TyperGroup):
    """The list of commands in the order in which a person meets them; typer's own has all groups last."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,  # noqa: ANN401 - as typer has it
    ) -> Any:  # noqa: ANN401 - as above
        """Run a command and raise SystemExit with its code; a line that cannot be read is a UsageError of ours."""
        argv = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(argv, prog_name, complete_var, False, windows_expand_args, **extra)
        except _FAULT as fault:
            if not standalone_mode:
                raise
            _explain(fault, argv)
        except typer.Abort:
            if not standalone_mode:
                raise
            sys.stderr.write("aborted\n")
            sys.exit(int(ExitCode.FAILED))
        except (OSError, RuntimeError, UnicodeEncodeError) as fault:
            from sparktune.cli._usage import unforeseen

            raise unforeseen(fault) from fault
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer's own kind of click.Context has no public name
        known = super().list_commands(ctx)
        return [name for name in ORDER if name in known] + sorted(set(known) - set(ORDER))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        known = self.list_commands(ctx)
        for title, names in SECTIONS:
            rows = [(name, self.get_command(ctx, name).get_short_help_str(100)) for name in names if name in known]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - as above
        """Return a command whose help ends with the exit codes, and which takes no words that can mean nothing."""
        command = super().get_command(ctx, cmd_name)
        for path, one in _with_those_below(command, (cmd_name,)):
            if one.epilog is None:  # the first time that it is asked for
                one.epilog = _EXIT_CODES
                speak_plainly(one, path)
            refuse_unmeant(one)
        return command


def _explain(fault: Any, argv: Sequence[str]) -> NoReturn:  # noqa: ANN401 - as above
    """Raise what is wrong with a command line; a group alone is answered by its help."""
    if type(fault).__name__ == "NoArgsIsHelpError":
        fault.show()
        sys.exit(int(ExitCode.USAGE))
    from typer.main import get_command

    from sparktune.cli._usage import usage_error

    register_commands()  # what was meant may be any of them
    raise usage_error(fault, get_command(app), argv) from None


def _with_those_below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401 - as above
    if command is not None:
        yield path, command
        for name, one in getattr(command, "commands", {}).items():
            yield from _with_those_below(one, (*path, name))


app = typer.Typer(
    name="sparktune",
    cls=_InOrder,
    invoke_without_command=True,
    epilog=_EXIT_CODES,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        from sparktune.cli._version import version_text

        typer.echo(version_text(), nl=False)
        raise typer.Exit


@app.callback()
def _root(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback is what it does
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version and build, and exit.")
    ] = False,
) -> None:
    """Measure and tune LLM serving on DGX Sparks.

    Without a command: where things stand, as sparktune status says it.
    """
    if ctx.invoked_subcommand is None:
        from sparktune.cli.status import status

        status()


def register_commands(word: str = "") -> None:
    """Let the command file of that name add itself, or every one where none has it; each does so once in a process.

    Building commands is half of what a start costs, and a command line needs one of them.
    """
    names = [one.name for one in pkgutil.iter_modules(cli.__path__) if one.name != "app" and one.name[0] != "_"]
    for name in (word,) if word in names else sorted(names):
        _register(name)


def _first(argv: Sequence[str]) -> str:
    """Return the command that a line begins with; a shell that completes one passes none, and needs them all."""
    if argv:
        return argv[0]
    return "" if "_SPARKTUNE_COMPLETE" in os.environ else "status"


@functools.cache
def _register(name: str) -> None:
    importlib.import_module(f"{cli.__name__}.{name}").register(app)


def print_error(error: SparktuneError) -> None:
    """Write the message and, where there is one, the hint to stderr; nothing in them steers a terminal.

    Each is one line for a program that reads it, and folded for a person at a terminal.
    """
    from sparktune.cli._terminal import legible

    sys.stderr.write(legible(f"error: {_printable(str(error))}\n"))
    if error.hint:
        sys.stderr.write(legible(f"hint: {_printable(error.hint)}\n"))


def main() -> None:
    """Run a command and leave with its exit code; a user's error is one line and a hint, never a traceback."""
    with steady_streams():
        try:
            signal.signal(signal.SIGTERM, _as_interrupt)
            argv = join_lists(sys.argv[1:])
            if argv != ["--version"]:
                register_commands(_first(argv))
            _run(argv)
        except SparktuneError as error:
            print_error(error)
            sys.exit(int(error.exit_code))
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            sys.exit(int(ExitCode.INTERRUPTED))


def _as_interrupt(_: int, frame: FrameType | None) -> None:
    """End as Ctrl-C would at this moment: an event loop has its own way, which leaves nothing half done."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # SIGINT is ignored, as it is for a shell's background jobs
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _run(argv: list[str]) -> None:
    try:
        app(argv, prog_name="sparktune")
    except SystemExit as end:
        if end.code == ExitCode.INTERRUPTED:  # typer makes this of a KeyboardInterrupt
            raise KeyboardInterrupt from end
        raise
    finally:
        sys.stdout.flush()


def _printable(text: str) -> str:
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
