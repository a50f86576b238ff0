"""``place scan --top``: what a report from elsewhere tells of threads."""

from pathlib import Path

from tests.support.cli import run_sparktune
from tests.support.shared import shared

_IDLE = "# idle, 0 requests\n  PID   TID S  %CPU  P COMMAND PARENT\n 10  11 R  99.8  7 rpc-server rpc-server\n"


def test_case_05_names_the_one_thread_and_leaves_those_under_load_alone() -> None:
    """A process's average hides the thread; and what is hot while decoding must not be moved."""
    found = run_sparktune("place", "scan", "--top", str(shared("cases/05-busy-pollers-idle-cluster")), "--json")

    assert found.code == 3
    (node,) = found.json["nodes"]
    verdicts = {one["tid"]: one["verdict"] for one in node["pollers"]}
    assert verdicts.pop(2266022) == "likely"
    assert set(verdicts.values()) == {"only under load"}
    assert all("do not move" in one["then"] for one in node["pollers"] if one["tid"] != 2266022)
    (poller,) = (one for one in node["pollers"] if one["tid"] == 2266022)
    assert "update llama.cpp" in poller["fix"]


def test_case_05_with_cores_untold_still_names_where_the_thread_should_go() -> None:
    """One thread, not its process: the others of that process compute."""
    found = run_sparktune("place", "scan", "--top", str(shared("cases/05-busy-pollers-idle-cluster")))

    assert found.code == 3
    assert "1 thread may poll" in found.out.splitlines()[0]
    assert "on a GB10 one of 0-4,10-14) 2266022" in " ".join(found.out.split())
    assert found.out.count("taskset") == 1


def test_case_03_tells_no_load_and_sends_on_to_who_knows_what_is_wrong() -> None:
    """Its container runs on slow cores for want of a cpuset: that is no poller, and not said to be fine."""
    folder = str(shared("cases/03-seed-profile-but-container-has-no-cpuset"))

    found, doctor = run_sparktune("place", "scan", "--top", folder), run_sparktune("doctor", "--from", folder)

    assert found.code == 1
    assert "not told" in found.out
    assert "sparktune doctor --from DIR" in found.out
    assert "container-on-slow-cores" in doctor.out


def test_files_of_top_name_the_verdict_first(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(_IDLE)

    found = run_sparktune("place", "scan", "--top", str(tmp_path / "a"), "--top", str(tmp_path / "b"))

    assert found.code == 3
    assert found.out.splitlines()[0] == "top: 1 thread may poll (1 thread seen in 2 windows)"


def test_a_file_that_top_did_not_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello\n")

    found = run_sparktune("place", "scan", "--top", str(tmp_path / "a"))

    assert found.code == 2
    assert "holds no thread" in found.err


def test_a_captured_tree_is_not_said_to_be_quiet(tmp_path: Path) -> None:
    found = run_sparktune("place", "scan", "--nodes", f"{tmp_path}/")

    assert found.code == 1
    assert "stands still" in found.out
