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
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer

from sparktune.cli import app as cli
from sparktune.errors import ExitCode
from sparktune.io.demo_server import DemoServer
from sparktune.io.experiment_file import read_experiment_file, request_of
from sparktune.io.sweep_file import sweep_request

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = sorted([*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")])
_EXAMPLE_URL = "http://127.0.0.1:8000/v1"
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
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


def _experiments() -> Iterator[Any]:
    """Yield every example of an experiment file, by its page and what it says first."""
    for page in _PAGES:
        for block in _FENCE.finditer(page.read_text()):
            if block["info"] == "yaml" and "launcher:" in block["body"] and "url:" in block["body"]:
                yield pytest.param(block["body"], id=f"{_name(page)}: {block['body'].splitlines()[0]}")


@pytest.mark.parametrize("text", list(_experiments()))
def test_experiments_in_examples_are_understood(text: str, tmp_path: Path) -> None:
    """What somebody copies from a page must be an experiment, or a sweep."""
    file = tmp_path / "experiment.yaml"
    file.write_text(text)

    values, fault = read_experiment_file(file)
    if "knobs" in values:
        sweep, rest = sweep_request(values, fault)
        values = {**rest, "a": dict(sweep.baseline), "aa": True}
    request = request_of(values, 1, fault)

    assert request.arms


def _commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _commands(child, (*path, name))


@pytest.fixture(scope="module")
def commands() -> dict[tuple[str, ...], object]:
    """Every command by its words after ``sparktune``."""
    cli.register_commands()
    return dict(_commands(typer.main.get_command(cli.app)))


def _invocations(page: Path) -> Iterator[list[str]]:
    for block in _FENCE.finditer(page.read_text()):
        for line in block["body"].replace("\\\n", " ").splitlines():
            words = line.removeprefix("$ ")
            if words.startswith("sparktune "):
                # What stands behind -- is a command of somebody else's.
                yield list(takewhile(lambda word: word != "--", shlex.split(words, comments=True)[1:]))


@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_commands_and_flags_in_examples_exist(page: Path, commands: dict[tuple[str, ...], object]) -> None:
    for words in _invocations(page):
        path = max((path for path in commands if tuple(words[: len(path)]) == path), key=len)
        path = (*path, "run") if (*path, "run") in commands else path  # which may be left out
        known = {flag for option in commands[path].params for flag in option.opts}  # type: ignore[attr-defined]
        used = {word.partition("=")[0] for word in words if word.startswith("--")}

        assert path or used <= {"--help", "--version"}, f"no such command: sparktune {shlex.join(words)}"
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
