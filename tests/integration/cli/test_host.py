"""``sparktune host`` as an operator meets it: on practice nodes, from the plan to the undo, and with wrong input."""

from pathlib import Path

import pytest
from tests.support.cli import Finished, run_sparktune
from tests.support.practice import both, run_host, tree_digest

_STATUSES = {"OK", "DIFFERENT", "ABSENT", "UNREADABLE", "PENDING_REBOOT"}


def _nodes(done: Finished) -> dict[str, dict[str, object]]:
    return {node["node"]: node for node in done.json["nodes"]}


def test_from_plan_to_undo(lab: Path) -> None:
    """The whole way on two nodes; at its end each is what it was, byte by byte."""
    before = {name: tree_digest(lab / name) for name in ("spark1", "spark2")}

    plan = run_host(lab, "plan", "--allow-slow", "--json")
    untouched = {name: tree_digest(lab / name) for name in before}
    applied = run_host(lab, "apply", "--allow-slow", "--yes", "--json")
    again = run_host(lab, "plan", "--allow-slow", "--json")
    status = run_host(lab, "status", "--json")
    reverted = run_host(lab, "revert", "--yes", "--json")

    assert plan.code == 3
    assert all(node["steps"] and not node["refusals"] for node in plan.json["nodes"])
    assert untouched == before
    assert [node["state"] for node in applied.json["nodes"]] == ["applied", "applied"], applied.out
    assert [node["steps"] for node in again.json["nodes"]] == [[], []]
    assert again.code == 0
    assert [len(node["transactions"]) for node in status.json["nodes"]] == [1, 1]
    assert (reverted.code, [node["state"] for node in reverted.json["nodes"]]) == (0, ["reverted", "reverted"])
    assert {name: tree_digest(lab / name) for name in before} == before


def test_applying_twice_keeps_the_first_state(lab: Path) -> None:
    """Else the second time would remember our own values, and the undo would bring those back."""
    before = tree_digest(lab / "spark1")
    root = ("--root", f"{lab}/spark1")

    first, second = (run_sparktune("host", "apply", *root, "--allow-slow", "--yes", "--json") for _ in range(2))
    third = run_sparktune("host", "apply", *root, "--allow-slow", "--sysctl", "vm.swappiness=5", "--yes", "--json")
    reverted = run_sparktune("host", "revert", *root, "--yes")

    assert (first.json["nodes"][0]["state"], second.json["nodes"][0]["state"]) == ("applied", "untouched")
    assert third.json["nodes"][0]["state"] == "applied"
    assert reverted.code == 0, reverted.out
    assert tree_digest(lab / "spark1") == before


def test_json_has_the_members_of_the_contract(lab: Path) -> None:
    """Scripts rely on these names, whatever else comes."""
    for verb in ("plan", "verify", "status"):
        document = run_host(lab, verb, "--json").json

        assert document["schema"] == 1
        assert [node["node"] for node in document["nodes"]] == ["spark1", "spark2"]
        for node in document["nodes"]:
            assert all({"change", "target", "from", "to", "takes_effect"} <= step.keys() for step in node["steps"])
            assert all(
                {"change", "target", "wanted", "effective", "status"} <= check.keys() for check in node["checks"]
            )
            assert {check["status"] for check in node["checks"]} <= _STATUSES


def test_inference_on_slow_cores_stands_against_it_until_accepted(lab: Path) -> None:
    """The profile must not make worse what it is for; nothing is changed, and the way on is named."""
    before = tree_digest(lab / "spark1")

    plan = run_host(lab, "plan")
    refused = run_host(lab, "apply", "--yes")

    assert plan.code == 3
    assert plan.out.splitlines()[0].startswith("spark1: ")
    assert "stands against it" in plan.out
    assert "--allow-slow" in plan.out
    assert refused.code == 1
    assert "nothing was changed: spark1, spark2 cannot be changed as asked" in refused.err
    assert tree_digest(lab / "spark1") == before


