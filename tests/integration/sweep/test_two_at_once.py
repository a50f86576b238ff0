"""Two sweeps at once: at one server the second is refused by the name of the first, at two servers both end as alone.

Two at one server would measure each other, and each would bring back the other's arm as the original.
"""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.ab import GUARD, SLOW, WORKLOAD, listens, server_argv
from tests.support.cli import run_sparktune, start_sparktune
from tests.support.ports import free_port

from sparktune.io.store import Store

_LIMIT_S = 100.0
_STEP = "flag:--itl-ms"


def _file(path: Path, port: int, host: str = "127.0.0.1") -> Path:
    content: dict[str, Any] = {
        "name": path.stem,
        "url": f"http://{host}:{port}/v1",
        "launcher": "command",
        "baseline": {"command": server_argv(port, SLOW)},
        "knobs": {_STEP: ["4"]},
        "workload": WORKLOAD,
        "race_blocks": 0,
        "confirm_blocks": 3,
        "seed": 1,
        "guard": GUARD,
    }
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)
    return path


@pytest.mark.timeout(200)
def test_a_second_sweep_at_a_server_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    port = free_port()
    first = start_sparktune("sweep", str(_file(tmp_path / "first.yaml", port)), "--yes", "--json")
    try:
        assert first.stderr is not None
        until = next(line for line in first.stderr if line.startswith("sweep 2"))  # it is in the store from here on
        sweep = until.split()[1]
        second = run_sparktune("sweep", str(_file(tmp_path / "second.yaml", port, host="localhost")), "--yes")
        resumed = run_sparktune("sweep", "resume", sweep, "--restore-only")
        out, err = first.communicate(timeout=_LIMIT_S)
    finally:
        first.kill()

    for refused in (second, resumed):
        assert refused.code == 2
        assert f"sweep {sweep} (pid {first.pid} on " in refused.err
        assert f"is running at http://127.0.0.1:{port}/v1" in refused.err
        assert "wait until it ends" in refused.err
    assert first.returncode == 0, err
    assert f'"winner": "{_STEP}=4"' in out
    with Store.open() as store:
        assert [one.id for one in store.list_sweeps(5)] == [sweep], "nothing is kept of what was refused"
        assert not store.holding()
        assert not list(store.path.parent.glob("*.at-*")), "a lock goes with its sweep"
    assert not listens(port)


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_two_sweeps_at_two_servers_do_not_disturb_each_other(tmp_path: Path) -> None:
    ports = (free_port(), free_port())
    files = [_file(tmp_path / f"{port}.yaml", port) for port in ports]
    started = [start_sparktune("sweep", str(file), "--yes", "--json") for file in files]
    try:
        ended = [one.communicate(timeout=_LIMIT_S) for one in started]
    finally:
        for one in started:
            one.kill()

    # Whether fresh blocks confirm it hangs on the machine; that both ran to their end does not.
    assert {one.returncode for one in started} <= {0, 5}, ended
    assert all('"verdict": "INVALID"' not in out for out, _ in ended)
    with Store.open() as store:
        assert len(store.list_sweeps(5)) == 2
        assert not store.holding()
    assert not any(listens(port) for port in ports)
