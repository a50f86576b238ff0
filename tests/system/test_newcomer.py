"""What the README promises to somebody who has just cloned: two commands, a benchmark, a decision, and an undo.

On a bare tree of each release that is named in the README, as a plain user with sudo. What is not to be had from the
mirror of this machine is skipped, with its reason.
"""

import hashlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.newcomer import Newcomer, newcomer

_ROOT = Path(__file__).resolve().parents[2]
_VERDICT = re.compile(r"^(IMPROVED|REGRESSED|EQUIVALENT|INCONCLUSIVE)", re.MULTILINE)
_KEPT = ("/var/lib/sparktune/", "/run/lock/sparktune.lock")
_PRACTICE = "home/newcomer/practice"

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(2400)]


@pytest.fixture(scope="module", params=["bookworm", "trixie", "noble"])
def machine(request: pytest.FixtureRequest) -> Iterator[Newcomer]:
    with newcomer(request.param, _ROOT) as made:
        yield made


def _done(machine: Newcomer, script: str, *, codes: tuple[int, ...] = (0,)) -> str:
    began = time.monotonic()
    done = machine.run(script)
    output = done.stdout + done.stderr
    print(f"{time.monotonic() - began:6.1f} s, exit {done.returncode}: {script.splitlines()[-1]}")  # noqa: T201 - for -s
    assert done.returncode in codes, f"$ {script}\n{output[-6000:]}"
    assert "Traceback" not in output
    return output


def _files(folder: Path) -> dict[str, str]:
    """Return what is in the practice nodes, but for the journal of what was done there, and the lock."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and not any(part in str(path) for part in _KEPT)
    }


def test_from_a_fresh_clone_to_an_undo(machine: Newcomer) -> None:
    """One test, in the order in which a person does it: each step needs the ones before."""
    # The first command: it installs what is missing with apt and says so, and ends with a verdict.
    demo = _done(machine, "make demo")
    assert _VERDICT.search(demo), demo[-4000:]
    assert "installing python3." in demo
    assert "What it means" in demo

    # The second: a benchmark of a server that runs there.
    _done(machine, "sparktune lab init ~/lab && cd ~/lab/service && ./serve.sh start && ./serve.sh stop")
    bench = _done(
        machine,
        "cd ~/lab/service && ./serve.sh start >&2 && trap './serve.sh stop >&2' EXIT\n"
        "sparktune bench http://127.0.0.1:18207/v1 --prompt-tokens 128 --output-tokens 32 --trials 3",
        codes=(0, 5),
    )
    assert "pp128 tg32 c1" in bench

    # An A/B of the guide "the setting that slipped back".
    decided = _done(
        machine,
        "cd ~/lab/service && ./serve.sh start >&2 && trap './serve.sh stop >&2' EXIT\n"
        "sparktune ab two-agents.yaml --yes",
        codes=(0, 5),
    )
    assert _VERDICT.search(decided), decided[-4000:]

    # What is wrong with two nodes; the host profile, and its undo.
    assert "spark1" in _done(
        machine, "sparktune lab init ~/practice && sparktune doctor --nodes ~/practice/spark1", codes=(3,)
    )
    before = _files(machine.root / _PRACTICE)
    nodes = "--nodes ~/practice/spark1,~/practice/spark2"
    _done(machine, f"sparktune host plan {nodes} --allow-slow", codes=(3,))
    _done(machine, f"sparktune host apply {nodes} --allow-slow --yes", codes=(3,))
    assert _files(machine.root / _PRACTICE) != before
    _done(machine, f"sparktune host revert {nodes} --yes")
    assert _files(machine.root / _PRACTICE) == before