def test_a_foreign_edit_is_left_and_told(lab: Path) -> None:
    """Whoever set it since had a reason; both values are shown, the rest is undone."""
    root = ("--root", f"{lab}/spark1")
    assert run_sparktune("host", "apply", *root, "--allow-slow", "--yes", "--quiet").code in {0, 3}
    (lab / "spark1/proc/sys/vm/swappiness").write_text("33\n")

    verified = run_sparktune("host", "verify", *root)
    reverted = run_sparktune("host", "revert", *root, "--yes")

    assert verified.code == 3
    assert "DIFFERENT" in verified.out
    assert "33 -> 1" in verified.out
    assert reverted.code == 3
    assert "LEFT as somebody else has it" in reverted.out
    assert "is 33, was before 60" in reverted.out
    assert (lab / "spark1/proc/sys/vm/swappiness").read_text() == "33\n"
    assert (lab / "spark1/proc/sys/vm/vfs_cache_pressure").read_text().strip() == "100"


def test_a_folder_without_a_slash_is_looked_for_by_ssh_and_the_way_out_is_named(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody who has just made a practice cluster writes its name."""
    monkeypatch.chdir(lab.parent)
    monkeypatch.setenv("SPARKTUNE_SSH", "sh -c 'echo Could not resolve hostname >&2; exit 255'")

    done = run_sparktune("host", "plan", "--nodes", lab.name)

    assert done.code == 1
    assert f"a folder is written with a slash: --nodes {lab.name}/spark1,{lab.name}/spark2" in done.out


def test_dry_runs_change_nothing(lab: Path) -> None:
    root = ("--root", f"{lab}/spark1")
    before = tree_digest(lab / "spark1")

    dry = run_sparktune("host", "apply", *root, "--allow-slow", "--dry-run")
    nothing = run_sparktune("host", "revert", *root, "--dry-run")
    run_sparktune("host", "apply", *root, "--allow-slow", "--yes")
    something = run_sparktune("host", "revert", *root, "--dry-run", "--json")

    assert (dry.code, nothing.code, something.code) == (3, 0, 3)
    assert "nothing was changed" in dry.out
    assert len(something.json["nodes"][0]["transactions"]) == 1
    assert tree_digest(lab / "spark1") != before


def test_one_node_that_does_not_answer_leaves_all_as_they_are(lab: Path) -> None:
    """Half a cluster that is tuned measures worse than none."""
    before = tree_digest(lab / "spark1")
    nodes = ("--nodes", f"{lab}/spark1,nowhere.invalid")

    plan = run_sparktune("host", "plan", *nodes, "--allow-slow")
    applied = run_sparktune("host", "apply", *nodes, "--allow-slow", "--yes")

    assert (plan.code, applied.code) == (1, 1)
    assert "nowhere.invalid: no plan" in plan.out
    assert "nothing was changed: nowhere.invalid cannot be changed as asked" in applied.err
    assert tree_digest(lab / "spark1") == before


def test_a_verdict_per_node_comes_first_and_the_next_command_last(lab: Path) -> None:
    plan = run_host(lab, "plan", "--allow-slow")

    lines = plan.out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["spark1", "spark2"]
    assert lines[-1] == f"nothing was changed; next: sparktune host apply --nodes {both(lab)[1]} --allow-slow"
    assert "\x1b" not in plan.out
    assert plan.err == ""


def test_explain_says_what_is_not_done_and_what_was_measured(lab: Path) -> None:
    done = run_host(lab, "plan", "--allow-slow", "--explain")

    for word in ("does:", "does not:", "expected effect: none measured", "source:"):
        assert word in done.out


def test_a_change_is_left_out(lab: Path) -> None:
    done = run_host(lab, "plan", "--allow-slow", "--without", "sysctl", "--json")

    changes = {step["change"] for node in done.json["nodes"] for step in node["steps"]}
    assert "sysctl" not in changes
    assert "irq-affinity" in changes


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [("slices", "classic"), ("classic", "slices")])
def test_one_mode_is_taken_back_before_the_other(lab: Path, first: str, second: str) -> None:
    """Both at once is what nobody asked for, and no verify of one of them would show the other."""
    # The other node has an administrator's own CPUAffinity=, which is no mode of ours.
    root, before = ("--root", f"{lab}/spark2"), tree_digest(lab / "spark2")
    run_sparktune("host", "apply", *root, "--mode", first, "--allow-slow", "--yes", "--quiet")
    applied = tree_digest(lab / "spark2")

    refused = run_sparktune("host", "apply", *root, "--mode", second, "--allow-slow", "--yes")
    seen = run_sparktune("host", "verify", *root, "--mode", second)

    assert refused.code == 1
    assert f"--mode {first} is applied here" in refused.out
    assert tree_digest(lab / "spark2") == applied
    assert f"it is of --mode {first}" in seen.out
    assert run_sparktune("host", "revert", *root, "--yes").code == 0
    assert tree_digest(lab / "spark2") == before
    free = run_sparktune("host", "plan", *root, "--mode", second, "--allow-slow", "--json")
    assert [node["refusals"] for node in free.json["nodes"]] == [[]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("revert", "--give-up", "0001", "--transaction", "0001", "--yes"), "are two wishes"),
        (("plan", "--without", "turbo"), "--without turbo: there is no such change"),
        (("plan", "--sysctl", "vm.swappiness"), "--sysctl 'vm.swappiness' is not KEY=VALUE"),
        (("plan", "--mode", "fast"), "--mode 'fast' is not known"),
        (("plan", "--irq", "somewhere"), "--irq 'somewhere' is not known"),
        (("plan", "--irq-device", "eth0"), "is no PCI address"),
        (("plan", "--save", "/no/such/folder/plan.json"), "/no/such/folder"),
        (("plan", "--save", "plan.yaml"), "plan.yaml would hold JSON, and its name says YAML"),
        (("apply", "--yes", "--confirm-within", "soon"), "--confirm-within soon"),
        (("apply", "--yes", "--on-failure", "panic"), "--on-failure 'panic' is not known"),
        (("apply",), "machines are not changed without a terminal to ask on"),
        (("revert",), "machines are not changed without a terminal to ask on"),
        (("apply", "--yes", "--plan", "/no/such/plan.json"), "/no/such/plan.json cannot be read"),
        (("apply", "--yes", "--plan", "/dev/null", "--mode", "classic"), "--plan has a profile already"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_meant(lab: Path, arguments: tuple[str, ...], message: str) -> None:
    """A typing error never reaches a node."""
    before = tree_digest(lab / "spark1")

    done = run_host(lab, *arguments)

    assert done.code == 2, done.out
    assert message in done.err
    assert "hint: " in done.err
    assert tree_digest(lab / "spark1") == before


@pytest.mark.parametrize("verb", ["plan", "apply", "verify", "revert", "status", "confirm"])
@pytest.mark.parametrize("nodes", ["", " ", ","])
def test_an_unset_variable_is_not_this_machine(verb: str, nodes: str) -> None:
    """``--nodes "$SPARKS" --yes`` in a script would change the machine that the script runs on."""
    yes = ("--yes",) if verb in {"apply", "revert"} else ()

    done = run_sparktune("host", verb, "--nodes", nodes, *yes)

    assert done.code == 2
    assert ("names no node" if nodes.strip() else "--nodes is empty") in done.err


def test_nothing_to_confirm_and_nothing_to_revert(lab: Path) -> None:
    confirmed, reverted = run_host(lab, "confirm"), run_host(lab, "revert", "--yes")

    assert confirmed.code == 0
    assert "nothing waits for a confirmation" in confirmed.err
    assert reverted.code == 0
    assert reverted.out.splitlines()[:2] == ["spark1: nothing to take back", "spark2: nothing to take back"]
