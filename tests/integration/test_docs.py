"""The documentation cannot rot: its examples run, its commands and flags exist, its links lead somewhere.

A fenced block that begins with ``console run`` is executed, file by file, against a real server in the place of
``http://127.0.0.1:8000/v1``; ``exit=N`` names an exit code other than 0. Of the output that it shows, the lines without
digits must come out again.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, groupby, takewhile
from pathlib import Path
from typing import Any

import pytest
import typer

from sparktune.cli import app as cli
from sparktune.cli._argv import join_lists
from sparktune.cli._front import EXAMPLES
from sparktune.errors import ExitCode, UsageError
from sparktune.io.config import load_config
from sparktune.io.demo_server import DemoServer
from sparktune.io.experiment_file import read_experiment_file, request_of
from sparktune.io.sweep_file import sweep_request

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = sorted([*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")])
_EXAMPLE_URL = "http://127.0.0.1:8000/v1"
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(?:\.venv/bin/)?sparktune(?P<words>\s[^`]*)`")
_MAKE = re.compile(r"(?:`|^(?:\$ )?)make ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)", re.MULTILINE)
_OTHERS = ("jobs:", "rule_files:", "cgroup_parent:")
"""Words of files that others read: a workflow, Prometheus, compose."""
_REST: dict[str, Any] = {
    "launcher": "command",
    "a": {"command": "llama-server --parallel 1"},
    "b": {"command": "llama-server --parallel 4"},
    "equivalence_test": True,
}
_OF_SERVICE: dict[str, Any] = {
    "launcher": "script",
    "where": [{"file": "/srv/service.env", "start": ["./serve.sh", "start"], "stop": ["./serve.sh", "stop"]}],
}
"""What sparktune.yaml says of a service that an example names."""
_ASSIGNED = re.compile(r"[A-Z_]+=|sudo$")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command of a block, the output shown below it, and the exit code that it should have."""

    command: str
    shown: tuple[str, ...]
    code: int


def _name(page: Path) -> str:
    return str(page.relative_to(_ROOT))


def _steps(page: Path) -> Iterator[Step]:
    for block in _FENCE.finditer(page.read_text()):
        words = block["info"].split()
        if words[:2] != ["console", "run"]:
            continue
        code = next((int(word.removeprefix("exit=")) for word in words if word.startswith("exit=")), 0)
        body = block["body"].replace("\\\n", " ")
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield Step(command=command, shown=tuple(shown), code=code)


def _collapse(text: str) -> str:
    return " ".join(text.split())


def _allowed(step: Step) -> set[int]:
    """A model that answers in milliseconds varies enough on a busy machine to be called invalid, rightly."""
    return {step.code, int(ExitCode.NOT_CONCLUSIVE)} if step.code == ExitCode.DONE else {step.code}


_RUNNABLE = [page for page in _PAGES if any(_steps(page))]


@pytest.mark.parametrize("page", _RUNNABLE, ids=_name)
@pytest.mark.timeout(300)
def test_examples_run(page: Path, llama_server: DemoServer, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
    }
    for step in _steps(page):
        command = step.command.replace(_EXAMPLE_URL, llama_server.base_url)
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr

        assert done.returncode in _allowed(step), f"$ {command}\n{output}"
        assert "Traceback" not in output
        for line in filter(str.strip, step.shown):
            if not re.search(r"\d", line):
                assert _collapse(line) in _collapse(output), f"$ {command}\n{output}"


def _yaml_examples() -> Iterator[Any]:
    """Yield every example of a file of ours, by its page and what it says first."""
    for page in _PAGES:
        for block in _FENCE.finditer(page.read_text()):
            body = block["body"]
            if block["info"] == "yaml" and not any(mark in body for mark in _OTHERS):
                yield pytest.param(body, id=f"{_name(page)}: {body.splitlines()[0]}")


@pytest.mark.parametrize("text", list(_yaml_examples()))
def test_files_in_examples_are_understood(text: str, tmp_path: Path) -> None:
    """What somebody copies from a page must be an experiment, a sweep or a sparktune.yaml, or a part of one."""
    file = tmp_path / "example.yaml"
    file.write_text(text)
    refused = []
    for read in (_read_experiment, load_config):
        try:
            read(file)
        except UsageError as error:
            refused.append(str(error))

    assert len(refused) < 2, refused


def _read_experiment(file: Path) -> None:
    values, fault = read_experiment_file(file)
    if "knobs" in values:
        sweep, rest = sweep_request(values, fault)
        values = {**_OF_SERVICE, **rest, "a": dict(sweep.baseline), "aa": True}
    if isinstance(workload := values.get("workload"), dict):  # from: is a workload of sparktune.yaml, whatever it is
        values = {**values, "workload": {key: value for key, value in workload.items() if key != "from"}}
    if "launcher" not in values:  # a part of a file: the rest may be anything
        values = {**_REST, **values}
    request_of({"url": _EXAMPLE_URL, **values}, 1, fault)


