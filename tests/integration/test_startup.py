"""The command line starts light: what a command does not need is not loaded. Judged by modules, never by time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = {
    "aiohttp",
    "asyncio",
    "httptools",
    "msgspec",
    "numpy",
    "prometheus_client",
    "rich",
    "ruamel",
    "sqlite3",
    "ssl",
    "textual",
    "xllamacpp",
}
_PROGRAM = """
import json, sys
from sparktune.cli.app import main
sys.argv = ["sparktune", *{arguments!r}]
try:
    main()
except SystemExit as end:
    code = end.code
json.dump({{"code": code, "modules": sorted(sys.modules)}}, sys.stderr)
"""


def _ran(*arguments: str, folder: Path | None = None) -> tuple[int | None, set[str], str]:
    """Run a command in a process of its own; return its code, the modules that it loaded, and what it printed."""
    program = _PROGRAM.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    seen = json.loads(done.stderr.splitlines()[-1])
    return seen["code"], set(seen["modules"]), done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["bench", "--help"],
        ["demo", "--help"],
        ["doctor", "--help"],
        ["watch", "--help"],
        ["init", "--help"],
        ["lab", "init", "--help"],
    ],
    ids=" ".join,
)
def test_help_loads_no_heavy_library(arguments: list[str]) -> None:
    code, modules, out = _ran(*arguments)

    assert code in (0, None)
    assert out
    assert _HEAVY & modules == set()


@pytest.mark.parametrize(
    "arguments", [[], ["--version"], ["status"], ["status", "--jsn"], ["nosuch"], ["-h"]], ids=" ".join
)
def test_only_the_command_that_is_run_is_built(arguments: list[str], tmp_path: Path) -> None:
    """Building all of them is half of what a start costs; who types a wrong word has the time for it."""
    _, modules, _ = _ran(*arguments, folder=tmp_path)

    all_wanted = arguments in (["status", "--jsn"], ["nosuch"], ["-h"])
    assert ("sparktune.cli.bench" in modules) is all_wanted


def test_the_front_page_loads_no_library_for_tables(tmp_path: Path) -> None:
    (tmp_path / "sparktune.yaml").write_text("services:\n  chat: {endpoint: 'http://127.0.0.1:9/v1'}\n")

    code, modules, _ = _ran("status", folder=tmp_path)

    assert code == 0
    assert {"rich", "textual", "numpy"} & modules == set()


@pytest.mark.parametrize("arguments", [["status"], ["drift"], ["doctor", "--nodes", "local"]], ids=" ".join)
def test_a_look_loads_nothing_that_measures_or_judges_experiments(arguments: list[str], tmp_path: Path) -> None:
    """Who runs one of them every minute pays for each module every minute."""
    (tmp_path / "sparktune.yaml").write_text("services:\n  chat: {endpoint: 'http://127.0.0.1:9/v1'}\n")

    _, modules, out = _ran(*arguments, folder=tmp_path)

    assert out
    assert {
        "sparktune.bench.evaluate",
        "sparktune.experiment.conclude",
        "sparktune.flows.ab.result",
        "sparktune.flows.bench.run",
        "sparktune.io.case_files",
    } & modules == set()
