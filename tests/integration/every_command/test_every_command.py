"""What holds for every command: JSON for scripts, exit codes in its help, and output for any terminal.

Over ssh from a phone a terminal has 60 columns; in a rescue shell its locale is C. A tool that dies there, or cuts a
path in half, is no help at 2 a.m.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.in_process import commands, invoke
from tests.support.ports import free_port
from tests.support.schemas import promised, schema_names
from tests.support.stored_experiment import store_experiment

from sparktune.io.store import Store

_NO_JSON = {
    "init": "writes a file that people edit; it says where",
    "lab init": "writes folders; it says where",
    "earned accept": "changes earned.yaml, whose form is YAML; earned list --json tells it",
    "earned forget": "as earned accept",
    "drift restore": "changes a service after asking; drift --json tells how it is",
    "runs export": "what it writes is JSON or CSV already",
    "runs report": "writes pages and pictures",
    "sweep report": "as runs report",
    "export alerts": "prints YAML that Prometheus reads",
    "export dashboard": "prints JSON that Grafana reads",
}
_RUNS: dict[str, tuple[str, ...]] = {
    "bench": ("runs show",),
    "runs": ("runs list",),
    "ab": ("ab show",),
    "experiments": ("ab list",),
    "sweeps": ("sweep list",),
    "doctor": ("doctor --nodes {lab}/spark1,{lab}/spark2",),
    "lint": ("lint {lab}/service/service.env",),
    "drift": ("drift", "drift --all"),
    "host": (
        "host plan --nodes {lab}/spark1,{lab}/spark2",
        "host status --nodes {lab}/spark1",
        "host verify --nodes {lab}/spark1",
    ),
    "place-scan": ("place scan --nodes {lab}/spark1 --windows 1",),
    "place-status": ("place status --nodes {lab}/spark1",),
    "earned": ("earned list", "earned show LAB_MAX_INFLIGHT_PREFILLS"),
    "earned-history": ("earned history",),
    "knobs": ("knobs list", "knobs show swappiness", "knobs show --max-num-seqs"),
    "logs": ("logs {lab}/service/engine.log",),
    "check": ("check {lab}/results.csv",),
    "render": ("render --node local",),
    "status": ("status --within 60s",),
    "watch": ("watch --nodes {lab}/spark1 --count 1",),
    "export": ("export prometheus --nodes {lab}/spark1",),
}
_CASES = [(name, words) for name, several in _RUNS.items() for words in several]
# What has a form of its own: for a shell, for Prometheus, lines of a live view.
_NOT_PROSE = frozenset({words for _, words in _CASES if words.split()[0] in {"render", "export", "watch"}})
_RESULTS = "".join(
    ["arm,prompt_tokens,concurrency,trial,ttft_s\n"]
    + [f"{arm},2048,1,{trial},{0.5 + trial / 100}\n" for arm in ("off", "on") for trial in range(3)]
)
_LOG = "INFO 11-30 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.19.0)\nValueError: no such thing\n"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The practice cluster, with a log and results beside it."""
    folder = tmp_path_factory.mktemp("every") / "lab"
    assert invoke("lab", "init", str(folder), "--port", str(free_port())).code == 0
    (folder / "results.csv").write_text(_RESULTS)
    (folder / "service" / "engine.log").write_text(_LOG)
    return folder


@pytest.fixture
def here(lab: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in the folder of the practice service, with an experiment in the store."""
    monkeypatch.chdir(lab / "service")
    with Store.open() as store:
        store_experiment(store)
    return lab


def test_every_command_that_tells_something_tells_it_as_json() -> None:
    without = {name for name, command in commands() if "--json" not in {o for p in command.params for o in p.opts}}

    assert without == set(_NO_JSON)
    assert all(_NO_JSON.values())


@pytest.mark.parametrize("name", ["", *(name for name, _ in commands())])
def test_its_help_says_how_it_ends(name: str) -> None:
    """Who writes a script needs the codes where the command is explained."""
    done = invoke(*name.split(), "--help")

    assert "Exit codes: 0 done, 1 failed, 2 usage" in " ".join(done.out.split())


@pytest.mark.parametrize(("name", "words"), _CASES, ids=[words for _, words in _CASES])
def test_its_json_is_what_the_schema_promises(name: str, words: str, here: Path) -> None:
    done = invoke(*words.format(lab=here).split(), "--json")

    promised(name, done.out)


def test_every_schema_has_a_real_output_that_was_held_to_it() -> None:
    elsewhere = {"sweep", "quality", "guard", "place-pin", "place-trial", "record", "calibrate"}  # tests/unit/report

    assert set(_RUNS) | elsewhere == set(schema_names())


@pytest.mark.parametrize("width", [40, 60, 200])
@pytest.mark.parametrize("words", [words for _, words in _CASES])
def test_its_lines_fit_the_terminal(words: str, width: int, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for what nobody may cut: a path, a command, a word."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    done = invoke(*words.format(lab=here).split())

    assert "\x1b" not in done.out
    assert done.out or done.err
    if words in _NOT_PROSE:
        return
    long = [line for line in done.out.splitlines() if len(line) > width and not _may_be_long(line, width)]
    assert long == []


def _may_be_long(line: str, width: int) -> bool:
    """Whether a line is a command, or has a word that leaves no room beside its indent."""
    bare = line.lstrip()
    indent = len(line) - len(bare)
    return "sparktune " in line or indent + max(map(len, bare.split())) > width - 30


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", ["runs list", "knobs list", "ab show", "status"])
def test_a_locale_without_letters_is_no_reason_to_fail(words: str) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "sparktune", *words.split()], capture_output=True, env=environment, check=False
    )

    assert b"UnicodeEncodeError" not in done.stderr
    assert done.stdout.decode("ascii"), "what is not in ASCII is written as what comes nearest"