@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_make_targets_in_examples_exist(page: Path) -> None:
    targets = set(re.findall(r"^\.PHONY: (.+)$", (_ROOT / "Makefile").read_text(), re.MULTILINE))
    used = {word for line in _MAKE.findall(page.read_text()) for word in line.split()}

    assert used - targets == set()


def _commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _commands(child, (*path, name))


@pytest.fixture(scope="module")
def commands() -> dict[tuple[str, ...], object]:
    """Every command by its words after ``sparktune``."""
    cli.register_commands()
    return dict(_commands(typer.main.get_command(cli.app)))


def _words(text: str) -> Iterator[list[str]]:
    """Yield what is given to ``sparktune`` by each command of some lines of a shell."""
    for line in text.replace("\\\n", " ").splitlines():
        if "sparktune " not in line:
            continue
        shell = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=";|&<>")
        shell.whitespace_split, shell.commenters = True, "#"
        for operator, words in groupby(shell, key=lambda word: set(word) <= set(";|&<>")):
            listed = list(dropwhile(_ASSIGNED.match, words))
            if not operator and listed and listed[0].rpartition("/")[2] == "sparktune":
                yield listed[1:]


def _shown(page: Path) -> Iterator[list[str]]:
    """Yield the commands of all blocks of a page that are lines of a shell."""
    for block in _FENCE.finditer(page.read_text()):
        kind = block["info"].partition(" ")[0]
        if kind == "console":
            joined = block["body"].replace("\\\n", " ")
            yield from _words("\n".join(line for line in joined.splitlines() if line.startswith("$ ")))
        elif kind == "sh":
            yield from _words(block["body"])


def _named(page: Path) -> Iterator[list[str]]:
    """Yield what the text of a page names in passing: often only the beginning of a command."""
    for found in _INLINE.finditer(_FENCE.sub("", page.read_text())):
        # What stands behind -- is a command of somebody else's; optional words and further names are notation.
        text = re.sub(r"[\[\]|]|\.\.\.", " ", " ".join(found["words"].split()))
        try:
            yield list(takewhile(lambda word: word != "--", shlex.split(text)))
        except ValueError:  # the other quotation mark is in another line of the text
            continue


def _parse(words: list[str]) -> None:
    """Read a command line as the program does, without doing what it says. Raises what the program would."""
    command: Any = typer.main.get_command(cli.app)
    context = command.make_context("sparktune", join_lists(words))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, list(rest), parent=context)


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_commands_in_examples_are_understood(page: Path) -> None:
    """Whoever copies a line gets what the page promises, and no complaint about an option or a missing word."""
    refused = []
    for words in _shown(page):
        try:
            _parse(words)
        except Exception as error:  # noqa: BLE001 - whatever the command line raises, the line is named
            if type(error).__name__ != "Exit":  # --help and --version are done at once
                refused.append(f"sparktune {shlex.join(words)}: {getattr(error, 'message', error)}")

    assert refused == []


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize("example", [line for lines in EXAMPLES.values() for line in lines])
def test_examples_of_help_are_understood(example: str) -> None:
    """What --help shows is the first thing that somebody types."""
    for words in _words(example):
        _parse(words)
    assert len(example) <= 77  # below an indent, in 80 columns


@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_commands_and_flags_in_texts_exist(page: Path, commands: dict[tuple[str, ...], object]) -> None:
    for words in _named(page):
        path = max((path for path in commands if tuple(words[: len(path)]) == path), key=len)
        path = (*path, "run") if (*path, "run") in commands else path  # which may be left out
        known = {flag for option in commands[path].params for flag in option.opts}  # type: ignore[attr-defined]
        used = {word.partition("=")[0] for word in words if word.startswith("--")}

        alone = {"--help", "--version", "--install-completion"}
        assert path or used <= alone, f"no such command: sparktune {shlex.join(words)}"
        assert used - known - {"--help"} == set(), shlex.join(words)


def test_every_command_is_documented(commands: dict[tuple[str, ...], object]) -> None:
    text = "\n".join(page.read_text() for page in _PAGES)
    missing = [" ".join(path) for path in commands if path and f"sparktune {' '.join(path)}" not in text]

    assert missing == []


@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [match["target"] for match in _LINK.finditer(page.read_text())]
    broken = [target for target in targets if "://" not in target and not (page.parent / target).exists()]

    assert broken == []
