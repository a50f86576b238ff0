"""The practice service is one that a person can start, stop and get wrong, on any machine."""

import re
from pathlib import Path

from tests.support.cli import run_sparktune
from tests.support.lab_service import KNOB, LabService

from sparktune.io.earned import read_earned


def test_what_came_with_the_cluster_is_marked_as_practice(lab_service: LabService) -> None:
    """Nobody measured anything yet: there are no numbers, and nothing calls them evidence."""
    (entry,) = read_earned(lab_service.folder / "earned.yaml")
    assert (entry.evidence.ratio, entry.evidence.run) == (None, "")
    (told,) = run_sparktune("earned", "list", "--json").json["settings"]
    assert told["state"] == "unknown"
    assert "for practice" in told["unknown"][0]


def test_a_second_start_and_a_stop_of_nothing_do_no_harm(lab_service: LabService) -> None:
    before = (lab_service.folder / "service.pid").read_text()
    assert lab_service.serve("start").returncode == 1
    assert (lab_service.folder / "service.pid").read_text() == before
    assert lab_service.serve("stop").returncode == 0
    assert lab_service.serve("stop").returncode == 0
    assert lab_service.serve("again").returncode == 2


def test_a_value_that_is_none_counts_as_one_with_a_warning(lab_service: LabService) -> None:
    """As the scheduler does that it stands for: a typing error is no crash, and no 2 either."""
    assert lab_service.serve("stop").returncode == 0
    (lab_service.folder / "service.env").write_text(f"{KNOB}=two\n")
    started = lab_service.serve("start")
    assert (started.returncode, f"{KNOB}=two is not 1, 2 or 3" in started.stderr) == (0, True)
    pid = (lab_service.folder / "service.pid").read_text().strip()
    assert b"--prefills\x001\x00" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_folder_with_blanks_and_quotes_works_too(tmp_path: Path) -> None:
    folder = tmp_path / "it's a lab"
    assert run_sparktune("lab", "init", str(folder)).code == 0
    assert run_sparktune("earned", "list", "--earned", str(folder / "service" / "earned.yaml")).code == 0


def test_a_port_that_somebody_else_has_is_told(lab_service: LabService, tmp_path: Path) -> None:
    """A second practice cluster on one machine is the usual way to get there."""
    port = re.search(r":(\d+)/v1", (lab_service.folder / "sparktune.yaml").read_text())
    assert port is not None
    assert run_sparktune("lab", "init", str(tmp_path / "other"), "--port", port[1]).code == 0
    started = LabService(folder=tmp_path / "other" / "service").serve("start")
    assert (started.returncode, "Traceback" in started.stderr) == (1, False)
    assert f"port {port[1]} of 127.0.0.1 cannot be had: Address already in use" in started.stderr
    assert "--port N" in started.stderr
