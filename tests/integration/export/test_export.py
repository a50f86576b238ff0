"""``sparktune export prometheus`` as a timer and a Prometheus use it: what is known is told, whatever else fails."""

import os
import re
import signal
import stat
import time
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.lab_service import KNOB, LabService
from tests.support.monitoring import scrape, serving
from tests.support.schemas import promised
from tests.support.spinners import COMPILER, spinning

from sparktune.io.lab import write_lab

_FIRST_ROUND = "the first round has not ended"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The nodes of a practice cluster, in a folder without anything else; this user has measured nothing."""
    first, second = write_lab(tmp_path / "lab")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "data"))
    return f"{first},{second}"


def round_ended(port: int) -> str:
    """Return the first scrape after a round has ended."""
    while _FIRST_ROUND in (text := scrape(port)):
        time.sleep(0.1)
    return text


def test_a_file_for_the_textfile_collector_is_whole_and_can_be_read_by_it(lab: str, tmp_path: Path) -> None:
    """node_exporter runs as another user: a file of mode 0600 would be a gap that nobody sees."""
    out = tmp_path / "sparktune.prom"
    before = os.umask(0o077)
    try:
        done = run_sparktune("export", "prometheus", "--nodes", lab, "--out", str(out))
    finally:
        os.umask(before)

    assert done.code == 0, done.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o644
    lines = out.read_text().splitlines()
    assert 'sparktune_findings{node="",rule="mtu-mismatch",severity="error"} 1.0' in lines
    assert "sparktune_fabric_mtu_parity 0.0" in lines
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["sparktune.prom"]
    assert not (tmp_path / "data").exists()  # asking what was measured makes no store


def test_a_node_that_does_not_answer_fails_the_command_but_not_the_file(lab: str, tmp_path: Path) -> None:
    out = tmp_path / "sparktune.prom"

    done = run_sparktune("export", "prometheus", "--nodes", f"{lab},nowhere.invalid", "--out", str(out), "--quiet")

    assert done.code == 1
    assert "not known: nowhere.invalid: node: " in done.err
    text = out.read_text()
    assert 'sparktune_node_up{node="nowhere.invalid"} 0.0' in text
    assert 'sparktune_node_up{node="spark1"} 1.0' in text
    assert 'sparktune_memory_headroom_bytes{node="nowhere.invalid"}' not in text


def test_a_part_that_fails_takes_no_other_with_it(lab: str, tmp_path: Path) -> None:
    (tmp_path / "earned.yaml").write_text("schema: 99\n")

    done = run_sparktune("export", "prometheus", "--nodes", lab, "--json")

    assert done.code == 1
    promised("export", done.out)
    failed = {one["labels"]["part"]: one["value"] for one in done.json["series"] if one["name"].endswith("part_failed")}
    assert failed == {"nodes": 0.0, "earned": 1.0, "experiments": 0.0, "pins": 0.0}
    assert "schema 99 is newer" in next(one["why"] for one in done.json["unknown"] if one["what"] == "earned")


def test_a_port_that_is_taken_is_said(lab: str) -> None:
    with serving("--nodes", lab) as (_, port):
        done = run_sparktune("export", "prometheus", "--nodes", lab, "--listen", str(port))

    assert done.code == 2
    assert f"127.0.0.1:{port} cannot be listened on" in done.err
    assert "hint: name another port" in done.err


def test_a_scrape_waits_for_no_node_and_a_signal_ends_all(
    lab: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that hangs must not make the whole target look down, nor hold up the stop of the service."""
    ssh, pids = tmp_path / "ssh", tmp_path / "pids"
    ssh.write_text(f"#!/bin/sh\necho $$ >> {pids}\nexec sleep 600\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("SPARKTUNE_SSH", str(ssh))

    with serving("--nodes", f"{lab},hangs") as (process, port):
        while not pids.exists() or not pids.read_text().endswith("\n"):
            assert process.poll() is None
            time.sleep(0.05)
        text = scrape(port)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)

    assert _FIRST_ROUND in text
    assert "sparktune_node_up" not in text  # nothing is claimed of nodes that were not asked to the end
    assert process.returncode == 0
    assert "Traceback" not in err
    assert [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_served_is_what_was_asked_last_with_its_time(lab: str, number: int) -> None:
    with serving("--nodes", lab) as (process, port):
        text = round_ended(port)
        again = scrape(port)
        process.send_signal(number)
        process.communicate(timeout=60)

    assert process.returncode == 0
    assert text == again  # the age of it grows by time() less this time stamp
    assert 'sparktune_part_asked_timestamp_seconds{part="nodes"}' in text
    assert "sparktune_fabric_mtu_parity 0.0" in text


@pytest.mark.usefixtures("lab")
def test_this_machine_is_asked_without_any_flag() -> None:
    done = run_sparktune("export", "prometheus")

    assert 'sparktune_node_up{node="local"} 1.0' in done.out
    assert 'what="drift",why="no service is named' in done.out
    assert done.code == 0, done.err


def test_a_service_whose_setting_slipped_back_is_told(lab_service: LabService, tmp_path: Path) -> None:
    """Drift, the setting that was earned and why its evidence proves nothing come from the service's own folder."""
    earned, out = lab_service.folder / "earned.yaml", tmp_path / "sparktune.prom"
    before = earned.read_bytes()

    done = run_sparktune("export", "prometheus", "--out", str(out))

    text = out.read_text()
    assert done.code == 0, done.err
    assert re.search(rf'sparktune_drift_row\{{key="env.{KNOB}",node="local",.*status="file_drift"\}} 1.0', text)
    assert f'sparktune_earned_setting_info{{evidence="unknown",key="{KNOB}",service="lab",value="2"}} 1.0' in text
    assert f'what="evidence of {KNOB}",why="its evidence is for practice' in text
    assert earned.read_bytes() == before

    lab_service.serve("stop")
    run_sparktune("export", "prometheus", "--out", str(out))

    assert f'what="drift of env.{KNOB} in lab"' in out.read_text()  # live is not known any more, and not "no drift"


def test_threads_are_scanned_only_where_that_is_wished(lab: str) -> None:
    """A captured tree stands still: its threads are not known, not none."""
    done = run_sparktune("export", "prometheus", "--nodes", lab, "--place", "--json")

    why = [one["why"] for one in done.json["unknown"] if one["what"] == "pollers"]
    assert why == ["a captured tree stands still: no thread of it can be watched"] * 2
    assert not [one for one in done.json["series"] if one["name"] == "sparktune_busy_pollers"]


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler: threads that really spin")
@pytest.mark.usefixtures("lab")
def test_threads_that_spin_are_counted_on_this_machine(tmp_path: Path) -> None:
    with spinning(tmp_path, "llama-server"):
        done = run_sparktune("export", "prometheus", "--place", limit_s=110)

    found = re.findall(r'sparktune_busy_pollers\{.*node="local".*\} ([0-9.]+)', done.out)
    assert done.code == 0, done.err
    assert sum(map(float, found)) >= 1
    assert 'what="pollers"' not in done.out
