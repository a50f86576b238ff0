"""A sweep of a service that ran before: its file is edited for each visit; in the end it is what it was, and serves."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from ruamel.yaml import YAML
from tests.support.ab import GUARD, WORKLOAD, listens
from tests.support.cli import run_sparktune
from tests.support.ports import free_port

pytestmark = pytest.mark.timeout(200)
_LIMIT_S = 180.0  # each start of a service waits for the memory of the one before
_VARIABLES = "# what the service is started with\nexport ITL_MS=12   # as it has run for months\nOTHER='a b'\n"
_SCRIPT = """\
#!/bin/sh
cd {folder}
case "$1" in
start)
    set -a; . ./service.env; set +a
    nohup {python} -m sparktune.io.reference --port {port} --ttft-ms 5 --itl-ms "$ITL_MS" >> log 2>&1 < /dev/null &
    echo $! > pid
    ;;
stop) kill "$(cat pid)" ;;
esac
"""


@pytest.fixture
def service(tmp_path: Path) -> Any:  # noqa: ANN401 - its folder and its port
    """A server that somebody started by a script, and that runs."""
    port = free_port()
    folder = tmp_path / "srv"
    folder.mkdir()
    (folder / "service.env").write_text(_VARIABLES)
    script = folder / "serve.sh"
    script.write_text(_SCRIPT.format(folder=folder, python=sys.executable, port=port))
    script.chmod(0o755)
    subprocess.run([script, "start"], check=True)
    while not listens(port):
        pass
    yield folder, port
    subprocess.run([script, "stop"], check=False)


def _served_ms(port: int) -> float:
    with urlopen(f"http://127.0.0.1:{port}/__cfg", timeout=10) as answer:
        return float(json.load(answer)["itl_ms"])


@pytest.mark.slow
def test_the_file_is_as_it_was_and_serves_as_before(tmp_path: Path, service: tuple[Path, int]) -> None:
    folder, port = service
    script = str(folder / "serve.sh")
    where = {"file": [str(folder / "service.env"), script], "start": [script, "start"], "stop": [script, "stop"]}
    content = {
        "name": "a service by hand",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "script",
        "where": [{**where, "port": port}],
        "baseline": {"wait_s": 5},
        "knobs": {"env:ITL_MS": ["none", "4", "12"]},
        "workload": WORKLOAD,
        "constraints": ["ttft_s<=0.0001"],  # nothing keeps it, so that nothing is confirmed, which takes its time
        "race_blocks": 1,
        "seed": 1,
        "guard": GUARD,
    }
    path = tmp_path / "sweep.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)

    finished = run_sparktune("sweep", str(path), "--yes", "--json", limit_s=_LIMIT_S)
    assert finished.code == 5, finished.err
    result = finished.json

    assert result["winner"] is None
    assert result["ranges"][0]["baseline"] == "12", "what runs now is read from the file"
    ends = {visit["key"]: visit["end"] for visit in result["visits"]}
    assert ends["env:ITL_MS=4"] == "measured"
    assert ends["env:ITL_MS=none"] == "infeasible"
    assert "env:ITL_MS=12" not in ends
    assert "the original (arm A) is live" in result["afterwards"]
    assert (folder / "service.env").read_text() == _VARIABLES
    assert _served_ms(port) == 12.0
