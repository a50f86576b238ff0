"""The command line starts light: what a command does not need is not loaded. Judged by modules, never by time."""

import json
import subprocess
import sys

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
    program = _PROGRAM.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    seen = json.loads(done.stderr)

    assert seen["code"] in (0, None)
    assert done.stdout
    assert _HEAVY & set(seen["modules"]) == set()
