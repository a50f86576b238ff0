"""What ``sparktune host`` asks on a terminal, and that only a yes changes a machine."""

import os
import pty
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

from sparktune.agent.protocol import command_slug
from sparktune.host.boot_target import SHOW_TARGETS


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What a command printed on stdout, and on its terminal."""

    code: int
    out: str
    terminal: str


@pytest.fixture
def node(fresh_lab: Path, tmp_path: Path) -> Path:
    """A practice node of its own."""
    return shutil.copytree(fresh_lab / "spark1", tmp_path / "spark1", symlinks=True)


def _talk(answers: str, *arguments: str) -> Talk:
    """Run a command whose stdin and stderr are a terminal on which these answers are typed."""
    try:
        controller, terminal = pty.openpty()
    except OSError as error:  # a container or chroot without /dev/pts
        pytest.skip(f"no pseudo terminal can be had here: {error}")
    os.write(controller, answers.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "sparktune", "host", *arguments],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(terminal)
    out, _ = process.communicate(timeout=100)
    shown = b""
    while True:
        try:
            piece = os.read(controller, 65_536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(controller)

    assert b"Traceback" not in shown
    return Talk(code=process.returncode, out=out, terminal=shown.decode())


def _swappiness(node: Path) -> str:
    return (node / "proc/sys/vm/swappiness").read_text().strip()


@pytest.mark.parametrize("answer", ["", "n", "no", "yeah", "Yes please"])
def test_only_yes_is_yes(node: Path, answer: str) -> None:
    """An Enter that was meant for something else must not change a machine."""
    talk = _talk(f"{answer}\n", "apply", "--root", str(node), "--allow-slow")

    assert "steps on spark1? [y/N]" in talk.terminal
    assert "nothing was changed" in talk.terminal
    assert talk.code == 3
    assert _swappiness(node) == "60"


def test_the_plan_is_shown_before_the_question(node: Path) -> None:
    talk = _talk("y\n", "apply", "--root", str(node), "--allow-slow")

    assert talk.out.index("from -> to") < talk.out.index("spark1: applied")
    assert "next: sparktune host apply" not in talk.out
    assert _swappiness(node) == "1"


@pytest.mark.slow
def test_reverting_shows_what_it_would_take_back_and_asks(node: Path) -> None:
    applied = run_sparktune("host", "apply", "--root", str(node), "--allow-slow", "--yes")
    no = _talk("n\n", "revert", "--root", str(node))
    after_no = _swappiness(node)
    yes = _talk("y\n", "revert", "--root", str(node))

    assert "applied" in applied.out
    assert "60 -> 1" in no.out
    assert "Take back all of this on spark1? [y/N]" in no.terminal
    assert (no.code, after_no) == (3, "1")
    assert (yes.code, _swappiness(node)) == (0, "60")


@pytest.mark.slow
def test_giving_up_shows_exactly_what_and_asks(node: Path) -> None:
    """What was there before is in the journal alone from then on: no Enter that was meant for something else."""
    run_sparktune("host", "apply", "--root", str(node), "--allow-slow", "--yes")
    for path in (node / "commands").glob("systemctl-show-p-Id-AllowedCPUs-*"):
        path.unlink()
    run_sparktune("host", "revert", "--root", str(node), "--yes")
    (name,) = (path.name for path in (node / "var/lib/sparktune/txn").iterdir())

    no = _talk("\n", "revert", "--root", str(node), "--give-up", name)
    state = run_sparktune("host", "status", "--root", str(node), "--json").json["nodes"][0]["state"]
    yes = _talk("y\n", "revert", "--root", str(node), "--give-up", name)

    assert "system.slice AllowedCPUs" in no.out
    assert "Give it up on spark1? [y/N]" in no.terminal
    assert (no.code, state) == (3, "incomplete")
    assert (yes.code, "spark1: given up: 3 items" in yes.out) == (3, True)


def test_with_nothing_to_take_back_nothing_is_asked(node: Path) -> None:
    talk = _talk("", "revert", "--root", str(node))

    assert talk.code == 0
    assert "[y/N]" not in talk.terminal
    assert talk.out.startswith("spark1: nothing is applied")


@pytest.fixture
def graphical(node: Path) -> Path:
    """A node with a graphical session that runs, for which ``--isolate-now`` has something to do."""
    shown = node / "commands" / f"{command_slug(SHOW_TARGETS)}.txt"
    shown.write_text(
        shown.read_text().replace("graphical.target\nActiveState=inactive", "graphical.target\nActiveState=active")
    )
    return node


_ISOLATE = ("--allow-slow", "--isolate-now")


def test_ending_a_session_is_a_question_of_its_own(graphical: Path) -> None:
    """Who agrees to other cores has not agreed to lose a desktop."""
    talk = _talk("y\nn\n", "apply", "--root", str(graphical), *_ISOLATE)

    assert "takes it back by itself unless it can be reached again within 2 min" in talk.terminal
    assert "This ends graphical sessions there. [y/N]" in talk.terminal
    assert "the target is left for the next boot" in talk.terminal
    assert "  isolate: " not in talk.out.partition("what was done")[2]
    assert _swappiness(graphical) == "1"


def test_what_may_cut_off_is_confirmed_by_a_new_connection(graphical: Path) -> None:
    """Without that the node would take it all back after two minutes, though nothing is wrong."""
    talk = _talk("y\ny\n", "apply", "--root", str(graphical), *_ISOLATE)
    status = run_sparktune("host", "status", "--root", str(graphical), "--json")

    assert "  isolate: 1 changed" in talk.out
    assert "UNCONFIRMED" not in talk.out
    assert [one["state"] for one in status.json["nodes"][0]["transactions"]] == ["committed"]
