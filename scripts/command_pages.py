"""The pages of the commands: what ``--help`` says, as Markdown and as a manual page, and the schemas of ``--json``."""

__all__ = ["commands_page", "man_page", "schema_file", "schemas_page"]

import json
from collections.abc import Callable, Iterator

import typer
from schemas import SCHEMAS, schema_of

from sparktune.cli import app as cli

_WIDTH = 100
_MAN_WIDTH = 72


def commands_page() -> str:
    """Return the page of all commands: what ``--help`` says."""
    cli.register_commands()
    root = typer.main.get_command(cli.app)
    context = typer.Context(
        root, info_name="sparktune", terminal_width=_WIDTH, max_content_width=_WIDTH, **root.context_settings
    )
    sections = [f"## `{found.command_path}`\n\n```text\n{_help(found)}\n```" for found in _contexts(context)]
    introduction = "What each command says with `--help`. Exit codes are in [architecture.md](../architecture.md)."
    return "\n\n".join(["# Commands", introduction, *sections]) + "\n"


def _contexts(context: typer.Context) -> Iterator[typer.Context]:
    yield context
    for name, command in sorted(getattr(context.command, "commands", {}).items()):
        yield from _contexts(
            typer.Context(command, info_name=name, parent=context, terminal_width=_WIDTH, max_content_width=_WIDTH)
        )


def _help(context: typer.Context) -> str:
    return "\n".join(line.rstrip() for line in context.command.get_help(context).splitlines())


def schemas_page() -> str:
    """Return the page that lists the schemas of ``--json``."""
    rows = [f"| [{name}](schemas/{name}.v1.json) | {commands} |" for name, (commands, _) in sorted(SCHEMAS.items())]
    introduction = (
        'What `--json` prints has `"schema": 1` and these shapes, as JSON Schema (2020-12). They say what is\n'
        "promised: which keys there are, their types, and that a text says why where a number is null. Numbers are\n"
        "SI, and their names carry the unit. More fields may come at any time; a change of these would be schema 2.\n"
        "A number is one step away: `sparktune bench URL --json | jq '.cells[].metrics.ttft_s.median'`."
    )
    streams = (
        "`drift --watch --json`, `watch --json` and `runs export --raw` print one object a line. Files that\n"
        "`runs export --benchy` writes have the shape of llama-benchy's own."
    )
    table = "\n".join(["| schema | printed by |", "|---|---|", *rows])
    return f"# JSON of the commands\n\n{introduction}\n\n{table}\n\n{streams}\n"


def schema_file(name: str) -> Callable[[], str]:
    """Return what makes one schema's file."""
    return lambda: json.dumps(schema_of(name), indent=1) + "\n"


def man_page() -> str:
    """Return the manual page: every command with its help, as roff."""
    cli.register_commands()
    root = typer.main.get_command(cli.app)
    context = typer.Context(
        root, info_name="sparktune", terminal_width=_MAN_WIDTH, max_content_width=_MAN_WIDTH, **root.context_settings
    )
    head = [
        '.TH SPARKTUNE 1 "" "sparktune" "User Commands"',
        ".SH NAME",
        "sparktune \\- measure and tune LLM serving on DGX Sparks",
        ".SH SYNOPSIS",
        ".B sparktune",
        "[COMMAND] [OPTIONS]",
        ".SH DESCRIPTION",
        "Without a command it says where things stand. Exit codes of all commands: 0 done, 1 failed, 2 usage, 3",
        "differences found, 4 stopped by a guard, 5 inconclusive or invalid, 130 interrupted.",
        ".SH COMMANDS",
    ]
    for found in _contexts(context):
        head += [f".SS {_roff(found.command_path)}", ".nf", *map(_roff, _help(found).splitlines()), ".fi"]
    files = [
        ".SH FILES",
        "sparktune.yaml, earned.yaml: found upward from the current folder. The store of runs is in the user's data",
        "folder, or in the one that SPARKTUNE_DATA names.",
    ]
    return "\n".join([*head, *files]) + "\n"


def _roff(line: str) -> str:
    """Return a line of text that roff shows as it is."""
    escaped = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped
