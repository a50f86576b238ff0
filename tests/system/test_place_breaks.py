"""``place pin`` where something breaks: killed half-way, two at once, a full disk, no root, a thread that ends.

A thread that stays on a slow core with nobody knowing costs tokens per second for as long as its process lives. The
threads and the kernel's calls are real; an ssh that is none breaks what it is told to.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.named_threads import NamedThreads, named_threads
from tests.support.pin_node import NODE, PinNode, pin_node

from sparktune.errors import ExitCode
from sparktune.flows.place.pin import apply_pins, plan_pins_on
from sparktune.flows.place.scan import scan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.model.pin import PinWish

pytestmark = [
    pytest.mark.root,
    pytest.mark.timeout(300),
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU leaves no choice"),
]

_THREAD = "poller"
_NOBODY = "65534"
# Two that compute are two that want a core, whoever holds the lock of their interpreter.
_TWO = (f"{_THREAD}=computes", f"{_THREAD}=computes", "rest=rests")
_TRIES = 5  # at a scan that a loaded machine did not let see that they want a core


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> Iterator[PinNode]:
    with pin_node(tmp_path) as node:
        yield node


@pytest.fixture(name="threads")
def _threads() -> Iterator[NamedThreads]:
    with named_threads(_process(), *_TWO) as threads:
        yield threads


def _process() -> str:
    return f"st-{os.getpid()}"


def _cpu() -> int:
    return min(os.sched_getaffinity(0))


def _words(*more: str) -> tuple[str, ...]:
    which = ("--process", _process(), "--thread", _THREAD, "--cpus", str(_cpu()), "--accept-likely")
    return ("pin", *which, "--once", "--windows", "1", "--window", "1s", "--yes", *more)


def _pin(node: PinNode) -> tuple[int, dict[str, object]]:
    """Pin both; again where a loaded machine hid that they want a core: then nothing was done."""
    for _ in range(_TRIES):
        code, report = node.report(*_words())
        if len(report["pins"]) == len(_TWO) - 1:
            return code, report
        assert report["state"] is None or code == ExitCode.DONE, report
        assert node.report("unpin", "--all", "--yes")[0] == ExitCode.DONE
    pytest.fail(f"the threads were never seen to want a core: {report}")


def _masks(threads: NamedThreads) -> list[set[int]]:
    return [os.sched_getaffinity(tid) for tid in threads.tids[_THREAD]]


def _half_done(node: PinNode, threads: NamedThreads, go_on: Path) -> None:
    """Kill the controller when its agent has moved one thread of two, and waits until ``go_on`` is there."""
    before = _masks(threads)
    node.breaks(waits_after_moves=1, waits_for=str(go_on))
    moved = False
    while not moved:  # it saw that they want a core; never is a timeout of this test
        with node.start(*_words()) as controller:
            while controller.poll() is None and not moved:
                moved = _masks(threads) != before
            controller.kill()
    assert sorted(map(len, _masks(threads))) in ([1, len(before[0])], [1, 1]), "one of them, or the only one seen"
    node.breaks()


def test_a_controller_that_is_killed_half_way_leaves_a_whole_pin_that_can_be_taken_back(
    node: PinNode, threads: NamedThreads, tmp_path: Path
) -> None:
    """The node's agent comes to its end alone; until then nobody is told that nothing is pinned."""
    before = _masks(threads)
    _half_done(node, threads, tmp_path / "go")

    code, meanwhile = node.report("status")
    assert code == ExitCode.DIFFERENCES
    (row,) = meanwhile["rows"]
    assert (row["state"], row["target"]) == ("UNREADABLE", "a pin that has not ended")
    assert "at work now: place pin by" in row["why"]
    refused, _report = node.report("unpin", "--yes")
    assert refused == ExitCode.FAILED

    (tmp_path / "go").touch()
    while node.states() == ["open"]:
        pass  # never is a timeout of this test
    code, after = node.report("status")
    assert code == ExitCode.DONE
    assert {row["state"] for row in after["rows"]} == {"OK"}
    assert node.report("unpin", "--yes")[0] == ExitCode.DONE
    assert _masks(threads) == before


@pytest.mark.parametrize("then", ["unpin", "pin", "by hand"])
def test_half_a_pin_is_told_and_the_next_command_takes_it_back(
    then: str, node: PinNode, threads: NamedThreads, tmp_path: Path
) -> None:
    """Controller and agent are killed: one thread is moved, and nobody has written down that it is pinned."""
    before = _masks(threads)
    _half_done(node, threads, tmp_path / "go")
    assert node.kill_agent()
    assert _masks(threads) != before

    code, found = node.report("status")
    assert code == ExitCode.DIFFERENCES
    assert [(row["state"], row["target"]) for row in found["rows"]] == [("NOT PINNED", "a pin that broke off half-way")]
    assert "sparktune place unpin" in found["rows"][0]["why"]

    if then == "pin":
        code, pinned = _pin(node)
        assert (code, pinned["state"]) == (ExitCode.DONE, "applied")
        assert _masks(threads) == [{_cpu()}, {_cpu()}], "the one that was moved is none that is right already"
        assert node.states()[0] == "rolled_back"
        assert node.report("status")[0] == ExitCode.DONE
    if then == "by hand":
        assert node.agent.run("revert").returncode == 0
    else:
        assert node.report("unpin", "--yes")[0] == ExitCode.DONE
    assert _masks(threads) == before
    assert set(node.states()) <= {"rolled_back", "reverted"}
    assert node.report("status") == (ExitCode.DONE, {"node": NODE, "error": None, "hint": None, "rows": []})


def test_an_agent_that_dies_half_way_is_taken_back_by_its_controller(node: PinNode, threads: NamedThreads) -> None:
    before = _masks(threads)
    node.breaks(dies_after_moves=1)

    code, report = _pin(node)

    assert (code, report["state"]) == (ExitCode.FAILED, "rolled back")
    assert _masks(threads) == before
    assert set(node.states()) <= {"rolled_back", "reverted"}


def test_the_second_of_two_is_refused_by_the_name_of_the_first(
    node: PinNode, threads: NamedThreads, tmp_path: Path
) -> None:
    _half_done(node, threads, tmp_path / "go")
    done = node.run(*_words())
    while "another one works there" not in done.out:  # a loaded machine hid that they want a core
        done = node.run(*_words())

    assert done.code == ExitCode.FAILED
    assert "another one works there: place pin by" in done.out
    assert "without --dry-run" not in done.out
    assert node.states() == ["open"], "nothing was begun beside it"


def test_two_that_have_planned_the_same_leave_one_pin_and_its_prior(
    node: PinNode, threads: NamedThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seen the threads where they were, and both are told to go on: the second finds it done."""
    before = _masks(threads)
    for name, value in node.environment().items():
        monkeypatch.setenv(name, value)
    targets = (NodeTarget(name=NODE, host=NODE),)
    wish = PinWish(process=_process(), thread=_THREAD, cpus=(_cpu(),), once=True, accept_likely=True)
    for _ in range(_TRIES):
        planned = plan_pins_on(targets, scan_nodes(targets, windows=1, window_s=1.0, endpoint=""), wish)
        if planned.nodes[0].pins is not None and len(planned.nodes[0].pins.pins) == len(before):
            break

    first, second = (apply_pins(targets, planned, who=who, on_progress=lambda *_: None) for who in ("ann", "bob"))

    assert first.exit_code is second.exit_code is ExitCode.DONE
    assert second.nodes[0].report is not None
    assert "already" in second.nodes[0].report.notes[0]
    assert _masks(threads) == [{_cpu()}, {_cpu()}]
    assert node.states() == ["committed"]
    assert node.report("unpin", "--yes")[0] == ExitCode.DONE
    assert _masks(threads) == before


def test_two_at_once_leave_nothing_that_cannot_be_taken_back(node: PinNode, threads: NamedThreads) -> None:
    """Whichever is first, and however they meet: each is done or refused, and one undo gives all back."""
    before = _masks(threads)
    both = [node.start(*_words()) for _ in range(2)]
    codes = []
    for one in both:
        out, err = one.communicate()
        codes.append(one.returncode)
        assert "Traceback" not in err, (out, err)

    assert set(codes) <= {ExitCode.DONE, ExitCode.FAILED}
    assert set(node.states()) <= {"committed"}
    assert node.report("unpin", "--all", "--yes")[0] == ExitCode.DONE
    assert _masks(threads) == before


def test_a_disk_without_room_for_the_journal_is_refused_before_anything_changes(
    threads: NamedThreads, tmp_path: Path
) -> None:
    before = _masks(threads)
    with pin_node(tmp_path, size="64k") as node:
        code, report = _pin(node)

        assert (code, report["state"]) == (ExitCode.FAILED, "untouched")
        assert "/var/lib/sparktune cannot be written: No space left on device" in str(report["error"])
        assert "its disk has space" in str(report["hint"])
        assert _masks(threads) == before
        assert node.states() == []
        assert node.report("status")[0] == ExitCode.DONE


def test_a_disk_that_is_full_by_then_does_not_keep_a_pin_from_being_taken_back(
    threads: NamedThreads, tmp_path: Path
) -> None:
    before = _masks(threads)
    with pin_node(tmp_path, size="2m") as node:
        assert _pin(node)[0] == ExitCode.DONE
        filler = (*node.agent.enter, "sh", "-c", "cat /dev/zero > /var/lib/sparktune/filler")
        assert subprocess.run(filler, stderr=subprocess.DEVNULL, check=False).returncode != 0, "it is full"

        assert node.report("unpin", "--yes")[0] == ExitCode.DONE

        assert _masks(threads) == before


@pytest.fixture(name="open_folder")
def _open_folder() -> Iterator[Path]:
    """Make a folder that other users may look into, unlike those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="spark-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


_ASKING = "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n"


@pytest.mark.parametrize(("sudo", "why"), [("", "there is no sudo"), (_ASKING, "sudo would ask for a password")])
def test_a_user_who_cannot_become_root_is_told_what_to_do(
    sudo: str, why: str, node: PinNode, threads: NamedThreads, open_folder: Path
) -> None:
    """With and without a rule: neither may send somebody from one refusal to the next."""
    before = _masks(threads)
    node.reached_by(_as_nobody(node, open_folder, sudo))

    for words in (_words(), tuple(word for word in _words() if word != "--once")):
        done = node.run(*words)
        while "was seen to want a core" in done.err:  # a loaded machine hid it
            done = node.run(*words)
        assert done.code == ExitCode.FAILED
        assert f"needs root: {why}" in done.out
        assert "NOPASSWD in /etc/sudoers.d" in done.out
        assert "pin it once" not in done.out
    looked = node.run("status")
    assert (looked.code, f"needs root: {why}" in looked.out, "NOPASSWD" in looked.out) == (ExitCode.FAILED, True, True)
    assert node.run("unpin", "--yes").code == ExitCode.FAILED
    assert _masks(threads) == before
    assert node.states() == []


def _as_nobody(node: PinNode, folder: Path, sudo: str) -> str:
    """Return a command that stands for ssh: it runs what it is asked as a user who has no rights, with that sudo."""
    for program in ("setpriv", "nsenter"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the command {program}")
    if not os.access("/usr/bin/python3", os.X_OK):
        pytest.skip("no Python for other users")
    (folder / "python3").symlink_to("/usr/bin/python3")
    if sudo:
        (folder / "sudo").write_text(sudo)
        (folder / "sudo").chmod(0o755)
    ssh = folder / "ssh"
    enter, setpriv = " ".join(node.agent.enter), str(shutil.which("setpriv"))
    ssh.write_text(
        "#!/bin/sh\nfor word; do :; done\n"
        f"exec {enter} {setpriv} --reuid={_NOBODY} --regid={_NOBODY} --clear-groups "
        f'/bin/sh -c "PATH={folder}; $word"\n'
    )
    ssh.chmod(0o755)
    return str(ssh)


def test_a_thread_that_ends_while_it_is_pinned_is_told_and_forgotten(node: PinNode) -> None:
    with named_threads(_process(), *_TWO) as threads:
        before = _masks(threads)
        assert _pin(node)[0] == ExitCode.DONE
        with named_threads(_process(), *_TWO) as other:
            assert _masks(other) == before, "another with its name is not it"
    code, gone = node.report("status")
    assert code == ExitCode.DONE
    assert {row["state"] for row in gone["rows"]} == {"NO PROCESS"}
    assert "place unpin forgets it" in gone["rows"][0]["why"]

    assert node.report("unpin", "--yes")[0] == ExitCode.DONE

    assert node.report("status")[1]["rows"] == []


def test_a_process_that_ends_between_the_plan_and_the_pin_changes_nothing(
    node: PinNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in node.environment().items():
        monkeypatch.setenv(name, value)
    targets = (NodeTarget(name=NODE, host=NODE),)
    wish = PinWish(process=_process(), thread=_THREAD, cpus=(_cpu(),), once=True, accept_likely=True)
    with named_threads(_process(), *_TWO):
        for _ in range(_TRIES):
            planned = plan_pins_on(targets, scan_nodes(targets, windows=1, window_s=1.0, endpoint=""), wish)
            if planned.pending:
                break

    done = apply_pins(targets, planned, who="me", on_progress=lambda *_: None)

    assert done.exit_code is ExitCode.FAILED
    assert done.nodes[0].report is not None
    assert "has changed since the plan was made" in done.nodes[0].report.failure
    assert node.states() == []
