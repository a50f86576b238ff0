"""The story that this tool was made for, from end to end with real commands and a stand-in for an engine.

An experiment had concluded 2, the file went back to 1 with an update, the process ran 1, and nobody saw it.
"""

import pytest
from tests.support.cli import run_sparktune
from tests.support.lab_service import KNOB, LabService

from sparktune.io.earned import read_earned, read_earned_file

_LAYERS = ("earned", "file", "live")


def _texts(row: dict[str, object]) -> list[object]:
    return [row[layer]["text"] if isinstance(row[layer], dict) else row[layer] for layer in _LAYERS]  # type: ignore[index]


def _restore(service: LabService) -> None:
    done = run_sparktune("drift", "restore", KNOB, "--yes")
    assert done.code == 0, done.err
    assert service.live == "2"


def test_what_slipped_back_is_found_and_restored(lab_service: LabService) -> None:
    """In little: what came with the practice cluster says 2, and everything else says 1."""
    code, row = lab_service.drift()
    assert (code, row["status"], _texts(row)) == (3, "FILE DRIFT", ["2", "1", "1"])
    _restore(lab_service)
    code, row = lab_service.drift()
    assert (code, row["status"], _texts(row)) == (0, "OK", ["2", "2", "2"])


@pytest.mark.slow
def test_the_whole_story(lab_service: LabService) -> None:
    earned = lab_service.folder / "earned.yaml"

    measured = run_sparktune("bench", "--workload", "two-agents", "--quiet", "--json")
    assert measured.cell["valid"] is True

    decided = run_sparktune("ab", "two-agents.yaml", "--accept", "--yes", "--quiet", "--json", limit_s=500)
    assert decided.code == 0, decided.err
    assert (decided.json["verdict"], decided.json["guards"][0]["status"]) == ("IMPROVED", "ok")
    (entry,) = read_earned(earned)
    assert (entry.value, entry.evidence.run) == ({"env": {KNOB: "2"}}, decided.json["run"])
    assert not entry.evidence.practice
    assert (lab_service.live, lab_service.drift()[0]) == ("2", 0)

    lab_service.revert()  # an update brings the file that its recipe ships ...
    code, row = lab_service.drift()
    assert (code, row["status"], _texts(row)) == (3, "NOT LIVE", ["2", "1", "2"])
    assert "FILE DRIFT" in row["also"]
    lab_service.restart()  # ... and the next restart makes it true
    code, row = lab_service.drift()
    assert (code, row["status"], _texts(row)) == (3, "FILE DRIFT", ["2", "1", "1"])
    assert lab_service.live == "1"

    _restore(lab_service)
    code, row = lab_service.drift()
    assert (code, row["status"], _texts(row)) == (0, "OK", ["2", "2", "2"])

    (told,) = run_sparktune("earned", "show", KNOB, "--json").json["settings"]
    assert told["state"] == "current"
    assert told["renew"].endswith("sparktune ab two-agents.yaml --accept --yes --quiet --json")
    assert run_sparktune("earned", "forget", KNOB, "--yes").code == 0
    assert lab_service.drift()[1]["status"] == "UNEARNED"
    assert run_sparktune("earned", "accept", entry.evidence.run).code == 0
    found = read_earned_file(earned)
    assert [one.content for one in found.settings] == [entry.content]
    assert [one.ended.how for one in found.history if one.ended] == ["superseded", "forgotten"]
