"""What a revert of ``sparktune host`` could not put back: it is listed, and given up by name where it never can be."""

import re
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.practice import run_host


def _without_slices(node: Path) -> tuple[str, ...]:
    """Apply, let the node's slices be gone for good, revert as far as that goes; return its flags."""
    root = ("--root", str(node))
    assert run_sparktune("host", "apply", *root, "--allow-slow", "--yes", "--quiet").code in {0, 3}
    for path in (node / "commands").glob("systemctl-show-p-Id-AllowedCPUs-*"):
        path.unlink()
    assert run_sparktune("host", "revert", *root, "--yes").code == 1
    return root


@pytest.mark.slow
def test_what_can_never_be_undone_is_given_up_by_name_and_blocks_no_more(lab: Path) -> None:
    """Else a machine that has lost a part could not be changed by this program ever again."""
    root = _without_slices(lab / "spark1")
    status = run_sparktune("host", "status", *root)
    (name,) = re.findall(r"revert --give-up (\S+)", status.out)
    again = ("host", "apply", *root, "--allow-slow", "--without", "slices", "--yes")
    blocked = run_sparktune(*again)
    unasked = run_sparktune("host", "revert", *root, "--give-up", name)

    shown = run_sparktune("host", "revert", *root, "--give-up", name, "--dry-run")
    given_up = run_sparktune("host", "revert", *root, "--give-up", name, "--yes")
    after = run_sparktune("host", "status", *root)
    free = run_sparktune(*again, "--json")

    assert "60 -> 1" not in status.out, "what is undone is not said to be applied"
    assert (blocked.code, f"revert --give-up {name}" in blocked.out) == (1, True)
    assert (unasked.code, shown.code, given_up.code) == (2, 3, 3)
    for said in (shown.out, given_up.out, after.out):
        assert re.search(r"slices +system\.slice AllowedCPUs +not there; could not be put back", said), said
    assert "spark1: 3 items would be given up" in shown.out
    given = f"spark1: given up: 3 items of transaction {name}; it blocks nothing now"
    assert given in " ".join(given_up.out.split())
    assert "spark1: nothing is applied; the last revert left 3 items, see below" in after.out
    assert free.json["nodes"][0]["state"] == "applied"


@pytest.mark.slow
def test_given_up_is_one_transaction_of_one_node(lab: Path) -> None:
    """Two nodes may have transactions of one name."""
    name = "0001-20260101T000000Z"
    both = run_host(lab, "revert", "--give-up", name, "--yes")
    unknown = run_sparktune("host", "revert", "--root", f"{lab}/spark1", "--give-up", name, "--yes")
    run_sparktune("host", "apply", "--root", f"{lab}/spark1", "--allow-slow", "--yes")
    listed = run_sparktune("host", "status", "--root", f"{lab}/spark1", "--json")
    applied = listed.json["nodes"][0]["transactions"][0]["id"]
    stands = run_sparktune("host", "revert", "--root", f"{lab}/spark1", "--give-up", applied, "--yes")

    assert [done.code for done in (both, unknown, stands)] == [2, 2, 2]
    assert "a transaction is of one node" in both.err
    assert f"{name} is none of its transactions" in unknown.err
    assert f"{applied} is committed, not incomplete" in stands.err


@pytest.mark.slow
def test_status_lists_what_the_last_revert_left(lab: Path) -> None:
    """The report of the revert is gone with its terminal; the journal is not."""
    root = ("--root", f"{lab}/spark1")
    run_sparktune("host", "apply", *root, "--allow-slow", "--yes", "--quiet")
    (lab / "spark1/proc/sys/vm/swappiness").write_text("33\n")
    run_sparktune("host", "revert", *root, "--yes")

    left = run_sparktune("host", "status", *root)
    listed = run_sparktune("host", "status", *root, "--json").json["nodes"][0]["transactions"][0]["left"]
    run_sparktune("host", "apply", *root, "--allow-slow", "--yes", "--quiet")
    applied = run_sparktune("host", "status", *root)

    assert left.code == 0
    assert re.search(r"sysctl +/proc/sys/vm/swappiness +60; left as somebody else had it \(33\)", left.out), left.out
    assert [(one["item"], one["before"], one["found"]) for one in listed] == [("/proc/sys/vm/swappiness", "60", "33")]
    assert "left as somebody else had it" not in applied.out, "it was changed by us again since"
